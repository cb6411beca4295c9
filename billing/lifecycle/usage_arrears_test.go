package lifecycle_test

import (
	"slices"

	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/rating"
)

// billAfter gives a plan or an add-on a price in arrears, or none.
func (l *life) billAfter(draw chance, p plan.Plan) {
	if draw(3, "in arrears") == 0 {
		p.Prices = append(slices.Clip(p.Prices), plan.Price{
			ID: p.ID + "_arrears", Arrears: true, Price: []rating.Price{
				{Model: rating.Flat, Amount: 777}, {Model: rating.PerUnit, UnitPrice: dec("2.5")},
				{Model: rating.Graduated, Tiers: []rating.Tier{{UpTo: money.Whole(2), UnitPrice: dec("1")}, {UnitPrice: dec("0.335")}}},
			}[draw(3, "price in arrears")],
		})
	}
	l.store.plans[p.Ref()] = p
}

// checkArrears recounts the cost of a price in arrears in a segment, removes it from billed, and returns it.
func (l *life) checkArrears(
	s metering.Segment, c metered.Component, billed map[metered.Key]money.Minor,
) money.Minor {
	want := money.Minor(partOf(nearest(costOf(c.Rates[0].Price, nil, c.Units)), &s))
	return l.checkAmount(s, c.ID, want, billed)
}

package metered

import (
	"cmp"
	"slices"
	"time"

	"perennial/billing/money"
	"perennial/billing/proration"
	"perennial/billing/rating"
	"perennial/billing/usage"
)

// Share is the part of a period that a segment covers.
type Share struct{ proration.Span }

// atMost returns the share of a maximum. It is zero, which is no bound, only if the whole is.
func (s Share) atMost(most money.Minor) money.Minor {
	if most == 0 {
		return 0
	}
	return max(s.Of(most), 1)
}

// Segment is a part of a period with its metered prices.
type Segment struct {
	Start time.Time
	Share Share
	Usage []Used // by component
	// Commitment applies to all metered components of the plan together; nil: none.
	Commitment *Commitment
	// Minimum applies to the total of a period; nil: none.
	Minimum *Minimum
}

// Used is the count of a component in a segment.
type Used struct {
	Component
	// Level: the quantity is a level (usage.Definition.Levels). A segment costs its share of the level's price for a whole
	// period, so that a change of plan does not bill the same seats twice.
	Level      bool
	Quantities usage.Totals // by lot
	// Tallies are the counts of prices that depend on each record, by lot; nil: the component has none.
	Tallies map[usage.Group]*rating.Tally
	// Uncounted is why the component could not be counted; nil: it was. Until it is, none of it is owed or returned.
	Uncounted error
	Before    usage.Totals // of a cumulated component: by lot, of its time before the segment, in the order of groups
}

// Commitment is the minimum sum of a plan's metered prices in a period, with a factor for the excess.
type Commitment struct {
	ID     string      `json:"id"`
	Amount money.Minor `json:"amount"`
	// Currencies are the amounts in the plan's further currencies; nil: none.
	Currencies    map[money.Currency]money.Minor `json:"currencies,omitempty"`
	OverageFactor money.Decimal                  `json:"overageFactor,omitzero"` // multiplies the excess; absent: 1
}

// Key identifies a charge, which one line of an invoice bills.
type Key struct {
	PriceID string // of a component or a commitment
	Segment int64  // its start, in microseconds of Unix time
	Lot     Lot
}

// Charge is the amount of a key, or its increase.
type Charge struct {
	Key
	Quantity money.Decimal
	Amount   money.Minor
	// Whole is the price of a whole period, for a level in a part of one; 0: the charge has all of its steps.
	Whole money.Minor
	// Before is the billed part of the steps: by earlier invoices or, if cumulated, in earlier periods.
	Before money.Minor
	// Limited: it returns less than the difference, since less of the billed amount is kept.
	Limited bool
	Steps   []rating.Step // of the whole owed amount
}

// Owed returns the charges of a period's segments by the known quantities, in a fixed order. Faults: those of
// rating.Price.Rate.
func Owed(segments []Segment, c money.Currency) ([]Charge, error) {
	var owed []Charge
	for _, segment := range segments {
		charges, err := segment.owed(c)
		if err != nil {
			return nil, err
		}
		owed = append(owed, charges...)
	}
	slices.SortFunc(owed, func(a, b Charge) int { return a.Key.compare(b.Key) })
	return owed, nil
}

func (k Key) compare(other Key) int {
	return cmp.Or(cmp.Compare(k.Segment, other.Segment), cmp.Compare(k.PriceID, other.PriceID),
		cmp.Compare(k.Lot.Rate, other.Lot.Rate), cmp.Compare(k.Lot.By, other.Lot.By))
}

func (s Segment) owed(c money.Currency) ([]Charge, error) {
	var charges []Charge
	var spent money.Minor // counts for the commitment
	for _, used := range s.Usage {
		if used.Uncounted != nil {
			continue
		}
		for _, quantity := range used.lots() {
			charge, err := used.owed(s, lotOf(quantity.Group), quantity.Value, c)
			if err != nil {
				return nil, err
			}
			if !used.Fixed && !used.AddOn { // a commitment counts usage of the plan
				if spent, err = money.Sum(spent, charge.Amount); err != nil {
					return nil, err
				}
			}
			charges = append(charges, charge)
		}
	}
	if !s.complete() { // the total of all prices is unknown
		return charges, nil
	}
	if s.Commitment != nil {
		rest, err := s.Commitment.owed(s, spent, c)
		if err != nil {
			return nil, err
		}
		charges = append(charges, rest...)
	}
	if s.Minimum == nil {
		return charges, nil
	}
	all, err := Total(charges)
	if err != nil {
		return nil, err
	}
	raised, err := s.Minimum.owed(s, all)
	raised.Steps = s.Minimum.steps(raised.Amount, c)
	return append(charges, raised), err
}

// lots returns the quantities of all lots that may cost something, also those of rates without usage, which may have a
// minimum.
func (u Used) lots() usage.Totals {
	lots := slices.Clone(u.Quantities)
	for i, rate := range u.Rates {
		group := Lot{Rate: i}.group()
		if len(rate.By) == 0 && !slices.ContainsFunc(lots, func(q usage.Quantity) bool { return q.Group == group }) {
			lots = append(lots, usage.Quantity{Group: group, Value: money.Whole(0)})
		}
	}
	return lots
}

// owed rates one lot. A cumulated one owes the amount of all units so far less that of earlier ones, both rounded, so
// that periods sum to the price of all units.
func (u Used) owed(s Segment, lot Lot, quantity money.Decimal, c money.Currency) (Charge, error) {
	charge := Charge{Key: Key{u.ID, s.Start.UnixMicro(), lot}, Quantity: quantity}
	if lot.Rate == unrated {
		return charge, nil
	}
	price := u.Rates[lot.Rate].Price
	if price.ByTransaction() {
		price = scaled(price, s.Share)
		tally := u.Tallies[lot.group()]
		if tally == nil {
			tally = price.Tally()
		}
		rated, err := tally.RateBy(price, c)
		charge.Amount, charge.Steps = rated.Amount, rated.Steps
		return charge, err
	}
	if u.Level && !s.Share.Whole() {
		rated, err := price.Rate(quantity, c)
		charge.Whole, charge.Amount, charge.Steps = rated.Amount, s.Share.Of(rated.Amount), rated.Steps
		return charge, err
	}
	if !u.Cumulated {
		rated, err := scaled(price, s.Share).Rate(quantity, c)
		charge.Amount, charge.Steps = rated.Amount, rated.Steps
		return charge, err
	}
	before := money.Whole(0)
	if i, found := slices.BinarySearchFunc(u.Before, lot.group(), func(q usage.Quantity, g usage.Group) int {
		return cmp.Compare(q.Group, g)
	}); found {
		before = u.Before[i].Value
	}
	first, err := price.Rate(before, c)
	if err != nil {
		return charge, err
	}
	all, err := price.Rate(before.Add(quantity), c)
	charge.Amount, charge.Before, charge.Steps = all.Amount-first.Amount, first.Amount, all.Steps
	return charge, err
}

// owed returns the charge of the commitment for a segment: the rest up to its share, or the overage beyond it.
func (k Commitment) owed(s Segment, spent money.Minor, c money.Currency) ([]Charge, error) {
	charge := Charge{Key: Key{PriceID: k.ID, Segment: s.Start.UnixMicro()}, Quantity: money.Whole(1)}
	committed := s.Share.Of(k.Amount)
	if spent <= committed {
		charge.Amount = committed - spent
		return []Charge{charge}, nil
	}
	if !k.OverageFactor.IsGiven() {
		return nil, nil
	}
	more := money.Units(spent-committed, c).Mul(k.OverageFactor.Sub(money.Whole(1)))
	amount, err := more.Round(c)
	charge.Amount = amount
	return []Charge{charge}, err
}

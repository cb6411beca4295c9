package proration_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/costing"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/internal/testkit/peercases"
)

// checkUnprorated adds an item to a subscription as an add-on, or removes one that was billed with the period.
func checkUnprorated(t *testing.T, c peercases.Case, in changeInput, want changeResult, currency money.Currency) {
	t.Helper()
	require.Contains(t, []string{"", "none"}, in.Proration, "a proration that is not known")
	item := in.item(t, currency)
	base := plan.Plan{
		ID: "plan_1", Version: 1, Active: true, Currency: currency, Interval: item.Interval,
		Prices: []plan.Price{plan.Flat("price_base", "", 1000)},
	}
	require.Equal(t, in.End, period.Schedule{Anchor: in.Start, Interval: base.Interval}.Boundary(1), "the period is a month")
	facts := costing.Facts{
		Plan: base, AddOns: []plan.Plan{item}, ItemID: func(price string) string { return "si_" + price },
	}
	with := []subscription.Chosen{{AddOn: item, Quantity: 1}}
	before, after := []subscription.Chosen(nil), with
	if c.Kind == "remove_item" {
		before, after = with, nil
	}
	s, _, err := subscribing.Create(base, subscribing.NewInput{
		ID: "sub_1", CustomerID: "cust_1", TimeZone: "UTC", Now: in.Start, AddOns: before,
	})
	require.NoError(t, err)
	first, err := subscribing.With(subscribing.With(s, facts).Itemized(), facts).OpenPeriod(in.Start)
	require.NoError(t, err)
	require.Len(t, first.Issue, 1)
	facts.Paid = []invoice.Invoice{paid(first.Issue[0])}

	d, err := subscribing.With(first.Subscription, facts).ChangePlan(subscribing.Change{
		AddOns: &after, Proration: subscription.ProrationBehavior(in.Proration),
	}, in.At)
	require.NoError(t, err)
	require.Len(t, d.Subscription.AddOns, len(after))
	require.Empty(t, d.Subscription.PendingLines)
	var credit, charge money.Minor
	for _, draft := range d.Issue {
		for _, l := range draft.Lines {
			charge, credit = charge+max(l.Amount, 0), credit-min(l.Amount, 0)
		}
	}
	for _, pair := range []struct {
		want *money.Decimal
		got  money.Minor
	}{{want.Credit, credit}, {want.Charge, charge}, {want.Net, charge - credit}} {
		if pair.want != nil {
			require.Zero(t, pair.want.Cmp(money.Units(pair.got, currency)), "%s, not %d", pair.want, pair.got)
		}
	}
}

// item returns an add-on with the cost of a line of the case.
func (in changeInput) item(t *testing.T, currency money.Currency) plan.Plan {
	t.Helper()
	price, err := in.Price.Mul(in.Quantity).Round(currency)
	require.NoError(t, err)
	out := plan.Plan{
		ID: "plan_2", Version: 1, Active: true, AddOn: true, Currency: currency,
		Interval: period.Interval{Unit: period.Month, Count: 1},
		Prices:   []plan.Price{plan.Flat("price_item", "", price)},
	}
	out.Prices[0].Once = in.OneTime
	return out
}

// paid is the invoice of a draft, once it is paid.
func paid(d invoice.Draft) invoice.Invoice {
	var total money.Minor
	for i := range d.Lines {
		d.Lines[i].ID = "il_" + d.Lines[i].PriceID
		total += d.Lines[i].Amount
	}
	return invoice.Invoice{
		ID: "in_1", Status: invoice.Paid, Lines: d.Lines, Period: d.Period, PeriodIndex: d.PeriodIndex, Total: total,
		AmountPaid: total,
	}
}

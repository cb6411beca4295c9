package rating_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/billing/subscription"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/testkit"
	"perennial/service/subscriptions"
	"perennial/test/life"
	"perennial/test/scene"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// calls returns a metric that sums calls by region.
func calls(t *testing.T, s *scene.Scene) usage.Metric {
	t.Helper()
	m := usage.Metric{
		ID: id.New(id.Metric, scene.Start), Version: 1, Name: "calls", DisplayName: "Calls", Active: true,
		CreatedAt: scene.Start, VersionAt: scene.Start,
		Definition: usage.Definition{Aggregation: usage.Sum, GroupBy: []string{"region"}},
	}
	s.InTx(t, func(tx *db.Tx) error { return tx.Usage.InsertMetric(t.Context(), s.Env, m) })
	return m
}

// metering returns a monthly plan of 10.00 whose calls cost 0.05 each in the region eu and 0.02 elsewhere.
func metering(of usage.Metric) plan.Plan {
	p := scene.Monthly(1000)
	p.Metered = &metered.Prices{Components: []metered.Component{{
		ID: id.New(id.Price, scene.Start), MetricName: of.Name, MetricVersionID: of.VersionID(),
		Rates: []metered.Rate{
			{Where: map[string]string{"region": "eu"}, Price: perUnit("0.05")},
			{Price: perUnit("0.02")},
		},
	}}}
	return p
}

func perUnit(price string) rating.Price {
	unit, err := money.ParseDecimal(price)
	if err != nil {
		panic(err)
	}
	return rating.Price{Model: rating.PerUnit, UnitPrice: unit}
}

// used records calls of a subscription.
func used(l *life.Life, region string, n int64, at time.Time) db.UsageTaken {
	l.T.Helper()
	r := usage.Record{
		ID: id.New(id.UsageRecord, at), SubscriptionID: l.Ref.ID, Metric: "calls", Quantity: money.Whole(n), At: at,
		Key: fmt.Sprint(region, n, at.UnixNano()), Properties: usage.Properties{"region": region},
	}
	taken, err := l.Store.UsageLog().RecordUsage(l.T.Context(), db.BySystem("test"), l.Env, l.Clock.Now(),
		[]db.NewUsage{{Record: r, Fingerprint: r.Fingerprint()}})
	require.NoError(l.T, err)
	return taken[0]
}

func amounts(inv invoice.Invoice) (out []string) {
	for _, l := range inv.Lines {
		out = append(out, fmt.Sprintf("%s %s %s × %s = %d", l.Kind, l.Description, l.Quantity, l.UnitPrice, l.Amount))
	}
	return out
}

func TestUsage_IsBilledWithTheRenewal(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	l := life.Begin(t, s, metering(calls(t, s)))
	l.Until(scene.Start.Add(10 * life.Day))
	used(l, "eu", 100, scene.Start.Add(life.Day))
	used(l, "us", 30, scene.Start.Add(2*life.Day))
	l.Until(scene.Start.AddDate(0, 1, 1))

	all := l.Invoices()
	require.Len(t, all, 2)
	require.Equal(t, invoice.Paid, all[1].Status)
	require.Equal(t, []string{
		"recurring Plan – Base 1 × 10.00 = 1000", "usage Plan – calls 100 × 0.05 = 500", "usage Plan – calls 30 × 0.02 = 60",
	}, amounts(all[1]))
	require.Equal(t, money.Minor(1560), all[1].AmountPaid)
	read := l.Change(func(state lifecycle.State, at lifecycle.Moment) (lifecycle.State, lifecycle.Changes, error) {
		return lifecycle.Advance(state, at)
	})
	for _, line := range read.Paid[len(read.Paid)-1].Lines {
		require.Equal(t, line.Kind.InAdvance(), line.ItemID != "", "%s: only time in advance is an item's", line.Kind)
	}
	l.Sound()
}

// A subscription in another currency than its plan's own pays the prices' amounts in that currency.
func TestUsage_IsBilledInTheCurrencyOfTheSubscription(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	p := metering(calls(t, s))
	p.Prices[0].Currencies = plan.Currencies{"USD": {Amount: 1100}}
	rates := p.Metered.Components[0].Rates
	for i, price := range []string{"0.06", "0.03"} {
		rates[i].Currencies = rating.Currencies{"USD": {UnitPrice: perUnit(price).UnitPrice}}
	}
	s.Plan(t, p)
	dollars, err := p.In("USD")
	require.NoError(t, err)
	l := &life.Life{Scene: s, T: t, Payer: s.Customer(t, "")}
	l.Ref = s.Subscribe(t, l.Payer, dollars)
	l.Reload()
	l.Until(s.Clock.Now())
	used(l, "eu", 100, scene.Start.Add(time.Hour/2))
	used(l, "us", 30, scene.Start.Add(time.Hour/2))
	require.Equal(t, money.Minor(690), accrued(l).Accrual.Total())
	require.Equal(t, money.Minor(690+1100), preview(l, subscriptions.Preview{Invoices: 1}).Upcoming[0].Total)
	l.Until(scene.Start.AddDate(0, 1, 1))

	all := l.Invoices()
	require.Len(t, all, 2)
	require.Equal(t, money.Currency("USD"), all[1].Currency)
	require.Equal(t, []string{
		"recurring Plan – Base 1 × 11.00 = 1100", "usage Plan – calls 100 × 0.06 = 600", "usage Plan – calls 30 × 0.03 = 90",
	}, amounts(all[1]))
	l.Sound()
}

func TestUsage_LateIsBilledWithTheNextRenewalAndCorrectionsAreGivenBack(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	l := life.Begin(t, s, metering(calls(t, s)))
	used(l, "eu", 100, scene.Start.Add(time.Hour/2))
	l.Until(scene.Start.AddDate(0, 1, 1))
	require.True(t, used(l, "eu", 20, scene.Start.Add(life.Day)).Taken)
	l.Until(scene.Start.AddDate(0, 2, 1))

	all := l.Invoices()
	require.Len(t, all, 3)
	require.Equal(t, []string{"recurring Plan – Base 1 × 10.00 = 1000", "usage Plan – calls 20 ×  = 100"}, amounts(all[2]))
	late := all[2].Lines[1]
	require.Equal(t, money.Minor(500), late.Explanation.Before)
	require.Equal(t, 1, late.PeriodIndex)
	require.True(t, late.Period.Start.Equal(scene.Start))
	l.Sound()
}

func TestUsage_OfAnEndedSubscriptionHasALastInvoice(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	l := life.Begin(t, s, metering(calls(t, s)))
	l.Until(scene.Start.Add(10 * life.Day))
	used(l, "us", 50, scene.Start.Add(life.Day))
	l.Command(life.CancelNow(""))
	l.Reload()
	require.Equal(t, subscription.ActionBillUsage, l.Snap.NextAction)
	require.False(t, l.Snap.Finished)
	require.True(t, used(l, "us", 1, scene.Start.Add(2*life.Day)).Taken, "it is on the last invoice")
	l.Until(scene.Start.Add(11 * life.Day))

	all := l.Invoices()
	require.Len(t, all, 2)
	require.Equal(t, invoice.Usage, all[1].Reason)
	require.Equal(t, []string{"usage Plan – calls 51 × 0.02 = 102"}, amounts(all[1]))
	require.Equal(t, invoice.Paid, all[1].Status, "it gets one attempt")
	require.True(t, l.Snap.Finished)
	late := used(l, "us", 2, scene.Start.Add(3*life.Day))
	require.False(t, late.Taken)
	require.True(t, late.Facts.Closed)
	l.Sound()
}

// A percentage with a fee prices each record: the results with late records and corrections equal a recount of all.
func TestUsage_IsBilledByTransaction(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	p := metering(calls(t, s))
	percent := perUnit("0").UnitPrice.Add(money.Whole(2))
	p.Metered.Components[0].Rates = []metered.Rate{{Price: rating.Price{
		Model: rating.Percentage, Percent: percent, Transactions: rating.Transactions{Fee: perUnit("0.3").UnitPrice, Free: 1},
	}}}
	l := life.Begin(t, s, p)
	used(l, "eu", 100, scene.Start.Add(time.Hour/2))
	used(l, "us", 50, scene.Start.Add(time.Hour))
	l.Until(scene.Start.AddDate(0, 1, 1))
	used(l, "eu", 10, scene.Start.Add(time.Minute)) // it is the free one now
	l.Until(scene.Start.AddDate(0, 2, 1))

	all := l.Invoices()
	require.Len(t, all, 3)
	require.Equal(t, "usage Plan – calls 150 ×  = 130", amounts(all[1])[1], "the first is free, and 50 cost 1.00 and 0.30")
	var kinds []string
	for _, step := range all[1].Lines[1].Explanation.Steps {
		kinds = append(kinds, fmt.Sprintf("%s %s × %s", step.Kind, step.Quantity, step.UnitPrice))
	}
	require.Equal(t, []string{"included 100 × 0", "share 50 × 0.02", "fees 1 × 0.3"}, kinds)
	require.Equal(t, "usage Plan – calls 10 ×  = 230", amounts(all[2])[1], "150 cost 3.00 and twice 0.30, less 1.30")
	l.Sound()
}

// A person can skip a failing rating: the flat part is billed, and the usage stays owed.
func TestUsage_IsLeftToTheNextInvoiceWhereAPersonSaysSo(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	l := life.Begin(t, s, metering(calls(t, s)))
	used(l, "eu", 100, scene.Start.Add(time.Hour/2))
	l.Clock.Set(l.Snap.NextAt)
	state := l.Change(func(state lifecycle.State, at lifecycle.Moment) (lifecycle.State, lifecycle.Changes, error) {
		return lifecycle.Advance(state, at)
	})
	require.Len(t, state.Drafts, 1)
	l.Change(func(state lifecycle.State, at lifecycle.Moment) (lifecycle.State, lifecycle.Changes, error) {
		return lifecycle.Apply(state, lifecycle.FinalizeInvoice{InvoiceID: state.Drafts[0].ID, WithoutUsage: true}, at)
	})
	l.Reload()
	l.Until(scene.Start.AddDate(0, 2, 1))

	all := l.Invoices()
	require.Len(t, all, 3)
	require.Equal(t, []string{"recurring Plan – Base 1 × 10.00 = 1000"}, amounts(all[1]))
	require.Equal(t, []string{
		"recurring Plan – Base 1 × 10.00 = 1000", "usage Plan – calls 100 × 0.05 = 500",
	}, amounts(all[2]))
	l.Sound()
}

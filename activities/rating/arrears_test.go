package rating_test

import (
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
	"perennial/internal/id"
	"perennial/test/life"
	"perennial/test/scene"
)

// seats returns a monthly plan without prices in advance, with 5.00 and 2.00 a seat in arrears.
func seats() plan.Plan {
	p := scene.Monthly(0)
	p.Prices = append(p.Prices,
		plan.Price{ID: id.New(id.Price, scene.Start), Name: "Platform", Arrears: true,
			Price: rating.Price{Model: rating.Flat, Amount: 500}},
		plan.Price{ID: id.New(id.Price, scene.Start), Name: "Seats", Arrears: true, Price: perUnit("2")},
	)
	return p
}

// change performs a change of plan now.
func change(l *life.Life, c lifecycle.ChangePlan) {
	l.T.Helper()
	l.Change(func(state lifecycle.State, at lifecycle.Moment) (lifecycle.State, lifecycle.Changes, error) {
		return lifecycle.Apply(state, c, at)
	})
	l.Reload()
}

// A price in arrears is billed after its period, with each number of seats for its time.
func TestArrears_AreBilledAfterThePeriod(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	l := life.Begin(t, s, seats())
	l.Until(scene.Start.AddDate(0, 1, 1))

	all := l.Invoices()
	require.Len(t, all, 1, "nothing is billed when the period begins")
	require.Equal(t, invoice.Usage, all[0].Reason)
	require.Equal(t, []string{"usage Plan – Platform 1 × 5 = 500", "usage Plan – Seats 1 × 2 = 200"}, amounts(all[0]))
	require.Equal(t, money.Minor(700), all[0].AmountPaid)
	l.Command(life.CancelNow(""))
	l.Reload()
	l.Until(scene.Start.AddDate(0, 1, 2))
	all = l.Invoices()
	require.Len(t, all, 2)
	require.Equal(t, subscription.Canceled, l.Snap.Status)
	require.Len(t, all[1].Lines, 2, "a day of each")
	for i, price := range []money.Minor{500, 200} {
		part := all[1].Lines[i].Explanation.Part
		require.Equal(t, price, part.Whole)
		require.Equal(t, int64(24*60*60), part.To-part.From)
		length := money.Minor(part.Length)
		require.Equal(t, (part.Whole*money.Minor(part.To-part.From)+length/2)/length, all[1].Lines[i].Amount)
	}
	l.Sound()
}

// Seats that are added within a period are billed for their time; nothing is billed at once.
func TestArrears_ChangeOfQuantity(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	l := life.Begin(t, s, seats())
	l.Until(scene.Start.AddDate(0, 0, 10))
	change(l, lifecycle.ChangePlan{Quantity: 4})
	require.Empty(t, l.Invoices())
	l.Until(scene.Start.AddDate(0, 1, 1))

	all := l.Invoices()
	require.Len(t, all, 1)
	var flat, each money.Minor
	var shares []string
	for _, line := range all[0].Lines {
		if line.Description == "Plan – Platform" {
			flat += line.Amount
			continue
		}
		each += line.Amount
		shares = append(shares, line.Quantity)
	}
	require.Equal(t, money.Minor(500), flat, "the parts of a period sum to the whole")
	days := scene.Start.AddDate(0, 1, 0).Sub(scene.Start).Hours() / 24
	require.InDelta(t, (200*10+800*(days-10))/days, float64(each), 1)
	require.Equal(t, []string{"1", "4"}, shares)
	l.Sound()
}

// Usage of an add-on is billed like the plan's, in separate lines that name the add-on. Its quantity multiplies only
// its arrears.
func TestArrears_OfAddOns(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	of := calls(t, s)
	p, extra := scene.Monthly(1000), scene.Monthly(0)
	extra.ID, extra.Name, extra.AddOn = id.New(id.Plan, scene.Start), "Extra", true
	extra.Prices = []plan.Price{{ID: id.New(id.Price, scene.Start), Name: "Desks", Arrears: true, Price: perUnit("3")}}
	extra.Metered = &metered.Prices{Components: []metered.Component{{
		ID: id.New(id.Price, scene.Start), MetricName: of.Name, MetricVersionID: of.VersionID(),
		Rates: []metered.Rate{{Price: perUnit("0.1")}},
	}}}
	s.Plan(t, extra)
	l := life.Begin(t, s, p)
	used(l, "eu", 7, scene.Start.Add(time.Minute))
	l.Until(scene.Start.AddDate(0, 1, 0).Add(time.Hour))
	chosen := []subscription.Chosen{{AddOn: extra, Quantity: 2}}
	change(l, lifecycle.ChangePlan{AddOns: &chosen})
	used(l, "eu", 30, l.Clock.Now().Add(time.Minute))
	l.Until(scene.Start.AddDate(0, 2, 1))

	all := l.Invoices()
	last := all[len(all)-1]
	require.Len(t, last.Lines, 3)
	require.Equal(t, "recurring Plan – Base 1 × 10.00 = 1000", amounts(last)[0])
	bills := map[string]string{}
	for _, line := range last.Lines[1:] {
		require.Equal(t, extra.ID, line.PlanID)
		bills[line.Description] = line.Quantity
	}
	require.Equal(t, map[string]string{"Extra – calls": "30", "Extra – Desks": "2"}, bills,
		"what was used before it was bought costs nothing")
	l.Sound()
}

// The amounts in advance and in arrears count for a minimum, and a line adds the rest.
func TestMinimum_RaisesAPeriod(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	p := metering(calls(t, s))
	p.Metered.Minimum = &metered.Minimum{ID: id.New(id.Price, scene.Start), Amount: 2000}
	l := life.Begin(t, s, p)
	used(l, "eu", 100, scene.Start.Add(time.Hour/2))
	l.Until(scene.Start.AddDate(0, 1, 1))
	used(l, "eu", 300, scene.Start.AddDate(0, 1, 0).Add(time.Hour))
	l.Until(scene.Start.AddDate(0, 2, 1))

	all := l.Invoices()
	require.Len(t, all, 3)
	require.Equal(t, []string{
		"recurring Plan – Base 1 × 10.00 = 1000", "usage Plan – calls 100 × 0.05 = 500", "usage Plan – Minimum 1 ×  = 500",
	}, amounts(all[1]))
	require.Equal(t, rating.Minimum, all[1].Lines[2].Explanation.Steps[0].Kind)
	require.Equal(t, []string{"recurring Plan – Base 1 × 10.00 = 1000", "usage Plan – calls 300 × 0.05 = 1500"},
		amounts(all[2]), "25.00 are more")
	l.Sound()
}

package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/foresight"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/billing/subscription"
)

// A quote has the money that moves: the invoices, and the refund or credit. Half of a month of team, for 1000, is left.
func TestPreview_QuotesTheMoneyThatMoves(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cmd      lifecycle.Command
		invoices []foresight.QuotedTotal
		notes    []money.Minor
		refund   money.Minor
		balance  money.Minor
		pending  string
	}{
		"nothing": {cmd: nil},
		"an upgrade": { // half of 3000, less half of 1000
			cmd: lifecycle.ChangePlan{Plan: &pro}, invoices: []foresight.QuotedTotal{{Total: 1000, AmountDue: 1000}},
		},
		"an upgrade at the period's end": {cmd: lifecycle.ChangePlan{Plan: &pro, AtPeriodEnd: true}, pending: "plan_pro.1"},
		"a downgrade": {
			cmd: lifecycle.ChangePlan{Plan: &free}, notes: []money.Minor{500}, balance: 500,
		},
		"the end, and the rest back": {
			cmd: lifecycle.Cancel{Immediate: true, RefundUnused: true}, notes: []money.Minor{500}, refund: 500,
		},
		"the end without": {cmd: lifecycle.Cancel{Immediate: true}},
	} {
		l := paidHalf(t)
		shown, err := foresight.Preview(l.store.load(true), c.cmd, 0, nil, l.moment())
		require.NoError(t, err, name)
		quote := shown.Quote
		require.Equal(t, c.invoices, quote.Invoices, name)
		var notes []money.Minor
		for _, n := range shown.CreditNotes {
			notes = append(notes, n.Total)
		}
		require.Equal(t, c.notes, notes, name)
		require.Equal(t, [2]money.Minor{c.refund, c.balance}, [2]money.Minor{quote.Refund, quote.Balance}, name)
		if c.pending != "" {
			require.Equal(t, [2]string{"plan_team.1", c.pending}, [2]string{quote.Plan, quote.Pending}, name)
		}
	}
}

// A quote has the add-ons after the change, and those from the next period on. Without any it omits the field, as
// builds without add-ons do.
func TestPreview_QuotesTheAddOns(t *testing.T) {
	t.Parallel()
	extra := flat("plan_extra", month, 200)
	extra.AddOn = true
	l := newLife(t, []plan.Plan{team, extra}, settings, team, 0)
	l.advance()
	l.result(answer.Succeeded)
	quote := func(cmd lifecycle.Command) []subscription.AddOns {
		shown, err := foresight.Preview(l.store.load(true), cmd, 0, nil, l.moment())
		require.NoError(t, err)
		return shown.Quote.AddOns
	}
	chosen := []subscription.Chosen{{AddOn: extra, Quantity: 2}}
	require.Nil(t, quote(nil))
	now := quote(lifecycle.ChangePlan{AddOns: &chosen})
	require.Len(t, now, 2)
	require.Equal(t, [2]int64{2, 2}, [2]int64{now[0][0].Quantity, now[1][0].Quantity})
	later := quote(lifecycle.ChangePlan{AddOns: &chosen, AtPeriodEnd: true})
	require.Equal(t, [2]int{0, 1}, [2]int{len(later[0]), len(later[1])})
}

// The renewal is a draft for a day, which the preview shows at once. Each later invoice follows once.
func TestPreview_ShowsADraftOnce(t *testing.T) {
	t.Parallel()
	l := graced(t, flat("plan_1", month, 1900))
	l.finalizeDraft()
	l.result(answer.Succeeded)
	renewal := l.sub().CurrentPeriod.End
	l.now, l.real = renewal, renewal

	shown, err := foresight.Preview(l.load(false).state, nil, 2, nil, l.moment())

	require.NoError(t, err)
	require.Len(t, shown.Issued, 1)
	require.Equal(t, renewal, shown.Issued[0].Period.Start)
	require.Len(t, shown.Upcoming, 2)
	require.Equal(t, shown.Issued[0].Period.End, shown.Upcoming[0].Period.Start)
	require.Equal(t, shown.Upcoming[0].Period.End, shown.Upcoming[1].Period.Start)
	require.Equal(t, shown.Upcoming[0].Period.Start.Add(24*time.Hour), shown.Upcoming[0].FinalizesAt)
}

// Changes at dates within the first four weeks follow each other: each credits the amount of the one before, and no
// amount twice. The environment's latest invoice has the number 10.
func TestPreview_ChangesThatFollowEachOther(t *testing.T) {
	t.Parallel()
	large := flat("plan_large", month, 9000)
	l := newLife(t, []plan.Plan{team, pro, large}, settings, team, 0)
	l.advance()
	l.result(answer.Succeeded)
	for week, to := range []plan.Plan{pro, large, team} {
		l.must(lifecycle.ChangePlan{Plan: &to, On: created.AddDate(0, 0, 7*(week+1))})
	}
	state := l.load(true).state
	state.Paid[0].Number = 10

	shown, err := foresight.Preview(state, nil, 4, nil, l.moment())

	require.NoError(t, err)
	var totals []money.Minor
	for _, inv := range shown.Upcoming {
		totals = append(totals, inv.Total)
	}
	// 2250 - 750, 4500 - 1500, 250 - 2250, and a month of team.
	require.Equal(t, []money.Minor{1500, 3000, 250, 1000}, totals, "notes over 2250 pay the third")
}

// Changes of the quantity follow each other in the same way, for one item: one seat of 1000, ten from the second week
// on, then three, then one. Each credits the last billed amount, not the one seat of the first week.
func TestPreview_QuantitiesThatFollowEachOther(t *testing.T) {
	t.Parallel()
	seats := plan.Plan{ID: "plan_seats", Version: 1, Name: "Seats", Currency: "EUR", Interval: month, Active: true,
		Prices: []plan.Price{
			{ID: "price_seat", Price: rating.Price{Model: rating.PerUnit, UnitPrice: money.Units(1000, "EUR")}},
		}}
	l := newLife(t, []plan.Plan{seats}, settings, seats, 0)
	l.advance()
	l.result(answer.Succeeded)
	for week, n := range []int64{10, 3, 1} {
		l.must(lifecycle.ChangePlan{Quantity: n, On: created.AddDate(0, 0, 7*(week+1))})
	}
	state := l.load(true).state
	state.Paid[0].Number = 10

	shown, err := foresight.Preview(state, nil, 4, nil, l.moment())

	require.NoError(t, err)
	var totals []money.Minor
	for _, inv := range shown.Upcoming {
		totals = append(totals, inv.Total)
	}
	// 7500 - 750, 1500 - 5000, 250 - 750, and a month of one seat.
	require.Equal(t, []money.Minor{6750, 1500, 250, 1000}, totals, "notes pay the second and the third")
}

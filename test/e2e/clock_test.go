package e2e

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/internal/testkit"
	"perennial/test/e2e/check"
	"perennial/test/e2e/load"
	"perennial/test/e2e/world"
)

// TestClock_EqualsRealTime compares a year and more on a test clock, through the whole installation, with
// billing/lifecycle called at the very instants: the same invoices, attempts, events and states, to the second. A wrong
// decision of lifecycle is wrong on both sides; its property tests find that. This test finds errors of the database,
// the workflows and the clock.
func TestClock_EqualsRealTime(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"America/New_York", "UTC", "Africa/Douala", "Pacific/Auckland"}[:testkit.Scale(1, 4)] {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			compare(t, zone)
		})
	}
}

// double is one subscription, once in the installation and once in billing/lifecycle alone.
type double struct {
	t     *testing.T
	ctx   context.Context //nolint:containedctx // one story's, as t is
	env   *world.Environment
	rules *rulebook
	zone  *time.Location

	clock, customer, sub string
	plans                []string
}

const trial = 14

func compare(t *testing.T, zoneName string) {
	t.Helper()
	w := world.New(t, world.Config{TimeZone: zoneName})
	w.Service.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), settled)
	defer cancel()
	zone, err := time.LoadLocation(zoneName)
	require.NoError(t, err)
	d := &double{t: t, ctx: ctx, env: w.Environments[0], zone: zone}
	d.begin(time.Date(2027, 1, 17, 21, 30, 0, 0, zone), 1999, 4999)

	d.to(2027, 4, 10) // the trial ends on 31 January; months of 28 and 31 days, and summer time begins
	d.change(1)
	d.to(2027, 6, 12)
	d.card("pm_card_chargeCustomerFail", false)
	d.to(2027, 7, 20) // 30 June fails four times
	d.to(2027, 8, 9)  // a period that is skipped
	d.card("pm_card_visa", true)
	d.to(2027, 12, 24) // winter time
	d.change(0)
	d.to(2028, 3, 5) // credit pays for the next one; a leap day
	d.cancel()
	d.to(2028, 5, 2)

	require.Equal(t, subscription.Canceled, d.rules.state.Subscription.Status, "the story is told to its end")
	require.Greater(t, len(d.rules.invoices), 10)
	load.PayAll(t, d.env, settled)
	check.AtRest(t, w, settled)
	check.Sound(t, w)
}

func (d *double) begin(start time.Time, amounts ...int) {
	d.t.Helper()
	plans := map[string]plan.Plan{}
	for i, amount := range amounts {
		id, err := d.env.Create(d.ctx, "/api/plans",
			world.Object{"name": fmt.Sprint(i), "currency": "EUR", "interval": "month", "amount": amount})
		require.NoError(d.t, err)
		d.plans = append(d.plans, id)
		plans[id] = plan.Plan{
			ID: id, Currency: "EUR", Interval: period.Interval{Unit: period.Month, Count: 1}, Active: true,
			Prices: []plan.Price{plan.Flat("price_"+id, "", money.Minor(amount))},
		}
	}
	var err error
	d.clock, err = d.env.Create(d.ctx, "/api/test-clocks", world.Object{"now": start.Unix()})
	require.NoError(d.t, err)
	in := card("pm_card_visa")
	in["testClockId"] = d.clock
	d.customer, err = d.env.Create(d.ctx, "/api/customers", in)
	require.NoError(d.t, err)
	d.sub, err = d.env.Create(d.ctx, "/api/subscriptions",
		world.Object{"customerId": d.customer, "planId": d.plans[0], "trialDays": trial})
	require.NoError(d.t, err)
	days := trial
	d.rules = newRulebook(d.t, plans, d.plans[0], subscribing.NewInput{
		ID: d.sub, CustomerID: d.customer, TrialDays: &days, TimeZone: d.zone.String(),
		TestClockID: d.clock, Now: start.UTC(),
	})
	d.same()
}

// to moves both to noon of a day.
func (d *double) to(year int, month time.Month, day int) {
	d.t.Helper()
	at := time.Date(year, month, day, 12, 0, 0, 0, d.zone).UTC()
	require.NoError(d.t, load.Advance(d.ctx, d.env, d.clock, at))
	d.rules.until(at)
	d.same()
}

func (d *double) card(token string, pays bool) {
	d.t.Helper()
	_, err := d.env.Change(d.ctx, http.MethodPatch, "/api/customers/"+d.customer, world.Object{
		"paymentMethod": "card", "paymentDetails": card(token)["paymentDetails"],
	})
	require.NoError(d.t, err)
	d.rules.newCard(pays)
	d.same()
}

func (d *double) change(to int) {
	d.t.Helper()
	_, err := d.env.Change(d.ctx, http.MethodPatch, "/api/subscriptions/"+d.sub, world.Object{"planId": d.plans[to]})
	require.NoError(d.t, err)
	chosen := d.rules.plans[d.plans[to]]
	d.rules.apply(lifecycle.ChangePlan{Plan: &chosen})
	d.same()
}

func (d *double) cancel() {
	d.t.Helper()
	_, err := d.env.Change(d.ctx, http.MethodPost, "/api/subscriptions/"+d.sub+"/cancel", world.Object{"reason": "enough"})
	require.NoError(d.t, err)
	d.rules.apply(lifecycle.Cancel{Reason: "enough"})
	d.same()
}

// same compares everything the API shows. A payment takes a moment of real time, and more than a minute where Temporal
// was too busy for its signal: then the reconciler continues it.
func (d *double) same() {
	d.t.Helper()
	want := d.expected()
	var got []string
	for deadline := time.After(3 * time.Minute); ; pause(d.ctx, 50*time.Millisecond) {
		if got = d.seen(); slices.Equal(want, got) {
			return
		}
		select {
		case <-deadline:
			require.Equal(d.t, strings.Join(want, "\n"), strings.Join(got, "\n"), "at %s", d.rules.now)
			return
		default:
		}
	}
}

// A line for each fact that both sides know.
const (
	subscriptionLine = "subscription %s %d-%d paid %d next %s %d canceled %d"
	invoiceLine      = "invoice %d %s %s total %d credit %d due %d for %d-%d issued %d paid %d"
	attemptLine      = "attempt %d %s at %d"
	eventLine        = "event %s at %d"
)

// expected is the rulebook's side.
func (d *double) expected() []string {
	s := d.rules.state.Subscription
	out := []string{fmt.Sprintf(subscriptionLine,
		s.Status, unix(s.CurrentPeriod.Start), unix(s.CurrentPeriod.End), unix(s.PaidThrough),
		s.NextAction, unix(s.NextActionAt), unix(s.CanceledAt))}
	for i, inv := range d.rules.invoices {
		out = append(out, fmt.Sprintf(invoiceLine,
			i+1, inv.Status, inv.Reason, inv.Total, inv.CreditApplied, inv.AmountDue,
			unix(inv.Period.Start), unix(inv.Period.End), unix(inv.IssuedAt), unix(inv.PaidAt)))
	}
	for _, a := range d.rules.attempts {
		out = append(out, fmt.Sprintf(attemptLine, a.AttemptNumber, a.Status, unix(a.CreatedAt)))
	}
	for _, e := range d.rules.events {
		out = append(out, fmt.Sprintf(eventLine, e.Type(), unix(e.OccurredAt)))
	}
	return out
}

// seen is the API's side.
func (d *double) seen() []string {
	var s world.Object
	require.NoError(d.t, d.env.Get(d.ctx, "/api/subscriptions/"+d.sub, &s))
	out := []string{fmt.Sprintf(subscriptionLine,
		s["status"], whole(s["currentPeriodStart"]), whole(s["currentPeriodEnd"]), whole(s["paidThrough"]),
		s["nextAction"], whole(s["nextActionAt"]), whole(s["canceledAt"]))}
	for i, inv := range d.list("/api/invoices") {
		out = append(out, fmt.Sprintf(invoiceLine,
			i+1, inv["status"], inv["reason"], whole(inv["total"]), whole(inv["creditApplied"]), whole(inv["amountDue"]),
			whole(inv["periodStart"]), whole(inv["periodEnd"]), whole(inv["issuedAt"]), whole(inv["paidAt"])))
	}
	for _, txn := range d.list("/api/payments") {
		out = append(out, fmt.Sprintf(attemptLine, whole(txn["attemptNumber"]), txn["status"], whole(txn["createdAt"])))
	}
	for _, e := range d.list("/api/events") {
		out = append(out, fmt.Sprintf(eventLine, e["type"], whole(e["created"])))
	}
	return out
}

// list is everything of the subscription, oldest first.
func (d *double) list(path string) []world.Object {
	all, err := d.env.All(d.ctx, path+"?subscriptionId="+d.sub)
	require.NoError(d.t, err)
	slices.Reverse(all)
	return all
}

func whole(v any) int64 {
	f, _ := v.(float64) // JSON has no other numbers; absent is zero
	return int64(f)
}

func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

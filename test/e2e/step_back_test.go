package e2e

import (
	"context"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit"
	"perennial/test/e2e/check"
	"perennial/test/e2e/world"
)

// earlierBuilds are what TestStepBack_ToThePreviousBuild steps back to: the last commit before drafts of subscriptions,
// which knows pauses, dated changes and grants. They are compiled from the repository's history, which takes minutes,
// so that only `make soak` does it; TestReconcile_FindsDatesThatNothingWaitsFor writes by hand what they leave behind.
var earlierBuilds = []string{"d051983a"}

// TestStepBack_ToThePreviousBuild: a new build has made drafts, pauses, dated changes and grants. The build before
// replaces it and takes commands, until every date has passed; then the new one comes back. Nothing is lost, nothing
// waits for a renewal, and every payer is charged once.
func TestStepBack_ToThePreviousBuild(t *testing.T) {
	t.Parallel()
	for _, commit := range earlierBuilds[:testkit.Scale(0, len(earlierBuilds))] {
		t.Run(commit, func(t *testing.T) {
			t.Parallel()
			stepBack(t, world.Earlier(t, commit))
		})
	}
}

func stepBack(t *testing.T, earlier string) {
	t.Helper()
	w := world.New(t, world.Config{})
	before := w.ServiceOf(t, earlier, "before")
	w.Service.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*settled)
	defer cancel()
	d := &drill{t: t, w: w, ctx: ctx, env: w.Environments[0]}
	d.change(http.MethodPatch, "/api/settings", world.Object{"invoiceGraceMinutes": 1})
	weekly := d.create("/api/plans", week(1900))
	dearer := d.create("/api/plans", week(2900))

	renewal := time.Now().Add(20 * time.Second)
	date := renewal.Add(90 * time.Second)
	drafted, ended, canceled := d.subscribe(weekly, renewal), d.subscribe(weekly, renewal), d.subscribe(weekly, renewal)
	paused, dated := d.subscribe(weekly, time.Time{}), d.subscribe(weekly, time.Time{})
	granted := d.create("/api/customers", card("pm_card_visa"))
	grant := d.create("/api/customers/"+granted+"/credit-grants", world.Object{
		"currency": "EUR", "amount": 500, "expiresAt": date.Unix(),
	})
	d.until("all first periods are paid", "select count(*) = 5 from invoices where status = 'paid'")
	d.change(http.MethodPost, "/api/subscriptions/"+paused+"/pause", world.Object{"resumesAt": date.Unix()})
	d.change(http.MethodPatch, "/api/subscriptions/"+dated, world.Object{"planId": dearer, "effectiveAt": date.Unix()})
	d.until("the renewals are drafts", "select count(*) = 3 from invoices where status = 'draft'")

	d.stop(w.Service)
	before.Start(t, "WORKER_MAKE_CURRENT=true")
	require.True(t, before.Running(), "the earlier build runs on the tables of this one")
	d.change(http.MethodPost, "/api/subscriptions/"+ended+"/cancel",
		world.Object{"reason": "enough", "immediateEffect": true})
	d.change(http.MethodPost, "/api/subscriptions/"+canceled+"/cancel", world.Object{"reason": "enough"})
	d.until("all dates have passed",
		`select now() > greatest(max(finalizes_at), to_timestamp($1)) + interval '65 s' from invoices`,
		date.Unix())
	d.until("the earlier build issues no draft", "select count(*) = 3 from invoices where status = 'draft'")
	report, err := w.Doctor(t, "e2e")
	require.Error(t, err, report)
	require.Contains(t, report, "finalize_invoice")

	d.stop(before)
	w.Service.Start(t, "WORKER_MAKE_CURRENT=true")
	began := time.Now()
	d.until("all invoices are paid", "select not exists (select from invoices where status <> 'paid')")
	d.until("nothing is overlooked", "select not exists (select from overlooked_dates)")
	d.until("the grant has ended", "select remaining = 0 from credit_grants where id = $1", grant)
	d.until("the pause has ended", "select status = 'active' from subscriptions where id = $1", paused)
	d.until("the change is made", "select plan_id = $2 from subscriptions where id = $1", dated, dearer)
	t.Logf("all was done %s after the step forward", time.Since(began).Round(time.Second))
	require.Less(t, time.Since(began), 2*promised)
	for _, sub := range []string{drafted, ended, canceled} {
		d.until("the renewal is charged", `select count(*) = 2 from transactions
			where subscription_id = $1 and type = 'charge' and status = 'success'`, sub)
	}
	report, _ = w.Doctor(t, "e2e")
	require.Contains(t, report, "nothing waits for a date that has passed")
	check.AtRest(t, w, settled)
	check.Sound(t, w)
}

// drill is one environment, with commands that must succeed and rows that must come.
type drill struct {
	t   *testing.T
	w   *world.World
	ctx context.Context //nolint:containedctx // it is the test's
	env *world.Environment
}

func week(amount int) world.Object {
	p := monthly(amount)
	p["interval"] = "week"
	return p
}

func (d *drill) create(path string, body world.Object) string {
	d.t.Helper()
	id, err := d.env.Create(d.ctx, path, body)
	require.NoError(d.t, err)
	return id
}

func (d *drill) change(method, path string, body world.Object) {
	d.t.Helper()
	_, err := d.env.Change(d.ctx, method, path, body)
	require.NoError(d.t, err)
}

// subscribe begins a subscription now, or so long ago that it renews at renewal.
func (d *drill) subscribe(plan string, renewal time.Time) string {
	d.t.Helper()
	body := world.Object{"customerId": d.create("/api/customers", card("pm_card_visa")), "planId": plan, "trialDays": 0}
	if !renewal.IsZero() {
		body["startsAt"] = renewal.AddDate(0, 0, -7).Unix()
	}
	return d.create("/api/subscriptions", body)
}

// stop ends a process as an update does.
func (d *drill) stop(p *world.Program) {
	d.t.Helper()
	p.Signal(d.t, syscall.SIGTERM)
	<-p.Done()
}

// until waits for a query to say so.
func (d *drill) until(what, query string, args ...any) {
	d.t.Helper()
	for ok := false; !ok; pause(d.ctx, 200*time.Millisecond) {
		require.NoError(d.t, d.ctx.Err(), what)
		require.NoError(d.t, d.w.Pool.QueryRow(d.ctx, query, args...).Scan(&ok), what)
	}
}

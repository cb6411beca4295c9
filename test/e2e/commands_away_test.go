package e2e

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/test/e2e/check"
	"perennial/test/e2e/load"
	"perennial/test/e2e/world"
)

const (
	// away is the time for which Temporal is away: longer than the reconciler leaves commands to their own signals.
	away = 32 * time.Second
	// actedOnWithin is the time that commands may wait for workflows when Temporal is back.
	actedOnWithin = 30 * time.Second
)

// TestCommands_WhileTemporalIsAway gives every kind of command to subscriptions without an engine, with the settings of
// production: each is performed and answered at once, and acted on soon after Temporal's return.
func TestCommands_WhileTemporalIsAway(t *testing.T) {
	t.Parallel()
	server := temporal(t)
	w := world.New(t, world.Config{Temporal: server, Env: []string{"RECONCILE_EVERY=30s", "BOOTSTRAP_EVERY=15s"}})
	w.Service.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), settled)
	defer cancel()
	c := &commander{t: t, w: w, env: w.Environments[0]}
	c.prepare(ctx)

	require.NoError(t, server.Kill())
	began := time.Now()
	c.commandAll(ctx)
	pause(ctx, away-time.Since(began))
	waiting := count(t, w, "select count(*) from subscriptions where wake_pending_since is not null")
	require.Equal(t, 3, waiting, "cancel, change of plan, new payment method; a cancel at the end of the period leaves "+
		"the workflow nothing to do before then")
	require.NoError(t, server.Restart(ctx))

	back := time.Now()
	for c.unattended() > 0 {
		require.Less(t, time.Since(back), actedOnWithin, "commands that no workflow has acted on yet")
		pause(ctx, 100*time.Millisecond)
	}
	t.Logf("all was acted on %s after Temporal's return", time.Since(back).Round(100*time.Millisecond))
	require.Equal(t, 1, w.Service.Starts())
	load.PayAll(t, c.env, settled)
	check.AtRest(t, w, settled)
	check.Sound(t, w)
}

// commander owns four subscriptions, one for each kind of command.
type commander struct {
	t   *testing.T
	w   *world.World
	env *world.Environment

	plan, dearer                      string
	canceled, upgraded, unpaid, ended string // subscriptions
	debtor                            string // the customer of the unpaid one
}

func (c *commander) prepare(ctx context.Context) {
	c.plan, c.dearer = c.create(ctx, "/api/plans", monthly(1000)), c.create(ctx, "/api/plans", monthly(3000))
	_, c.canceled = c.subscribe(ctx, "pm_card_visa")
	_, c.upgraded = c.subscribe(ctx, "pm_card_visa")
	c.debtor, c.unpaid = c.subscribe(ctx, "pm_card_chargeCustomerFail")
	_, c.ended = c.subscribe(ctx, "pm_card_visa")
	for count(c.t, c.w, "select count(*) from transactions where status in ('success', 'declined')") < 4 {
		require.NoError(c.t, ctx.Err(), "the first payments are not decided")
		pause(ctx, 50*time.Millisecond)
	}
	check.AtRest(c.t, c.w, settled)
}

func (c *commander) subscribe(ctx context.Context, token string) (customer, sub string) {
	customer = c.create(ctx, "/api/customers", card(token))
	return customer, c.create(ctx, "/api/subscriptions",
		world.Object{"customerId": customer, "planId": c.plan, "trialDays": 0})
}

func (c *commander) create(ctx context.Context, path string, body world.Object) string {
	id, err := c.env.Create(ctx, path, body)
	require.NoError(c.t, err)
	return id
}

// commandAll sends the commands of each subscription in order, those of different ones at the same time.
func (c *commander) commandAll(ctx context.Context) {
	method := card("pm_card_visa")
	details := world.Object{"paymentMethod": method["paymentMethod"], "paymentDetails": method["paymentDetails"]}
	var all sync.WaitGroup
	all.Go(func() {
		c.post(ctx, "/api/subscriptions/"+c.canceled+"/cancel", world.Object{"immediateEffect": true, "refund": "prorated"})
	})
	all.Go(func() {
		c.change(ctx, http.MethodPatch, "/api/subscriptions/"+c.upgraded, world.Object{"planId": c.dearer})
	})
	all.Go(func() { c.change(ctx, http.MethodPatch, "/api/customers/"+c.debtor, details) })
	all.Go(func() {
		c.post(ctx, "/api/subscriptions/"+c.ended+"/cancel", nil)
		c.post(ctx, "/api/subscriptions/"+c.ended+"/reactivate", nil)
		c.post(ctx, "/api/subscriptions/"+c.ended+"/cancel", nil)
	})
	all.Go(func() {
		c.post(ctx, "/api/payments", world.Object{"customerId": c.debtor, "amount": 500, "currency": "EUR"})
	})
	all.Wait()
}

func (c *commander) post(ctx context.Context, path string, body world.Object) {
	c.change(ctx, http.MethodPost, path, body)
}

// change is sent once: a command is performed, or the test fails.
func (c *commander) change(ctx context.Context, method, path string, body world.Object) {
	if body == nil {
		body = world.Object{}
	}
	a, err := c.env.Try(ctx, method, path, world.Key(), body)
	if err != nil || a.Status >= http.StatusMultipleChoices || a.Took > 10*time.Second {
		c.t.Errorf("a command while Temporal is away: %v %s", err, a)
	}
}

// unattended counts what waits for a workflow.
func (c *commander) unattended() int {
	return count(c.t, c.w, `select (select count(*) from subscriptions where wake_pending_since is not null)
		+ (select count(*) from subscriptions where status = 'canceled' and finished_at is null)
		+ (select count(*) from transactions where status = 'pending')`)
}

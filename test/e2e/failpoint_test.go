package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/failpoint"
	"perennial/internal/testkit"
	"perennial/internal/testkit/receiver"
	"perennial/test/e2e/check"
	"perennial/test/e2e/load"
	"perennial/test/e2e/world"
)

// settled is the time that an installation may need to come to rest after its last start: the activities of a killed
// worker are repeated after ten seconds, work without a signal is found after a minute, and a payment without an answer
// is polled with growing gaps. A machine that runs a dozen installations at once needs its time, too.
var settled = time.Duration(testkit.Scale(5, 10)) * time.Minute

// crash is one way to a failpoint: the actions until the process has died there.
type crash struct {
	at   failpoint.Name
	pass int // it dies at this pass
	what string
	do   func(v *victim, ctx context.Context) error
}

// victim is the customer of one crash.
type victim struct {
	*load.Actor
	env   *world.Environment
	plan  string
	other string
}

// crashes visit every failpoint, the ones of a renewal in each phase of a subscription's life.
func crashes() []crash {
	return []crash{
		{failpoint.CreateCommitted, 1, "create", (*victim).buy},
		{failpoint.RenewBegun, 1, "begin", (*victim).buy},
		{failpoint.RenewCommitted, 1, "begin", (*victim).buy},
		{failpoint.ChargeMarked, 1, "begin", (*victim).buy},
		{failpoint.ChargeAnswered, 1, "begin", (*victim).buy},
		{failpoint.ChargeRecorded, 1, "begin", (*victim).buy},
		{failpoint.RenewBegun, 2, "renewal", (*victim).renew},
		{failpoint.RenewCommitted, 2, "renewal", (*victim).renew},
		{failpoint.ChargeMarked, 2, "renewal", (*victim).renew},
		{failpoint.ChargeAnswered, 3, "renewal", (*victim).renew},
		{failpoint.ChargeRecorded, 2, "renewal", (*victim).renew},
		{failpoint.RenewCommitted, 2, "retry", (*victim).fail},
		{failpoint.ChargeAnswered, 3, "retry", (*victim).fail},
		{failpoint.CommandCommitted, 1, "cancel", (*victim).cancel},
		{failpoint.CommandCommitted, 1, "change of plan", (*victim).upgrade},
		{failpoint.DebtCanceled, 1, "overdue", (*victim).owe},
		{failpoint.RefundAnswered, 1, "refund", (*victim).cancel},
		{failpoint.ChargeMarked, 1, "payment of its own", (*victim).pay},
		{failpoint.CallbackStored, 1, "callback", (*victim).settleLater},
		{failpoint.CallbackSignalled, 1, "callback", (*victim).settleLater},
		{failpoint.DeliveryOwed, 1, "create", (*victim).buy},
		{failpoint.AttemptStarted, 1, "webhook", (*victim).buy},
		{failpoint.AttemptAnswered, 1, "webhook", (*victim).buy},
		{failpoint.AttemptRecorded, 1, "webhook", (*victim).buy},
	}
}

// TestCrashAtEachFailpoint kills the process at every named place in turn, restarts it, and looks at the end whether
// anything was lost or done twice.
func TestCrashAtEachFailpoint(t *testing.T) {
	t.Parallel()
	seed := testkit.Seed(t)
	for round := range testkit.Scale(1, 4) {
		t.Run(fmt.Sprint("round ", round), func(t *testing.T) {
			t.Parallel()
			tour(t, seed+uint64(round), round)
		})
	}
}

func tour(t *testing.T, seed uint64, round int) {
	t.Helper()
	w := world.New(t, world.Config{Env: world.AllowLocalReceivers})
	env, inbox := w.Environments[0], receiver.New(t)
	w.Endpoint(t, env, inbox.Endpoint("/"))
	w.Service.Start(t)
	crowd := load.New(t, env, seed, "pm_card_visa")
	victims := &stage{w: w, env: env, crowd: crowd}
	victims.plans(t)
	w.Service.Kill(t)

	todo := crashes()
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test's seed
	random.Shuffle(len(todo), func(i, j int) { todo[i], todo[j] = todo[j], todo[i] })
	visited := map[failpoint.Name]bool{}
	for i, c := range todo {
		c.pass += round
		victims.crash(t, i, c)
		visited[c.at] = true
	}
	victims.crashWhileReconciling(t)
	visited[failpoint.ReconcileStarted] = true
	require.Len(t, visited, len(failpoint.Names()), "every failpoint is visited")

	w.Service.Start(t)
	crowd.Wait(t)
	load.MendCards(t, w)
	load.PayAll(t, env, settled)
	check.AtRest(t, w, settled)
	check.Sound(t, w)
	check.Webhooks(t, w, inbox, settled)
	require.Equal(t, len(todo)+4, w.Service.Starts())
}

// stage is the installation in which the crashes of one tour happen.
type stage struct {
	w           *world.World
	env         *world.Environment
	crowd       *load.Load
	plan, other string
}

func (s *stage) plans(t *testing.T) {
	t.Helper()
	for amount, id := range map[int]*string{1000: &s.plan, 3000: &s.other} {
		made, err := s.env.Create(t.Context(), "/api/plans",
			world.Object{"name": "P", "currency": "EUR", "interval": "month", "amount": amount})
		require.NoError(t, err)
		*id = made
	}
}

// crash starts the service with the failpoint armed, lets customers do what leads there until it has died, and makes
// sure that it died there.
func (s *stage) crash(t *testing.T, n int, c crash) {
	t.Helper()
	hits := filepath.Join(s.w.Dir, fmt.Sprintf("hits-%02d-%s", n, c.at))
	s.w.Service.Start(t, fmt.Sprintf("%s=%s:%d", failpoint.EnvSpec, c.at, c.pass), failpoint.EnvLog+"="+hits)
	ctx, cancel := context.WithTimeout(t.Context(), settled)
	t.Cleanup(cancel)
	for range c.pass {
		s.crowd.Run(ctx, 1, func(ctx context.Context, a *load.Actor) error {
			return c.do(&victim{Actor: a, env: s.env, plan: s.plan, other: s.other}, ctx)
		})
	}
	s.requireDeath(t, c.at, hits, c.what)
}

func (s *stage) requireDeath(t *testing.T, at failpoint.Name, hits, what string) {
	t.Helper()
	select {
	case <-s.w.Service.Done():
	case <-time.After(2 * time.Minute):
		require.FailNow(t, "the failpoint is not reached", "%s by %s", at, what)
	}
	require.True(t, s.w.Service.Killed(), "%s by %s: it ended in another way", at, what)
	raw, err := os.ReadFile(hits)
	require.NoError(t, err, "%s by %s", at, what)
	require.Equal(t, string(at), strings.TrimSpace(string(raw)))
}

// crashWhileReconciling leaves a subscription for the reconciler: its creator dies before it starts the workflow.
func (s *stage) crashWhileReconciling(t *testing.T) {
	t.Helper()
	s.crash(t, 90, crash{failpoint.CreateCommitted, 1, "create", (*victim).buy})
	hits := filepath.Join(s.w.Dir, "hits-91-reconcile")
	s.w.Service.Start(t, fmt.Sprintf("%s=%s:1", failpoint.EnvSpec, failpoint.ReconcileStarted), failpoint.EnvLog+"="+hits)
	s.requireDeath(t, failpoint.ReconcileStarted, hits, "reconciling")
}

// buy subscribes in real time: the first invoice is collected at once.
func (v *victim) buy(ctx context.Context) error {
	_, err := v.subscribed(ctx, "pm_card_visa")
	return err
}

func (v *victim) subscribed(ctx context.Context, card string) (sub string, err error) {
	customer, err := v.Customer(ctx, card, "")
	if err != nil {
		return "", err
	}
	return v.Subscribe(ctx, customer, v.plan, 0)
}

// owe subscribes twice with a card that is declined, under a policy that cancels for it.
func (v *victim) owe(ctx context.Context) error {
	customer, err := v.Customer(ctx, "pm_card_chargeCustomerFail", "")
	if err != nil {
		return err
	}
	ending := world.Object{"name": "ended", "invoices": 2, "access": "deny", "subscriptions": "cancel"}
	if _, err := v.env.Change(ctx, "PATCH", "/api/customers/"+customer,
		world.Object{"overduePolicy": world.Object{"states": []world.Object{ending}}}); err != nil {
		return err
	}
	for range 2 {
		if _, err := v.Subscribe(ctx, customer, v.plan, 0); err != nil {
			return err
		}
	}
	return nil
}

// renew goes through three renewals on a test clock.
func (v *victim) renew(ctx context.Context) error { return v.travel(ctx, "pm_card_visa", 3) }

// fail goes through a period whose payment is tried four times.
func (v *victim) fail(ctx context.Context) error {
	return v.travel(ctx, "pm_card_chargeCustomerFail", 1)
}

func (v *victim) travel(ctx context.Context, card string, months int) error {
	now := time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC)
	clock, err := v.env.Create(ctx, "/api/test-clocks", world.Object{"now": now.Unix()})
	if err != nil {
		return err
	}
	customer, err := v.Customer(ctx, card, clock)
	if err != nil {
		return err
	}
	if _, err := v.Subscribe(ctx, customer, v.plan, 0); err != nil {
		return err
	}
	return load.Advance(ctx, v.env, clock, now.AddDate(0, months, 0))
}

// cancel pays and takes the money back.
func (v *victim) cancel(ctx context.Context) error {
	sub, err := v.paid(ctx)
	if err != nil {
		return err
	}
	_, err = v.env.Change(ctx, http.MethodPost, "/api/subscriptions/"+sub+"/cancel",
		world.Object{"immediateEffect": true, "refund": "prorated"})
	return err
}

func (v *victim) upgrade(ctx context.Context) error {
	sub, err := v.paid(ctx)
	if err != nil {
		return err
	}
	_, err = v.env.Change(ctx, http.MethodPatch, "/api/subscriptions/"+sub, world.Object{"planId": v.other})
	return err
}

// paid is a subscription whose first invoice is paid.
func (v *victim) paid(ctx context.Context) (string, error) {
	sub, err := v.subscribed(ctx, "pm_card_visa")
	if err != nil {
		return "", err
	}
	var now struct {
		PaidThrough int64 `json:"paidThrough"`
	}
	for now.PaidThrough == 0 {
		if err := v.env.Get(ctx, "/api/subscriptions/"+sub, &now); err != nil {
			return "", err
		}
		v.pause(ctx)
	}
	return sub, ctx.Err()
}

func (v *victim) pay(ctx context.Context) error {
	customer, err := v.Customer(ctx, "pm_card_visa", "")
	if err != nil {
		return err
	}
	_, err = v.env.Create(ctx, "/api/payments", world.Object{"customerId": customer, "amount": 700, "currency": "EUR"})
	return err
}

// settleLater buys with a card whose bank decides a second later: only a callback tells.
func (v *victim) settleLater(ctx context.Context) error {
	_, err := v.subscribed(ctx, "pm_sim_pending_1s_succeed")
	return err
}

func (v *victim) pause(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(50 * time.Millisecond):
	}
}

package e2e

import (
	"context"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/internal/devstack"
	"perennial/internal/testkit"
	"perennial/internal/testkit/rule"
	"perennial/providers/simulator/core"
	"perennial/test/e2e/check"
	"perennial/test/e2e/load"
	"perennial/test/e2e/world"
)

// TestPostgresIsRestored_NothingIsCapturedTwice loses a window of PostgreSQL in which the provider captured first
// charges, renewals and retries. Keys follow from derived ids, so that each repeat finds its first result (ADR 21).
func TestPostgresIsRestored_NothingIsCapturedTwice(t *testing.T) {
	t.Parallel()
	t.Run("with Temporal's database deleted", func(t *testing.T) {
		t.Parallel()
		restored(t, loss{clocks: true, temporal: temporal(t)})
	})
	if testkit.Scale(0, 1) == 0 {
		return // each is a minute of a machine
	}
	t.Run("with the same Temporal", func(t *testing.T) {
		t.Parallel()
		restored(t, loss{clocks: true})
	})
	// The simulator forgets its keys, and our replay window is so short that every repeat comes late: it must ask
	// first. Test clocks stay out: their repeated work is due when it is done, and so never late.
	t.Run("after the provider forgot its keys", func(t *testing.T) {
		t.Parallel()
		restored(t, loss{windows: world.Windows{Provider: time.Hour, Replay: 6 * time.Second, AbsenceGap: 2 * time.Second}})
	})
}

// loss is one way to come back from a restore.
type loss struct {
	windows  world.Windows      // short ones: the provider forgets its keys meanwhile
	temporal *devstack.Temporal // its database is deleted, too
	clocks   bool
}

const snapshot = "before the loss"

func restored(t *testing.T, l loss) {
	t.Helper()
	server := postgres(t)
	w := world.New(t, world.Config{Postgres: server, Temporal: l.temporal, Windows: l.windows})
	w.Service.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), settled+4*time.Minute)
	defer cancel()
	s := &lossy{t: t, w: w, env: w.Environments[0]}
	s.fresh = s.subscribe(ctx)
	if l.clocks {
		s.onClocks(ctx)
	}
	s.openWindow(ctx)
	s.payNow(ctx)

	require.NoError(t, server.Kill())
	require.NoError(t, server.SaveData(ctx, snapshot))
	require.NoError(t, server.Restart(ctx))
	w.Pool.Reset()
	before := len(s.captures())
	s.due += 2 * len(s.clocks) // two months each
	if l.clocks {
		s.due++ // of a threshold
		s.report(ctx)
		s.advance(ctx)
	}
	s.awaitCaptures(ctx)
	taken := s.captures()
	t.Logf("the provider captured %d payments in the window that is lost, %d before", len(taken)-before, before)
	require.Greater(t, len(taken), before+len(s.fresh), "there is something to lose")

	w.Service.Signal(t, syscall.SIGTERM)
	<-w.Service.Done()
	require.NoError(t, server.Kill())
	require.NoError(t, server.RestoreData(ctx, snapshot))
	if l.temporal != nil {
		require.NoError(t, l.temporal.Kill())
		require.NoError(t, l.temporal.DeleteData())
		require.NoError(t, l.temporal.Restart(ctx))
	}
	if l.windows != (world.Windows{}) {
		pause(ctx, l.windows.Replay)
		w.Simulator.ForgetKeys(t)
	}
	require.NoError(t, server.Restart(ctx))
	w.Pool.Reset()
	w.Service.Start(t)

	if l.clocks {
		s.report(ctx) // again, as docs/operations.md says
		s.advance(ctx)
	}
	check.AtRest(t, w, settled)
	if l.clocks {
		s.requireUsageBilled(ctx)
	}
	rule.Holds(t, func() {
		require.Equal(t, taken, s.captures(), "what the provider captured in the lost window is not captured again")
	})
	check.Sound(t, w)
}

// lossy is an installation that loses a window, with subscriptions that have due work in it.
type lossy struct {
	t   *testing.T
	w   *world.World
	env *world.Environment

	daily     string   // the plan of subscriptions by real time
	fresh     []string // subscriptions that begin in the window
	clocks    []string
	onClock   []string // their subscriptions
	traveller string   // that on the second clock
	start     time.Time
	due       int // captures until everything is paid
}

// subscribe creates subscriptions in their trials, by cards that pay in three ways.
func (s *lossy) subscribe(ctx context.Context) (subs []string) {
	if s.daily == "" {
		var err error
		s.daily, err = s.env.Create(ctx, "/api/plans",
			world.Object{"name": "Daily", "currency": "EUR", "interval": "day", "amount": 700})
		require.NoError(s.t, err)
	}
	cards := []string{"pm_card_visa", "pm_sim_slow_800", "pm_sim_pending_1s_succeed"}
	for i := range testkit.Scale(6, 100) {
		customer, err := s.env.Create(ctx, "/api/customers", card(cards[i%len(cards)]))
		require.NoError(s.t, err)
		sub, err := s.env.Create(ctx, "/api/subscriptions",
			world.Object{"customerId": customer, "planId": s.daily, "trialDays": 14})
		require.NoError(s.t, err)
		subs = append(subs, sub)
	}
	return subs
}

// openWindow returns shortly before renewals and first charges are due: the renewals of subscriptions that have paid
// their first period by then. A machine that is too slow for that pays the renewals too, and gets twice the time for
// the next ones.
func (s *lossy) openWindow(ctx context.Context) {
	const before = 5 * time.Second
	for wait := time.Duration(testkit.Scale(20, 120)) * time.Second; ; wait *= 2 {
		renewed, opens := s.subscribe(ctx), time.Now().Add(wait)
		s.endTrial(ctx, renewed, opens.AddDate(0, 0, -1)) // a day ago: they have a period to pay at once
		s.due += len(renewed)
		s.awaitPaid(ctx)
		if time.Until(opens) < before {
			s.due += len(renewed)
			s.awaitPaid(ctx)
			continue
		}
		pause(ctx, time.Until(opens)-before)
		s.endTrial(ctx, s.fresh, opens)
		s.due += len(renewed) + len(s.fresh)
		return
	}
}

// awaitPaid waits until everything that is due is captured, and we know it.
func (s *lossy) awaitPaid(ctx context.Context) {
	s.awaitCaptures(ctx)
	for count(s.t, s.w, "select count(*) from transactions where status = 'success'") < s.due {
		require.NoError(s.t, ctx.Err())
		pause(ctx, 100*time.Millisecond)
	}
}

// endTrial sets another end of the trial: a real one would take too long.
func (s *lossy) endTrial(ctx context.Context, subs []string, at time.Time) {
	redate(ctx, s.t, s.w, subs, `trial_ends_at = $2, current_period_end = $2, anchor_at = $2,
		trial_notice_at = $2::timestamptz - interval '3 days', next_action_at = $2::timestamptz - interval '3 days',
		current_period_start = $2::timestamptz - interval '14 days'`, at)
}

// redate writes other dates of subscriptions, in whole seconds, and has them looked at: real ones would take too long.
func redate(ctx context.Context, t *testing.T, w *world.World, subs []string, set string, at time.Time) {
	t.Helper()
	conn, err := pgx.Connect(ctx, w.Pool.Config().ConnString())
	require.NoError(t, err)
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "update subscriptions set "+set+`, revision = revision + 1,
		wake_pending_since = now() - interval '1 minute' where id = any($1)`, subs, at.UTC().Truncate(time.Second))
	require.NoError(t, err)
}

// onClocks prepares two subscriptions on test clocks: one that renews, and one whose first attempt of a renewal fails.
func (s *lossy) onClocks(ctx context.Context) {
	s.start = time.Date(2027, 3, 31, 9, 0, 0, 0, time.UTC)
	plan := meteredPlan(s.t, s.env)
	for range 2 {
		clock, sub := onClock(ctx, s.t, s.env, plan, s.start)
		require.NoError(s.t, load.Advance(ctx, s.env, clock, s.start.AddDate(0, 0, 1)))
		s.clocks, s.onClock, s.traveller = append(s.clocks, clock), append(s.onClock, sub), sub
	}
	var sub struct {
		CustomerID string `json:"customerId"`
	}
	require.NoError(s.t, s.env.Get(ctx, "/api/subscriptions/"+s.traveller, &sub))
	in := card(failing)
	_, err := s.env.Change(ctx, http.MethodPatch, "/api/customers/"+sub.CustomerID,
		world.Object{"paymentMethod": in["paymentMethod"], "paymentDetails": in["paymentDetails"]})
	require.NoError(s.t, err)
	s.due += 2 // the first of each
}

// failing is a card that is declined, until a script changes it.
const failing = "pm_card_chargeCustomerFail"

// payNow leaves charges without an answer when the copy is made.
func (s *lossy) payNow(ctx context.Context) {
	for _, token := range []string{"pm_card_visa", "pm_sim_slow_3000", "pm_sim_hang"} {
		customer, err := s.env.Create(ctx, "/api/customers", card(token))
		require.NoError(s.t, err)
		_, err = s.env.Create(ctx, "/api/payments", world.Object{"customerId": customer, "amount": 500, "currency": "EUR"})
		require.NoError(s.t, err)
		s.due++
	}
}

// advance moves the clocks by two months: into the decline, and through the retry that pays with the card that is good
// from then on. Done again after the restore, the first attempt must be declined again: that is how its key is
// answered.
func (s *lossy) advance(ctx context.Context) {
	require.NoError(s.t, load.Advance(ctx, s.env, s.clocks[0], s.start.AddDate(0, 2, 0)))
	require.NoError(s.t, load.Advance(ctx, s.env, s.clocks[1], s.start.AddDate(0, 1, 0)))
	s.w.Simulator.Script(s.t, failing, "pm_card_visa")
	require.NoError(s.t, load.Advance(ctx, s.env, s.clocks[1], s.start.AddDate(0, 2, 0)))
}

// awaitCaptures waits until everything that is due is captured.
func (s *lossy) awaitCaptures(ctx context.Context) {
	for len(s.captures()) < s.due {
		require.NoError(s.t, ctx.Err(), "%d of %d captures", len(s.captures()), s.due)
		pause(ctx, 200*time.Millisecond)
	}
}

// captures are the payments that the provider captured, in its order.
func (s *lossy) captures() (out []core.Movement) {
	for _, m := range s.w.Simulator.Ledger(s.t) {
		if m.Kind == "capture" {
			out = append(out, m)
		}
	}
	return out
}

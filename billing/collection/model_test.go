package collection_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/collection"
	"perennial/billing/retry"
)

// world plays one invoice's collection: the attempts that the machine started, the possible answers of providers, and
// the invariants of the machine.
type world struct {
	state    collection.State
	terms    collection.Terms
	boundary time.Time
	now      time.Time

	blocked   bool // an automatic attempt failed with a code that is not retried
	live      bool
	closed    int // attempts that failed or were canceled: each may still succeed late
	automatic int
	settled   int
	captured  int
	refunded  int
	exhausted int
	gap       time.Duration // the last one between an automatic failure and its retry
}

const blocked = "ACCOUNT_BLOCKED"

func newWorld(t *rapid.T) *world {
	policy := retry.Default()
	policy.Rules = []retry.Rule{{Code: blocked, Never: true}}
	return &world{
		state:    collection.State{Phase: collection.Waiting},
		terms:    collection.Terms{Retry: policy},
		boundary: now.AddDate(0, 0, rapid.IntRange(1, 31).Draw(t, "boundary in days")),
		now:      now,
	}
}

// give feeds one input and checks the new state against the states that may follow the last one.
func (w *world) give(t *rapid.T, kind collection.Kind) (collection.Effect, error) {
	return w.giveOf(t, kind, "")
}

func (w *world) giveOf(t *rapid.T, kind collection.Kind, code string) (collection.Effect, error) {
	before := w.state
	in := collection.Input{Kind: kind, Now: w.now, Boundary: w.boundary, Seed: "in_1", Code: code}
	state, effect, err := collection.Next(before, in, w.terms)
	if err != nil {
		require.Equal(t, before, state, "a refusal changed the state")
		require.Equal(t, collection.None, effect)
		require.Contains(t, []collection.Kind{collection.Pay, collection.SkipRetry, collection.Void}, kind,
			"only commands are refused")
		return effect, err
	}
	if before.Phase == collection.Settled {
		require.Equal(t, before, state, "settled is final")
	}
	if kind == collection.Begin || kind == collection.RetryDue {
		require.False(t, before.Phase == collection.Charging && state != before, "a timer left charging")
	}
	w.state = state
	w.follow(t, before, effect)
	require.Equal(t, w.live, w.state.Phase == collection.Charging, "charging means that one attempt is live")
	return effect, nil
}

func (w *world) follow(t *rapid.T, before collection.State, effect collection.Effect) {
	switch effect {
	case collection.StartAttempt:
		require.False(t, w.live, "two live attempts")
		w.live = true
		if w.state.Trigger == collection.Automatic {
			w.automatic++
			require.False(t, w.terms.Stopped, "an automatic attempt after the cancel")
			require.False(t, before.RetryAt.After(w.now), "an automatic attempt before its time")
		}
		require.LessOrEqual(t, w.automatic, 4)
	case collection.Settle:
		w.settled++
		w.live = false // the caller cancels it; a capture of it is a further success
		require.Equal(t, 1, w.settled, "settled twice")
	case collection.RefundExtra:
		w.refunded++
	case collection.Exhaust:
		w.exhausted++
		if !w.blocked {
			require.Equal(t, 4, w.automatic+w.state.Skipped, "past due before one attempt and three retries")
		}
		require.Equal(t, 1, w.exhausted, "exhausted twice")
	case collection.CancelAttempt:
		if w.state.Phase == collection.Closed { // void: the attempt is not awaited, but may still succeed late
			w.live = false
			w.closed++
		}
	case collection.None:
	}
}

func (w *world) fail(t *rapid.T, kind collection.Kind) { w.failOf(t, kind, "") }

func (w *world) failOf(t *rapid.T, kind collection.Kind, code string) {
	if !w.live {
		return
	}
	w.live = false
	w.closed++
	before := w.state
	w.blocked = w.blocked || code == blocked && before.Trigger == collection.Automatic
	_, err := w.giveOf(t, kind, code)
	require.NoError(t, err)
	if before.Trigger == collection.Manual {
		if !w.terms.Stopped {
			require.Equal(t, before.RetryAt, w.state.RetryAt, "a manual attempt moved the schedule")
		}
		return
	}
	if w.state.Phase == collection.Scheduled {
		gap := w.state.RetryAt.Sub(w.now)
		require.Greater(t, gap, w.gap, "gaps grow")
		w.gap = gap
		if due := w.now.Add(w.terms.Retry.Gap(w.state.Automatic + w.state.Skipped)); due.Before(w.boundary) {
			require.True(t, w.state.RetryAt.Before(w.boundary), "jitter crossed the period's end")
		}
	}
}

func (w *world) succeed(t *rapid.T) {
	w.captured++
	effect, err := w.give(t, collection.AttemptSucceeded)
	require.NoError(t, err)
	require.Contains(t, []collection.Effect{collection.Settle, collection.RefundExtra}, effect)
	require.Equal(t, w.captured, w.settled+w.refunded, "a capture that neither counts nor goes back")
}

// mayPay reports whether a command must be able to start an attempt.
func (w *world) mayPay() bool {
	switch w.state.Phase {
	case collection.Scheduled, collection.Exhausted, collection.Closed:
		return !w.terms.Voided
	default:
		return false
	}
}

func (w *world) actions() map[string]func(*rapid.T) {
	occurrence := func(kind collection.Kind) func(*rapid.T) {
		return func(t *rapid.T) {
			_, err := w.give(t, kind)
			require.NoError(t, err)
		}
	}
	return map[string]func(*rapid.T){
		"time passes": func(t *rapid.T) {
			w.now = w.now.Add(time.Duration(rapid.IntRange(1, 60).Draw(t, "hours")) * time.Hour)
			for !w.boundary.After(w.now) {
				w.boundary = w.boundary.AddDate(0, 1, 0)
			}
		},
		"begin":      occurrence(collection.Begin),
		"retry due":  occurrence(collection.RetryDue),
		"new method": occurrence(collection.MethodChanged),
		"fails":      func(t *rapid.T) { w.fail(t, collection.AttemptFailed) },
		"fails too":  func(t *rapid.T) { w.fail(t, collection.AttemptFailed) }, // so that most runs last
		"canceled":   func(t *rapid.T) { w.fail(t, collection.AttemptCanceled) },
		"skip": func(t *rapid.T) {
			before := w.state
			_, err := w.give(t, collection.SkipRetry)
			require.Equal(t, before.Phase == collection.Scheduled && !w.terms.Stopped, err == nil)
			if err == nil && w.state.Phase == collection.Scheduled {
				require.True(t, w.state.RetryAt.After(before.RetryAt), "the retry after a skipped one is later")
			}
		},
		"pay": func(t *rapid.T) {
			may := w.mayPay()
			_, err := w.give(t, collection.Pay)
			require.Equal(t, may, err == nil)
		},
	}
}

// rare adds what ends a collection.
func (w *world) rare(actions map[string]func(*rapid.T)) map[string]func(*rapid.T) {
	actions["live succeeds"] = func(t *rapid.T) {
		if w.live {
			w.live = false
			w.succeed(t)
		}
	}
	actions["late success"] = func(t *rapid.T) {
		if w.closed > 0 {
			w.closed--
			w.succeed(t)
		}
	}
	actions["fails, blocked"] = func(t *rapid.T) { w.failOf(t, collection.AttemptFailed, blocked) }
	actions["stop"] = func(t *rapid.T) {
		w.terms.Stopped = true
		_, err := w.give(t, collection.Stop)
		require.NoError(t, err)
	}
	actions["void"] = func(t *rapid.T) {
		if _, err := w.give(t, collection.Void); err == nil {
			w.terms.Voided = true
		}
	}
	return actions
}

func TestNext_MoneyCountsOnceInAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		t.Repeat(w.rare(w.actions()))
	})
}

// Whatever happens in between, as long as nothing ends the collection, it takes exactly one automatic attempt and three
// retries to exhaust it.
func TestNext_OneAttemptAndThreeRetries(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		t.Repeat(w.actions())
		for step := 0; w.exhausted == 0; step++ {
			require.Less(t, step, 30, "stuck in %s", w.state.Phase)
			switch w.state.Phase {
			case collection.Waiting:
				_, _ = w.give(t, collection.Begin)
			case collection.Charging:
				w.fail(t, collection.AttemptFailed)
			case collection.Scheduled:
				w.now = w.now.Add(max(w.state.RetryAt.Sub(w.now), 0))
				_, _ = w.give(t, collection.RetryDue)
			case collection.Exhausted, collection.Settled, collection.Closed:
				t.Fatalf("%s without a word", w.state.Phase)
			}
		}
		require.Equal(t, 4, w.automatic+w.state.Skipped)
	})
}

// A failure that is not retried exhausts the collection at once; one of a manual attempt leaves the schedule alone.
func TestNext_FailureCodeEndsRetries(t *testing.T) {
	t.Parallel()
	terms := collection.Terms{Retry: retry.Default()}
	terms.Retry.Rules = []retry.Rule{{Code: blocked, Never: true}}
	failed := collection.Input{Kind: collection.AttemptFailed, Now: now, Code: blocked}
	for trigger, want := range map[collection.Trigger]collection.State{
		collection.Automatic: {Phase: collection.Exhausted, Automatic: 1, Attempts: 1},
		collection.Manual:    {Phase: collection.Scheduled, Automatic: 1, Attempts: 1, RetryAt: now},
	} {
		live := collection.State{Phase: collection.Charging, Trigger: trigger, Automatic: 1, Attempts: 1}
		if trigger == collection.Manual {
			live.RetryAt = now
		}
		s, effect, err := collection.Next(live, failed, terms)
		require.NoError(t, err)
		require.Equal(t, want, s)
		require.Equal(t, trigger == collection.Automatic, effect == collection.Exhaust)
	}
}

// While past due nothing is scheduled: the first automatic failure is the last.
func TestNext_PastDueSchedulesNothing(t *testing.T) {
	t.Parallel()
	terms := collection.Terms{Retry: retry.Default(), NoRetry: true}
	s, _, err := collection.Next(collection.State{Phase: collection.Waiting},
		collection.Input{Kind: collection.Begin, Now: now}, terms)
	require.NoError(t, err)

	s, effect, err := collection.Next(s, collection.Input{Kind: collection.AttemptFailed, Now: now}, terms)

	require.NoError(t, err)
	require.Equal(t, collection.Exhaust, effect)
	require.Equal(t, collection.State{Phase: collection.Exhausted, Automatic: 1, Attempts: 1}, s)
}

// A retry asks another method than the attempt before it, and a failure code of that one neither ends nor moves it.
func TestNext_RetriesTakeTurns(t *testing.T) {
	t.Parallel()
	terms := collection.Terms{Retry: retry.Default(), Methods: 2}
	terms.Retry.MaxJitter = 0
	terms.Retry.Rules = []retry.Rule{{Code: blocked, Never: true}}
	s, at, turns := collection.State{Phase: collection.Waiting}, now, []int{}
	for _, kind := range []collection.Kind{collection.Begin, collection.RetryDue, collection.RetryDue, collection.RetryDue} {
		var effect collection.Effect
		var err error
		s, effect, err = collection.Next(s, collection.Input{Kind: kind, Now: at}, terms)
		require.NoError(t, err)
		require.Equal(t, collection.StartAttempt, effect)
		turns = append(turns, s.Turn(terms.Methods))
		s, _, err = collection.Next(s, collection.Input{Kind: collection.AttemptFailed, Now: at, Code: blocked}, terms)
		require.NoError(t, err)
		at = s.RetryAt
	}
	require.Equal(t, []int{0, 1, 0, 1}, turns)
	require.Equal(t, collection.Exhausted, s.Phase)
	require.Zero(t, collection.State{Trigger: collection.Manual, Automatic: 2}.Turn(2), "a person's attempt asks the first")
}

package collection_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/internal/statedoc"
	"perennial/billing/retry"
)

var (
	now     = time.Date(2026, 3, 10, 8, 0, 0, 0, time.UTC)
	retryAt = now.Add(-time.Hour)
)

// situation is a phase with the other parts of the state on which the next state depends.
type situation struct {
	name  string
	state collection.State
}

var situations = []situation{
	{"waiting", collection.State{Phase: collection.Waiting}},
	{"charging:retries_left", collection.State{
		Phase: collection.Charging, Trigger: collection.Automatic, Automatic: 3, Attempts: 4,
	}},
	{"charging:last", collection.State{
		Phase: collection.Charging, Trigger: collection.Automatic, Automatic: 4, Attempts: 5,
	}},
	{"charging:manual_before_retry", collection.State{
		Phase: collection.Charging, Trigger: collection.Manual, Automatic: 2, Attempts: 3, RetryAt: retryAt,
	}},
	{"charging:manual_after_last", collection.State{
		Phase: collection.Charging, Trigger: collection.Manual, Automatic: 4, Attempts: 6,
	}},
	{"scheduled:retries_left", collection.State{
		Phase: collection.Scheduled, Automatic: 2, Attempts: 2, RetryAt: retryAt,
	}},
	{"scheduled:last", collection.State{Phase: collection.Scheduled, Automatic: 3, Attempts: 3, RetryAt: retryAt}},
	{"exhausted", collection.State{Phase: collection.Exhausted, Automatic: 4, Attempts: 4}},
	{"settled", collection.State{Phase: collection.Settled, Automatic: 2, Attempts: 2}},
	{"closed", collection.State{Phase: collection.Closed, Automatic: 1, Attempts: 1}},
}

// circumstance is one of the Terms.
type circumstance struct {
	name  string
	terms collection.Terms
}

var circumstances = []circumstance{
	{"usual", collection.Terms{Retry: retry.Default()}},
	{"past_due", collection.Terms{Retry: retry.Default(), NoRetry: true}},
	{"paused", collection.Terms{Retry: retry.Default(), NoRetry: true, Paused: true}},
	{"canceled", collection.Terms{Retry: retry.Default(), Stopped: true}},
	{"void", collection.Terms{Retry: retry.Default(), Voided: true}},
	{"several_methods", collection.Terms{Retry: retry.Default(), Methods: 3}},
}

// pairs has every pair of situation and input, for each circumstance. outcomes defines the words.
const pairs = `
usual                         begin  retry_due method_changed pay     skip_retry attempt_succeeded attempt_failed attempt_canceled stop   void
waiting                       auto   -         -              turn    noretry    settle            -              -                close  close
charging:retries_left         -      -         -              busy    busy       settle            retry          retry            ask    busy
charging:last                 -      -         -              busy    busy       settle            exhaust        exhaust          ask    busy
charging:manual_before_retry  -      -         -              busy    busy       settle            back           back             ask    busy
charging:manual_after_last    -      -         -              busy    busy       settle            rest           rest             ask    busy
scheduled:retries_left        -      auto      manual         manual  skip       settle            -              -                close  close
scheduled:last                -      auto      manual         manual  skipend    settle            -              -                close  close
exhausted                     -      -         manual         manual  noretry    settle            -              -                close  close
settled                       -      -         -              paid    paid       refund            -              -                -      paid
closed                        -      -         -              manual  noretry    settle            -              -                close  close

past_due                      begin  retry_due method_changed pay     skip_retry attempt_succeeded attempt_failed attempt_canceled stop   void
waiting                       auto   -         -              turn    noretry    settle            -              -                close  close
charging:retries_left         -      -         -              busy    busy       settle            exhaust        exhaust          ask    busy
charging:last                 -      -         -              busy    busy       settle            exhaust        exhaust          ask    busy
charging:manual_before_retry  -      -         -              busy    busy       settle            back           back             ask    busy
charging:manual_after_last    -      -         -              busy    busy       settle            rest           rest             ask    busy
scheduled:retries_left        -      auto      manual         manual  skipend    settle            -              -                close  close
scheduled:last                -      auto      manual         manual  skipend    settle            -              -                close  close
exhausted                     -      -         manual         manual  noretry    settle            -              -                close  close
settled                       -      -         -              paid    paid       refund            -              -                -      paid
closed                        -      -         -              manual  noretry    settle            -              -                close  close

paused                        begin  retry_due method_changed pay     skip_retry attempt_succeeded attempt_failed attempt_canceled stop   void
waiting                       rest   -         -              turn    noretry    settle            -              -                close  close
charging:retries_left         -      -         -              busy    busy       settle            exhaust        exhaust          ask    busy
charging:last                 -      -         -              busy    busy       settle            exhaust        exhaust          ask    busy
charging:manual_before_retry  -      -         -              busy    busy       settle            back           back             ask    busy
charging:manual_after_last    -      -         -              busy    busy       settle            rest           rest             ask    busy
scheduled:retries_left        -      -         -              manual  skipend    settle            -              -                close  close
scheduled:last                -      -         -              manual  skipend    settle            -              -                close  close
exhausted                     -      -         -              manual  noretry    settle            -              -                close  close
settled                       -      -         -              paid    paid       refund            -              -                -      paid
closed                        -      -         -              manual  noretry    settle            -              -                close  close

canceled                      begin  retry_due method_changed pay     skip_retry attempt_succeeded attempt_failed attempt_canceled stop   void
waiting                       -      -         -              turn    noretry    settle            -              -                close  close
charging:retries_left         -      -         -              busy    busy       settle            close          close            ask    calloff
charging:last                 -      -         -              busy    busy       settle            close          close            ask    calloff
charging:manual_before_retry  -      -         -              busy    busy       settle            close          close            ask    calloff
charging:manual_after_last    -      -         -              busy    busy       settle            close          close            ask    calloff
scheduled:retries_left        -      -         -              manual  noretry    settle            -              -                close  close
scheduled:last                -      -         -              manual  noretry    settle            -              -                close  close
exhausted                     -      -         -              manual  noretry    settle            -              -                close  close
settled                       -      -         -              paid    paid       refund            -              -                -      paid
closed                        -      -         -              manual  noretry    settle            -              -                close  close

void                          begin  retry_due method_changed pay     skip_retry attempt_succeeded attempt_failed attempt_canceled stop   void
waiting                       -      -         -              void    void       refund            -              -                close  void
charging:retries_left         -      -         -              void    void       refund            close          close            ask    void
charging:last                 -      -         -              void    void       refund            close          close            ask    void
charging:manual_before_retry  -      -         -              void    void       refund            close          close            ask    void
charging:manual_after_last    -      -         -              void    void       refund            close          close            ask    void
scheduled:retries_left        -      -         -              void    void       refund            -              -                close  void
scheduled:last                -      -         -              void    void       refund            -              -                close  void
exhausted                     -      -         -              void    void       refund            -              -                close  void
settled                       -      -         -              void    void       refund            -              -                -      void
closed                        -      -         -              void    void       refund            -              -                close  void

several_methods               begin  retry_due method_changed pay     skip_retry attempt_succeeded attempt_failed attempt_canceled stop   void
waiting                       auto   -         -              turn    noretry    settle            -              -                close  close
charging:retries_left         -      -         -              busy    busy       settle            retry          retry            ask    busy
charging:last                 -      -         -              busy    busy       settle            exhaust        exhaust          ask    busy
charging:manual_before_retry  -      -         -              busy    busy       settle            back           back             ask    busy
charging:manual_after_last    -      -         -              busy    busy       settle            rest           rest             ask    busy
scheduled:retries_left        -      auto      manual         manual  skip       settle            -              -                close  close
scheduled:last                -      auto      manual         manual  skipend    settle            -              -                close  close
exhausted                     -      -         manual         manual  noretry    settle            -              -                close  close
settled                       -      -         -              paid    paid       refund            -              -                -      paid
closed                        -      -         -              manual  noretry    settle            -              -                close  close
`

// outcome is the meaning of a word of the table: the state after, the effect, the refusal.
type outcome func(before collection.State) (collection.State, collection.Effect, error)

var outcomes = map[string]outcome{
	"-":      same(collection.None, nil),
	"refund": same(collection.RefundExtra, nil),
	"busy":   same(collection.None, collection.ErrInProgress),
	"paid":   same(collection.None, collection.ErrPaid),
	"void":   same(collection.None, collection.ErrVoid),
	"turn":   same(collection.None, collection.ErrNotItsTurn),

	"noretry": same(collection.None, collection.ErrNoRetry),
	"skip": skipped(collection.Scheduled, collection.None, func(s collection.State) time.Time {
		return retry.Default().At(retry.Failure{At: retryAt}, s.Automatic+1, "seed")
	}),
	"skipend": skipped(collection.Exhausted, collection.Exhaust, never),

	"auto":   attempt(collection.Automatic, 1, true),
	"manual": attempt(collection.Manual, 0, false),
	"retry": end(collection.Scheduled, collection.None, func(s collection.State) time.Time {
		return retry.Default().At(retry.Failure{At: now}, s.Automatic, "seed")
	}),
	"back":    end(collection.Scheduled, collection.None, func(s collection.State) time.Time { return s.RetryAt }),
	"exhaust": end(collection.Exhausted, collection.Exhaust, never),
	"rest":    end(collection.Exhausted, collection.None, never),
	"close":   end(collection.Closed, collection.None, never),
	"settle":  end(collection.Settled, collection.Settle, never),
	"ask": func(s collection.State) (collection.State, collection.Effect, error) {
		s.RetryAt = time.Time{}
		return s, collection.CancelAttempt, nil
	},
	"calloff": end(collection.Closed, collection.CancelAttempt, never),
}

func never(collection.State) time.Time { return time.Time{} }

func same(effect collection.Effect, err error) outcome {
	return func(s collection.State) (collection.State, collection.Effect, error) { return s, effect, err }
}

func attempt(trigger collection.Trigger, automatic int, usesUp bool) outcome {
	return func(s collection.State) (collection.State, collection.Effect, error) {
		s.Phase, s.Trigger = collection.Charging, trigger
		s.Automatic, s.Attempts = s.Automatic+automatic, s.Attempts+1
		if usesUp {
			s.RetryAt = time.Time{}
		}
		return s, collection.StartAttempt, nil
	}
}

func end(phase collection.Phase, effect collection.Effect, at func(collection.State) time.Time) outcome {
	return func(s collection.State) (collection.State, collection.Effect, error) {
		return collection.State{Phase: phase, Automatic: s.Automatic, Attempts: s.Attempts, RetryAt: at(s)}, effect, nil
	}
}

func skipped(phase collection.Phase, effect collection.Effect, at func(collection.State) time.Time) outcome {
	return func(s collection.State) (collection.State, collection.Effect, error) {
		state, effect, err := end(phase, effect, at)(s)
		state.Skipped = 1
		return state, effect, err
	}
}

type pair struct {
	circumstance, situation string
	kind                    collection.Kind
}

// stated reads the table; a pair that is there twice fails.
func stated(t *testing.T) map[pair]string {
	t.Helper()
	words := map[pair]string{}
	for _, block := range strings.Split(strings.TrimSpace(pairs), "\n\n") {
		lines := strings.Split(block, "\n")
		header := strings.Fields(lines[0])
		for _, line := range lines[1:] {
			cells := strings.Fields(line)
			require.Len(t, cells, len(header), line)
			for i, word := range cells[1:] {
				p := pair{header[0], cells[0], collection.Kind(header[i+1])}
				require.NotContains(t, words, p)
				words[p] = word
			}
		}
	}
	return words
}

func TestNext_EveryPairOfStateAndInput(t *testing.T) {
	t.Parallel()
	words := stated(t)
	for _, c := range circumstances {
		for _, s := range situations {
			for _, kind := range statedoc.Consts(t, "Kind") {
				p := pair{c.name, s.name, collection.Kind(kind)}
				want, ok := outcomes[words[p]]
				require.True(t, ok, "%v is not stated", p)
				delete(words, p)

				state, effect, err := collection.Next(s.state, collection.Input{Kind: p.kind, Now: now, Seed: "seed"}, c.terms)

				wantState, wantEffect, wantErr := want(s.state)
				require.Equal(t, wantErr, err, p)
				require.Equal(t, wantState, state, p)
				require.Equal(t, wantEffect, effect, p)
			}
		}
	}
	require.Empty(t, words, "the table states what does not exist")
}

func TestNext_TableCoversEveryPair(t *testing.T) {
	t.Parallel()
	phases := map[collection.Phase]bool{}
	for _, s := range situations {
		phases[s.state.Phase] = true
	}
	for _, phase := range statedoc.Consts(t, "Phase") {
		require.True(t, phases[collection.Phase(phase)], "no situation for phase %s", phase)
	}
	var fields []string
	for i := range reflect.TypeFor[collection.Terms]().NumField() {
		fields = append(fields, reflect.TypeFor[collection.Terms]().Field(i).Name)
	}
	require.Equal(t, []string{"Retry", "NoRetry", "Paused", "Stopped", "Voided", "Methods"}, fields,
		"a new term needs circumstances of its own")
}

func TestNext_RetryIsNotDueEarly(t *testing.T) {
	t.Parallel()
	s := collection.State{Phase: collection.Scheduled, Automatic: 1, Attempts: 1, RetryAt: now}

	got, effect, err := collection.Next(s, collection.Input{Kind: collection.RetryDue, Now: now.Add(-1)},
		circumstances[0].terms)

	require.NoError(t, err)
	require.Equal(t, collection.None, effect)
	require.Equal(t, s, got)
}

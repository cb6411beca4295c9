package delivery_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/delivery"
)

var at = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func failed(after time.Duration) delivery.End {
	return delivery.End{Outcome: delivery.OutcomeFailed, At: at, RetryAfter: after}
}

func TestNext_ThreeRetriesThenFailed(t *testing.T) {
	t.Parallel()
	for name, policy := range map[string]delivery.Policy{"live": delivery.LivePolicy, "test": delivery.TestPolicy} {
		s := delivery.State{ID: "whd_1"}
		for i, gap := range policy.Gaps {
			n := policy.Next(s, failed(0))
			require.Equal(t, delivery.Pending, n.Status, name)
			require.Equal(t, i+1, n.Attempts)
			require.InDelta(t, gap, n.At.Sub(at), 0.2*float64(gap), name)
			s.Attempts = n.Attempts
		}
		require.Equal(t, delivery.Next{Status: delivery.Failed, Attempts: 4, Reason: delivery.FailedAttemptsUsed},
			policy.Next(s, failed(0)))
	}
}

func TestNext_PausesOfDeliveriesDiffer(t *testing.T) {
	t.Parallel()
	first := delivery.LivePolicy.Next(delivery.State{ID: "whd_1"}, failed(0))
	require.Equal(t, first, delivery.LivePolicy.Next(delivery.State{ID: "whd_1"}, failed(0)), "the same each time")
	require.NotEqual(t, first, delivery.LivePolicy.Next(delivery.State{ID: "whd_2"}, failed(0)))
}

func TestNext_WithoutSpreadPausesAreExact(t *testing.T) {
	t.Parallel()
	exact := delivery.Policy{Gaps: []time.Duration{7 * time.Second}}
	for _, id := range []string{"whd_1", "whd_2"} {
		require.Equal(t, at.Add(7*time.Second), exact.Next(delivery.State{ID: id}, failed(0)).At)
	}
}

func TestNext_RetryAfterIsBounded(t *testing.T) {
	t.Parallel()
	pause := func(asked time.Duration) time.Duration {
		return delivery.LivePolicy.Next(delivery.State{ID: "whd_1"}, failed(asked)).At.Sub(at)
	}
	require.Equal(t, pause(0), pause(time.Second), "never earlier than the schedule")
	require.Equal(t, 90*time.Second, pause(90*time.Second))
	require.Equal(t, 2*time.Minute, pause(24*time.Hour))
}

func TestNext(t *testing.T) {
	t.Parallel()
	end := func(o delivery.Outcome) delivery.End { return delivery.End{Outcome: o, At: at} }
	ok, bad, unknown := end(delivery.OutcomeSucceeded), end(delivery.OutcomeFailed), end(delivery.OutcomeUnknown)
	for name, c := range map[string]struct {
		state delivery.State
		end   delivery.End
		want  delivery.Next
	}{
		"success": {delivery.State{}, ok, delivery.Next{Status: delivery.Succeeded, Attempts: 1}},
		"a crash consumes no retry": {
			delivery.State{Attempts: 2}, unknown, delivery.Next{Status: delivery.Pending, Attempts: 2, Unknown: 1, At: at},
		},
		"a crash leaves a redelivery to be done": {
			delivery.State{Attempts: 4, Redelivery: true}, unknown,
			delivery.Next{Status: delivery.Pending, Attempts: 4, Unknown: 1, At: at, Redelivery: true},
		},
		"after the tenth crash the next attempt waits": {
			delivery.State{Attempts: 3, Unknown: 9}, unknown,
			delivery.Next{Status: delivery.Pending, Attempts: 3, Unknown: 10, At: at.Add(2 * time.Hour)},
		},
		"a redelivery that succeeds": {
			delivery.State{Attempts: 4, Redelivery: true}, ok, delivery.Next{Status: delivery.Succeeded, Attempts: 4},
		},
		"a redelivery that fails": {
			delivery.State{Attempts: 4, Redelivery: true}, bad,
			delivery.Next{Status: delivery.Failed, Attempts: 4, Reason: delivery.FailedAttemptsUsed},
		},
		"a redelivery of what was delivered stays delivered": {
			delivery.State{Attempts: 1, Redelivery: true, Delivered: true}, bad,
			delivery.Next{Status: delivery.Succeeded, Attempts: 1},
		},
	} {
		require.Equal(t, c.want, delivery.LivePolicy.Next(c.state, c.end), name)
	}
	early := delivery.LivePolicy.Next(delivery.State{Attempts: 1, Redelivery: true}, bad)
	require.Equal(t, 1, early.Attempts, "the schedule goes on where it was")
	require.Equal(t, delivery.Pending, early.Status)
}

// A delivery without a redelivery succeeds, or fails with its fourth failed attempt. Crashes, however many, only delay
// that.
func TestNext_FailsWithFourFailuresAndNeverByCrashes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s, now, failures, crashes := delivery.State{ID: rapid.String().Draw(rt, "id")}, at, 0, 0
		for range 100 {
			e := delivery.End{
				At: now,
				Outcome: rapid.SampledFrom([]delivery.Outcome{
					delivery.OutcomeFailed, delivery.OutcomeUnknown, delivery.OutcomeUnknown, delivery.OutcomeUnknown,
					delivery.OutcomeUnknown, delivery.OutcomeUnknown, delivery.OutcomeSucceeded,
				}).Draw(rt, "outcome"),
				RetryAfter: time.Duration(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(rt, "asked")),
			}
			n := delivery.TestPolicy.Next(s, e)
			require.Equal(rt, n.Status == delivery.Pending, !n.At.IsZero())
			require.Equal(rt, n.Status == delivery.Failed, n.Reason != "")
			require.Equal(rt, n.Status == delivery.Succeeded, e.Outcome == delivery.OutcomeSucceeded)
			switch e.Outcome {
			case delivery.OutcomeFailed:
				failures++
			case delivery.OutcomeUnknown:
				crashes++
			case delivery.OutcomeSucceeded:
				return
			}
			require.Equal(rt, failures, n.Attempts)
			require.Equal(rt, crashes, n.Unknown)
			if failures == 4 {
				require.Equal(rt, delivery.Failed, n.Status)
				return
			}
			require.Equal(rt, delivery.Pending, n.Status)
			require.LessOrEqual(rt, n.At.Sub(now), 2*time.Minute)
			require.False(rt, n.At.Before(now))
			s.Attempts, s.Unknown, now = n.Attempts, n.Unknown, n.At
		}
	})
}

func TestHealth(t *testing.T) {
	t.Parallel()
	long, short := at.Add(-72*time.Hour), at.Add(-71*time.Hour)
	final := delivery.Next{Status: delivery.Failed}
	retrying := delivery.Next{Status: delivery.Pending}
	bad := delivery.End{Outcome: delivery.OutcomeFailed, At: at}
	gone := delivery.End{Outcome: delivery.OutcomeFailed, At: at, Gone: true}
	for name, c := range map[string]struct {
		since   time.Time
		end     delivery.End
		next    delivery.Next
		want    time.Time
		disable delivery.DisabledReason
	}{
		"a success ends it": {long, delivery.End{Outcome: delivery.OutcomeSucceeded, At: at},
			delivery.Next{Status: delivery.Succeeded}, time.Time{}, ""},
		"the first failure begins it":        {time.Time{}, bad, retrying, at, ""},
		"three days":                         {long, bad, final, long, delivery.DisabledFailing},
		"three days, while retries are left": {long, bad, retrying, long, ""},
		"less than three days":               {short, bad, final, short, ""},
		"gone, at the first failure":         {time.Time{}, gone, retrying, at, delivery.DisabledGone},
		"gone, after three days of failures": {long, gone, final, long, delivery.DisabledGone},
		"a crash says nothing about a receiver": {
			time.Time{}, delivery.End{Outcome: delivery.OutcomeUnknown, At: at, Gone: true}, retrying, time.Time{}, "",
		},
	} {
		since, disable := delivery.Health(c.since, c.end, c.next)
		require.Equal(t, c.want, since, name)
		require.Equal(t, c.disable, disable, name)
	}
}

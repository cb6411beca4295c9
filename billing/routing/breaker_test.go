package routing_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/routing"
)

// failed is a breaker after failures of the named payments, one a minute.
func failed(b routing.Breaker, f routing.Failure, payments ...string) routing.Breaker {
	for i, p := range payments {
		b = b.Failed(f, p, now.Add(time.Duration(i)*time.Minute))
	}
	return b
}

func TestBreaker_OpensByProof(t *testing.T) {
	t.Parallel()
	var b routing.Breaker
	for i := range 4 {
		b = b.Failed(routing.NotTaken, fmt.Sprint(i), now)
		require.True(t, b.Takes(now))
		require.Equal(t, routing.Closed, b.State(now))
	}
	b = b.Failed(routing.NotTaken, "4", now)
	require.False(t, b.Takes(now.Add(routing.Cooldown-1)))
	require.Equal(t, routing.Open, b.State(now.Add(routing.Cooldown-1)))
	require.True(t, b.Takes(now.Add(routing.Cooldown)), "a probe")
	require.Equal(t, routing.HalfOpen, b.State(now.Add(routing.Cooldown)))
	b = b.Failed(routing.NotTaken, "5", now.Add(time.Minute))
	require.Equal(t, now, b.OpenedAt)
	require.Equal(t, now.Add(time.Minute+routing.Cooldown), b.ProbeAt)
	require.False(t, routing.Breaker{}.Failed(routing.Unauthorized, "1", now).Takes(now), "no second try is needed")
}

// A provider that refuses a payment or two for ever says nothing about all others.
func TestBreaker_StaysClosedForFewPayments(t *testing.T) {
	t.Parallel()
	var one, two routing.Breaker
	for i := range 57 {
		at := now.Add(time.Duration(i) * time.Minute)
		one, two = one.Failed(routing.NotTaken, "1", at), two.Failed(routing.NotTaken, fmt.Sprint(i%2), at)
		require.Equal(t, routing.Closed, one.State(at))
		require.Equal(t, routing.Closed, two.State(at))
	}
	require.Equal(t, 57, one.Failures, "they are shown")
	require.True(t, failed(routing.Breaker{}, routing.NotTaken, "1", "2", "1", "2", "3").Opened(), "three of five")
}

// A build without names forgets the failures, and leaves the names.
func TestBreaker_NamesWithoutFailuresAreForgotten(t *testing.T) {
	t.Parallel()
	b := failed(routing.Breaker{}, routing.NotTaken, "1", "2", "3", "1")
	b.Failures, b.FailingSince = 0, time.Time{}
	require.False(t, failed(b, routing.NotTaken, "4").Opened())
}

// Where all but one payment were taken elsewhere, or canceled, that one proves nothing by its probes.
func TestBreaker_ClosesWhenOnePaymentIsLeft(t *testing.T) {
	t.Parallel()
	open := failed(routing.Breaker{}, routing.NotTaken, "1", "2", "3", "4", "5")
	require.True(t, failed(open, routing.NotTaken, "5", "5", "5").Opened())
	alone := failed(open, routing.NotTaken, "5", "5", "5", "5")
	require.False(t, alone.Opened(), "five in a row are of one payment")
	require.True(t, alone.Takes(now))
	require.True(t, failed(alone, routing.NotTaken, "6", "7").Opened(), "others meet the same")
	require.True(t, failed(open, routing.NotTaken, "6", "5", "6", "5", "6", "5", "6").Opened(), "two are left")

	denied := routing.Breaker{}.Failed(routing.Unauthorized, "1", now)
	require.True(t, failed(denied, routing.Unauthorized, "1", "1", "1", "1", "1", "1").Opened(), "credentials are of all")
}

// A burst of payments that hang says little; that nothing was answered for minutes says enough.
func TestBreaker_OpensBySilenceThatLasts(t *testing.T) {
	t.Parallel()
	var b routing.Breaker
	for i := range 500 {
		b = b.Failed(routing.Unanswered, fmt.Sprint(i), now)
	}
	require.False(t, b.Opened())
	require.False(t, b.Failed(routing.Unanswered, "a", now.Add(routing.Silence-1)).Opened())
	require.True(t, b.Failed(routing.Unanswered, "a", now.Add(routing.Silence)).Opened())
	few := routing.Breaker{}.Failed(routing.Unanswered, "a", now)
	require.False(t, few.Failed(routing.Unanswered, "b", now.Add(time.Hour)).Opened(), "two in an hour of few payments")
}

func TestBreaker_Unprobed(t *testing.T) {
	t.Parallel()
	open := routing.Breaker{}.Failed(routing.Unauthorized, "1", now)
	require.False(t, routing.Breaker{}.Unprobed(now))
	require.False(t, open.Unprobed(open.ProbeAt.Add(routing.Cooldown)), "a payment that waits may be about to try")
	require.True(t, open.Unprobed(open.ProbeAt.Add(2*routing.Cooldown)))
}

// The payments that are woken are those whose exchange began before the account recovered
// (TransactionReleaseUnanswered). All others begin another silence: an exchange belongs to one of the two, even if it
// began at that very instant.
func TestBreaker_SilenceAtTheInstantOfRecovery(t *testing.T) {
	t.Parallel()
	recovered := routing.Breaker{}.Silent(now, now).Answered(now.Add(time.Second))
	at := recovered.RecoveredAt
	require.Equal(t, now.Add(time.Second), at, "also after a short silence")
	require.Equal(t, recovered, recovered.Silent(at.Add(-1), at.Add(time.Minute)), "its payment is woken")
	again := recovered.Silent(at, at.Add(time.Minute))
	require.Zero(t, again.RecoveredAt)
	require.Equal(t, at.Add(time.Minute), again.SilentSince)
	require.Equal(t, recovered, recovered.Answered(at.Add(time.Hour)), "the first answer counts")
}

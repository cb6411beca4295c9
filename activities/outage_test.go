package activities_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/billing/routing"
	"perennial/contract"
	"perennial/providers"
	"perennial/test/scene"
)

// away is a provider that does what it is asked and answers nothing, while it is away.
type away struct {
	*scene.Provider
	now   bool
	about string // a transaction that it never answers for; empty: none
}

func (p *away) Charge(ctx context.Context, in providers.ChargeRequest) (providers.Result, error) {
	out, err := p.Provider.Charge(ctx, in)
	return p.said(in.TransactionID, out), err
}

func (p *away) LookupCharge(ctx context.Context, in providers.LookupRequest) (providers.Result, error) {
	out, err := p.Provider.LookupCharge(ctx, in)
	return p.said(in.TransactionID, out), err
}

func (p *away) said(transactionID string, out providers.Result) providers.Result {
	if p.now || p.about == transactionID {
		return providers.Result{Outcome: providers.Unknown}
	}
	return out
}

// outage is a scene whose provider leaves n charges unanswered for a while; all of them are asked about by their own
// schedule until then.
func outage(t *testing.T, n int, lasts time.Duration) (l *life, w *woken, gone *away, left []string) {
	t.Helper()
	l, w = begin(t, scene.New(t), scene.Monthly(1000)), &woken{}
	gone = &away{Provider: l.Provider, now: true}
	l.Payments.Gateway = scene.Gateway{Only: gone}
	_ = w.pass(t, l.Scene)
	for range n {
		txn := l.own(t)
		l.charge(t, txn.ID)
		left = append(left, txn.ID)
	}
	_ = w.pass(t, l.Scene) // starts their workflows
	l.asksBySchedule(t, left, l.Clock.Now().Add(lasts))
	return l, w, gone, left
}

// asksBySchedule asks about payments whenever their own schedules say so.
func (l *life) asksBySchedule(t *testing.T, ids []string, until time.Time) {
	t.Helper()
	for {
		next := slices.MinFunc(ids, func(a, b string) int { return l.now(a).NextCheckAt.Compare(l.now(b).NextCheckAt) })
		at := l.now(next).NextCheckAt
		if at.After(until) {
			l.Clock.Set(until)
			return
		}
		l.Clock.Set(at)
		l.charge(t, next)
	}
}

// asksOf are the payments that a pass has asked about, which then happens.
func (l *life) asksOf(t *testing.T, w *woken) (ids []string) {
	t.Helper()
	for _, did := range w.pass(t, l.Scene) {
		if id, ok := strings.CutPrefix(did, "check  "); ok {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		_, err := l.Payments.Charge(t.Context(), contract.ResolveInput{EnvironmentID: l.Env, TransactionID: id, Asked: true})
		require.NoError(t, err)
	}
	return ids
}

// However long an outage was, its payments are settled with the second pass after it, half a minute apart.
func TestOutage_PaymentsAreAskedAboutWhenItEnds(t *testing.T) {
	t.Parallel()
	l, w, gone, left := outage(t, 6, 20*time.Minute)
	for _, id := range left {
		require.Greater(t, l.now(id).NextCheckAt.Sub(l.Clock.Now()), 2*time.Minute, "a look-up is far away")
	}
	require.Len(t, l.asksOf(t, w), 1, "one asks for all")
	l.Clock.Add(30 * time.Second)
	require.Len(t, l.asksOf(t, w), 1)
	require.False(t, l.breaker(l.Config.ID).SilentSince.IsZero())

	gone.now = false
	l.Clock.Add(30 * time.Second)
	first := l.asksOf(t, w)
	require.Len(t, first, 1)
	require.Equal(t, payment.Success, l.now(first[0]).Status)
	l.Clock.Add(time.Second)
	require.Len(t, l.asksOf(t, w), len(left)-1, "the others")
	for _, id := range left {
		require.Equal(t, payment.Success, l.now(id).Status)
		require.Equal(t, 1, l.Provider.Captures()[id])
	}
	l.Clock.Add(2 * time.Minute)
	require.Empty(t, l.asksOf(t, w))
	require.Zero(t, l.breaker(l.Config.ID).SilentSince, "it is over")
	require.Zero(t, l.breaker(l.Config.ID).RecoveredAt)
	l.sound()
}

// What the provider had answered keeps its schedule, and so does what an answer leaves undecided: each is asked once.
func TestOutage_AnsweredPaymentsKeepTheirSchedule(t *testing.T) {
	t.Parallel()
	l, w, gone, left := outage(t, 3, 10*time.Minute)
	gone.now = false
	l.Provider.Script = always(scene.Pend)
	decided := l.own(t)
	l.charge(t, decided.ID)
	require.Equal(t, payment.Pending, l.now(decided.ID).Status)
	for _, id := range left {
		l.Provider.Settle(id, providers.Pending)
	}
	l.Clock.Add(time.Second)
	require.ElementsMatch(t, left, l.asksOf(t, w), "the answer to the new payment ended the outage")
	for range 3 {
		l.Clock.Add(time.Second)
		require.Empty(t, l.asksOf(t, w))
	}
}

// A provider that is silent again meanwhile leaves the others to the next probe.
func TestOutage_ThatGoesOn(t *testing.T) {
	t.Parallel()
	l, w, gone, left := outage(t, 3, 10*time.Minute)
	gone.now = false
	require.Len(t, l.asksOf(t, w), 1)
	gone.now = true
	l.Clock.Add(time.Second)
	require.Len(t, l.asksOf(t, w), len(left)-1)
	require.Zero(t, l.breaker(l.Config.ID).RecoveredAt)
	l.Clock.Add(30 * time.Second)
	require.Empty(t, l.asksOf(t, w), "another silence, which is no outage yet")
	l.Clock.Add(31 * time.Second)
	require.Len(t, l.asksOf(t, w), 1, "a probe")
}

// One payment that its provider never answers for, while it answers for all others, is no outage: it is asked about ever
// more rarely.
func TestOutage_OfOnePaymentIsNone(t *testing.T) {
	t.Parallel()
	l, w, gone, left := outage(t, 1, 10*time.Minute)
	gone.now, gone.about = false, left[0]
	asked := 0
	for range 60 {
		l.charge(t, l.own(t).ID)
		l.Clock.Add(time.Second)
		asked += len(l.asksOf(t, w))
		l.Clock.Add(29 * time.Second)
	}
	require.Equal(t, payment.Pending, l.now(left[0]).Status)
	// It rests for a twelfth of its silence, which grows from 10 to 40 minutes: ln(4) / ln(13/12).
	require.LessOrEqual(t, asked, 17)
}

// An account that answers nothing for days is probed ever more rarely, by the age of what waits there.
func TestOutage_ProbesOfAClosedAccountGrowRare(t *testing.T) {
	t.Parallel()
	l, w, _, left := outage(t, 1, 72*time.Hour)
	l.charge(t, left[0])
	l.Clock.Add(5 * time.Minute)
	require.Empty(t, l.asksOf(t, w))
	l.Clock.Add(2 * time.Minute)
	require.Len(t, l.asksOf(t, w), 1)
	l.Clock.Add(30 * time.Second)
	require.Empty(t, l.asksOf(t, w))
}

// After a silence too short for a probe the payments that it left undecided are asked about once they have rested for a
// twelfth of their own silence.
func TestOutage_ShortSilence(t *testing.T) {
	t.Parallel()
	l, w, gone, left := outage(t, 3, routing.Outage-time.Second)
	require.Empty(t, l.asksOf(t, w), "no probe")
	gone.now = false
	l.charge(t, l.own(t).ID)
	require.Equal(t, l.Clock.Now(), l.breaker(l.Config.ID).RecoveredAt)
	require.ElementsMatch(t, left, l.asksOf(t, w), "they were asked about 19 s ago, after a silence of 40 s")
	for _, id := range left {
		require.Equal(t, payment.Success, l.now(id).Status)
	}
	l.Clock.Add(2*time.Minute + time.Second)
	require.Empty(t, l.asksOf(t, w))
	require.Zero(t, l.breaker(l.Config.ID).SilentSince, "it is over")
}

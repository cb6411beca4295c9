package charging_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/billing/routing"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

// away is a provider that carries out requests but answers none of them while it is away.
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
func outage(t *testing.T, n int, lasts time.Duration) (l *life.Life, w *life.Waker, gone *away, left []string) {
	t.Helper()
	l, w = life.Begin(t, scene.New(t), scene.Monthly(1000)), &life.Waker{}
	gone = &away{Provider: l.Provider, now: true}
	l.Payments.Gateway = scene.Gateway{Only: gone}
	_ = w.Pass(t, l.Scene)
	for range n {
		txn := l.OwnCharge(t)
		l.Charge(t, txn.ID)
		left = append(left, txn.ID)
	}
	_ = w.Pass(t, l.Scene) // starts their workflows
	l.CheckBySchedule(t, left, l.Clock.Now().Add(lasts))
	return l, w, gone, left
}

// However long an outage was, its payments are settled with the second pass after it, half a minute apart.
func TestOutage_PaymentsAreAskedAboutWhenItEnds(t *testing.T) {
	t.Parallel()
	l, w, gone, left := outage(t, 6, 20*time.Minute)
	for _, id := range left {
		require.Greater(t, l.Transaction(id).NextCheckAt.Sub(l.Clock.Now()), 2*time.Minute, "a look-up is far away")
	}
	require.Len(t, l.CheckWoken(t, w), 1, "one asks for all")
	l.Clock.Add(30 * time.Second)
	require.Len(t, l.CheckWoken(t, w), 1)
	require.False(t, l.Breaker(l.Config.ID).SilentSince.IsZero())

	gone.now = false
	l.Clock.Add(30 * time.Second)
	first := l.CheckWoken(t, w)
	require.Len(t, first, 1)
	require.Equal(t, payment.Success, l.Transaction(first[0]).Status)
	l.Clock.Add(time.Second)
	require.Len(t, l.CheckWoken(t, w), len(left)-1, "the others")
	for _, id := range left {
		require.Equal(t, payment.Success, l.Transaction(id).Status)
		require.Equal(t, 1, l.Provider.Captures()[id])
	}
	l.Clock.Add(2 * time.Minute)
	require.Empty(t, l.CheckWoken(t, w))
	require.Zero(t, l.Breaker(l.Config.ID).SilentSince, "it is over")
	require.Zero(t, l.Breaker(l.Config.ID).RecoveredAt)
	l.Sound()
}

// A payment that the provider had answered keeps its schedule, and so does one that an answer leaves undecided: each is
// asked about once.
func TestOutage_AnsweredPaymentsKeepTheirSchedule(t *testing.T) {
	t.Parallel()
	l, w, gone, left := outage(t, 3, 10*time.Minute)
	gone.now = false
	l.Provider.Script = life.Always(scene.Pend)
	decided := l.OwnCharge(t)
	l.Charge(t, decided.ID)
	require.Equal(t, payment.Pending, l.Transaction(decided.ID).Status)
	for _, id := range left {
		l.Provider.Settle(id, providers.Pending)
	}
	l.Clock.Add(time.Second)
	require.ElementsMatch(t, left, l.CheckWoken(t, w), "the answer to the new payment ended the outage")
	for range 3 {
		l.Clock.Add(time.Second)
		require.Empty(t, l.CheckWoken(t, w))
	}
}

// A provider that is silent again meanwhile leaves the others to the next probe.
func TestOutage_ThatGoesOn(t *testing.T) {
	t.Parallel()
	l, w, gone, left := outage(t, 3, 10*time.Minute)
	gone.now = false
	require.Len(t, l.CheckWoken(t, w), 1)
	gone.now = true
	l.Clock.Add(time.Second)
	require.Len(t, l.CheckWoken(t, w), len(left)-1)
	require.Zero(t, l.Breaker(l.Config.ID).RecoveredAt)
	l.Clock.Add(30 * time.Second)
	require.Empty(t, l.CheckWoken(t, w), "another silence, which is no outage yet")
	l.Clock.Add(31 * time.Second)
	require.Len(t, l.CheckWoken(t, w), 1, "a probe")
}

// One payment that its provider never answers for, while it answers for all others, is no outage: it is asked about
// ever more rarely.
func TestOutage_OfOnePaymentIsNone(t *testing.T) {
	t.Parallel()
	l, w, gone, left := outage(t, 1, 10*time.Minute)
	gone.now, gone.about = false, left[0]
	asked := 0
	for range 60 {
		l.Charge(t, l.OwnCharge(t).ID)
		l.Clock.Add(time.Second)
		asked += len(l.CheckWoken(t, w))
		l.Clock.Add(29 * time.Second)
	}
	require.Equal(t, payment.Pending, l.Transaction(left[0]).Status)
	// It rests for a twelfth of its silence, which grows from 10 to 40 minutes: ln(4) / ln(13/12).
	require.LessOrEqual(t, asked, 17)
}

// An account that answers nothing for days is probed ever more rarely, by the age of its waiting payments.
func TestOutage_ProbesOfAClosedAccountGrowRare(t *testing.T) {
	t.Parallel()
	l, w, _, left := outage(t, 1, 72*time.Hour)
	l.Charge(t, left[0])
	l.Clock.Add(5 * time.Minute)
	require.Empty(t, l.CheckWoken(t, w))
	l.Clock.Add(2 * time.Minute)
	require.Len(t, l.CheckWoken(t, w), 1)
	l.Clock.Add(30 * time.Second)
	require.Empty(t, l.CheckWoken(t, w))
}

// After a silence too short for a probe the payments that it left undecided are asked about once they have rested for a
// twelfth of their own silence.
func TestOutage_ShortSilence(t *testing.T) {
	t.Parallel()
	l, w, gone, left := outage(t, 3, routing.Outage-time.Second)
	require.Empty(t, l.CheckWoken(t, w), "no probe")
	gone.now = false
	l.Charge(t, l.OwnCharge(t).ID)
	require.Equal(t, l.Clock.Now(), l.Breaker(l.Config.ID).RecoveredAt)
	require.ElementsMatch(t, left, l.CheckWoken(t, w), "they were asked about 19 s ago, after a silence of 40 s")
	for _, id := range left {
		require.Equal(t, payment.Success, l.Transaction(id).Status)
	}
	l.Clock.Add(2*time.Minute + time.Second)
	require.Empty(t, l.CheckWoken(t, w))
	require.Zero(t, l.Breaker(l.Config.ID).SilentSince, "it is over")
}

package subscribing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/dunning"
	"perennial/billing/subscription"
)

func TestNextAction_TwoAtSameInstant(t *testing.T) {
	t.Parallel()
	s, _, _ := inStatus(subscription.PastDue)
	end := s.CurrentPeriod.End
	s.PastDueAt = end.AddDate(0, 0, -10)
	patience := subscription.Settings{Dunning: dunning.Policy{Final: dunning.Cancel, CancelAfterDays: 10}}
	retry := func(at time.Time) *collection.State {
		return &collection.State{Phase: collection.Scheduled, RetryAt: at}
	}
	for name, c := range map[string]struct {
		state    *collection.State
		settings subscription.Settings
		want     subscription.Action
		at       time.Time
	}{
		"boundary alone": {nil, subscription.Settings{}, subscription.ActionRenewal, end},
		"retry before boundary": {
			retry(end.Add(-1)), subscription.Settings{}, subscription.ActionPaymentRetry, end.Add(-1),
		},
		"retry with boundary":        {retry(end), subscription.Settings{}, subscription.ActionPaymentRetry, end},
		"boundary before retry":      {retry(end.Add(1)), subscription.Settings{}, subscription.ActionRenewal, end},
		"end of patience with it":    {nil, patience, subscription.ActionPastDueEnd, end},
		"retry with end of patience": {retry(end), patience, subscription.ActionPaymentRetry, end},
		"patience ends later": {
			nil, subscription.Settings{Dunning: dunning.Policy{Final: dunning.Cancel, CancelAfterDays: 11}},
			subscription.ActionRenewal, end,
		},
		"an exhausted one waits": {&collection.State{Phase: collection.Exhausted, RetryAt: created}, subscription.Settings{},
			subscription.ActionRenewal, end},
		"a live attempt has no timer": {
			&collection.State{Phase: collection.Charging, RetryAt: created}, subscription.Settings{},
			subscription.ActionRenewal, end,
		},
	} {
		action, at := s.Next(c.state, c.settings)
		require.Equal(t, c.want, action, name)
		require.Equal(t, c.at, at, name)
	}
}

func TestNextAction_NamesBoundary(t *testing.T) {
	t.Parallel()
	trial, _, _ := inStatus(subscription.Trialing)
	active, _, _ := inStatus(subscription.Active)
	ending := active
	ending.CancelAtPeriodEnd = true
	endingTrial := trial
	endingTrial.CancelAtPeriodEnd = true
	for want, s := range map[subscription.Action]subscription.Subscription{
		subscription.ActionTrialEnd: trial, subscription.ActionRenewal: active, subscription.ActionCancel: ending,
	} {
		action, at := s.Next(nil, subscription.Settings{})
		require.Equal(t, want, action)
		require.Equal(t, s.CurrentPeriod.End, at)
	}
	action, _ := endingTrial.Next(nil, subscription.Settings{})
	require.Equal(t, subscription.ActionCancel, action)
}

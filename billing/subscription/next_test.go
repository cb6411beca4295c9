package subscription

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/dunning"
)

func TestNextAction_TwoAtSameInstant(t *testing.T) {
	t.Parallel()
	s, _, _ := inStatus(PastDue)
	end := s.CurrentPeriod.End
	s.PastDueAt = end.AddDate(0, 0, -10)
	patience := Settings{Dunning: dunning.Policy{Final: dunning.Cancel, CancelAfterDays: 10}}
	retry := func(at time.Time) *collection.State {
		return &collection.State{Phase: collection.Scheduled, RetryAt: at}
	}
	for name, c := range map[string]struct {
		state    *collection.State
		settings Settings
		want     Action
		at       time.Time
	}{
		"boundary alone":             {nil, Settings{}, ActionRenewal, end},
		"retry before boundary":      {retry(end.Add(-1)), Settings{}, ActionPaymentRetry, end.Add(-1)},
		"retry with boundary":        {retry(end), Settings{}, ActionPaymentRetry, end},
		"boundary before retry":      {retry(end.Add(1)), Settings{}, ActionRenewal, end},
		"end of patience with it":    {nil, patience, ActionPastDueEnd, end},
		"retry with end of patience": {retry(end), patience, ActionPaymentRetry, end},
		"patience ends later": {
			nil, Settings{Dunning: dunning.Policy{Final: dunning.Cancel, CancelAfterDays: 11}}, ActionRenewal, end,
		},
		"an exhausted one waits": {&collection.State{Phase: collection.Exhausted, RetryAt: created}, Settings{},
			ActionRenewal, end},
		"a live attempt has no timer": {
			&collection.State{Phase: collection.Charging, RetryAt: created}, Settings{}, ActionRenewal, end,
		},
	} {
		action, at := s.Next(c.state, c.settings)
		require.Equal(t, c.want, action, name)
		require.Equal(t, c.at, at, name)
	}
}

func TestNextAction_NamesBoundary(t *testing.T) {
	t.Parallel()
	trial, _, _ := inStatus(Trialing)
	active, _, _ := inStatus(Active)
	ending := active
	ending.CancelAtPeriodEnd = true
	endingTrial := trial
	endingTrial.CancelAtPeriodEnd = true
	for want, s := range map[Action]Subscription{ActionTrialEnd: trial, ActionRenewal: active, ActionCancel: ending} {
		action, at := s.Next(nil, Settings{})
		require.Equal(t, want, action)
		require.Equal(t, s.CurrentPeriod.End, at)
	}
	action, _ := endingTrial.Next(nil, Settings{})
	require.Equal(t, ActionCancel, action)
}

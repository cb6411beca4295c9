package subscribing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/costing"
	"perennial/billing/event"
	"perennial/billing/subscription"
)

func TestCreate_AnnouncesEndOfTrialBeforehandOrAtOnce(t *testing.T) {
	t.Parallel()
	for days, want := range map[int]struct {
		atOnce bool
		next   subscription.Action
		at     time.Time
	}{
		14: {false, subscription.ActionTrialNotice, created.AddDate(0, 0, 11)},
		4:  {false, subscription.ActionTrialNotice, created.AddDate(0, 0, 1)},
		3:  {true, subscription.ActionTrialEnd, created.AddDate(0, 0, 3)},
		1:  {true, subscription.ActionTrialEnd, created.AddDate(0, 0, 1)},
		0:  {false, subscription.ActionBegin, created},
	} {
		s, events, err := Create(team, NewInput{
			ID: "sub_1", CustomerID: "cust_1", TrialDays: &days, TimeZone: "UTC", Now: created,
		})
		require.NoError(t, err)
		announced := []event.Type{event.TypeSubscriptionCreated}
		if want.atOnce {
			announced = append(announced, event.TypeSubscriptionTrialWillEnd)
		}
		require.Equal(t, announced, typesOf(events), "%d days", days)
		require.Equal(t, want.next, s.NextAction, "%d days", days)
		require.Equal(t, want.at, s.NextActionAt, "%d days", days)
	}
}

// The notice comes at the same time of day, also across a clock change.
func TestAnnounceTrialEnd_CountsLocalDays(t *testing.T) {
	t.Parallel()
	days := 10
	at := time.Date(2026, 3, 21, 8, 0, 0, 0, time.UTC) // Paris goes to summer time on the 29th
	s, _, err := Create(team, NewInput{
		ID: "sub_1", CustomerID: "cust_1", TrialDays: &days, TimeZone: "Europe/Paris", Now: at,
	})
	require.NoError(t, err)
	require.Equal(t, time.Date(2026, 3, 31, 7, 0, 0, 0, time.UTC), s.TrialEndsAt)
	require.Equal(t, time.Date(2026, 3, 28, 8, 0, 0, 0, time.UTC), s.TrialNoticeAt)
}

func TestAnnounceTrialEnd_Once(t *testing.T) {
	t.Parallel()
	days := 14
	s, _, err := Create(team, NewInput{ID: "sub_1", CustomerID: "cust_1", TrialDays: &days, TimeZone: "UTC", Now: created})
	require.NoError(t, err)
	_, err = With(s, costing.Facts{}).AnnounceTrialEnd(s.TrialNoticeAt.Add(-1))
	require.Equal(t, ErrNotInTrial, err, "not before its time")

	scheduled, err := With(s, costing.Facts{}).Cancel(Cancellation{}, created)
	require.NoError(t, err)
	d, err := With(scheduled.Subscription, costing.Facts{}).AnnounceTrialEnd(s.TrialNoticeAt)
	require.NoError(t, err)
	require.Equal(t, event.SubscriptionTrialWillEnd{
		Subscription: s.Announced(), PlanID: team.ID, TrialEndsAt: s.TrialEndsAt.Unix(), CancelAtPeriodEnd: true,
	}, d.Events[0].Data)
	action, at := d.Subscription.Next(nil, subscription.Settings{})
	require.Equal(t, subscription.ActionCancel, action)
	require.Equal(t, s.TrialEndsAt, at)
	_, err = With(d.Subscription, costing.Facts{}).AnnounceTrialEnd(s.TrialEndsAt)
	require.Equal(t, ErrNotInTrial, err, "not twice")

	over, err := With(s, costing.Facts{}).Cancel(Cancellation{Immediate: true}, created)
	require.NoError(t, err)
	require.Zero(t, over.Subscription.TrialNoticeAt, "a canceled trial has no end to announce")
}

func typesOf(events []event.Event) []event.Type {
	var types []event.Type
	for _, e := range events {
		types = append(types, e.Type())
	}
	return types
}

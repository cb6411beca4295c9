package subscribing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/costing"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/subscription"
)

func TestEndTrialAt(t *testing.T) {
	t.Parallel()
	s, f, now := inStatus(subscription.Trialing)
	start := s.CurrentPeriod.Start
	for name, c := range map[string]struct {
		at     time.Time
		events []event.Type
		notice time.Time
	}{
		"later": {now.AddDate(0, 0, 30), []event.Type{event.TypeSubscriptionUpdated}, now.AddDate(0, 0, 27)},
		"soon": {
			now.AddDate(0, 0, 2), []event.Type{event.TypeSubscriptionUpdated, event.TypeSubscriptionTrialWillEnd}, time.Time{},
		},
		"now":      {now, []event.Type{event.TypeSubscriptionUpdated}, time.Time{}},
		"as it is": {s.TrialEndsAt, nil, time.Time{}},
	} {
		d, err := With(s, costing.Facts{}).EndTrialAt(c.at, now)

		require.NoError(t, err, name)
		moved := d.Subscription
		require.Equal(t, []time.Time{c.at, c.at, c.at, start},
			[]time.Time{moved.TrialEndsAt, moved.AnchorAt, moved.CurrentPeriod.End, moved.CurrentPeriod.Start}, name)
		require.Equal(t, c.notice, moved.TrialNoticeAt, name)
		var types []event.Type
		for _, e := range d.Events {
			types = append(types, e.Type())
		}
		require.Equal(t, c.events, types, name)
		began, err := With(moved, f).OpenPeriod(c.at)
		require.NoError(t, err, name)
		require.Equal(t, c.at, began.Subscription.CurrentPeriod.Start, name)
	}
	for _, at := range []time.Time{now.Add(-time.Second), start.AddDate(0, 0, 731)} {
		_, err := With(s, costing.Facts{}).EndTrialAt(at, now)
		require.Equal(t, "trial_end_out_of_range", fault.From(err).Code)
	}
	fresh, err := With(s, costing.Facts{}).EndTrialAt(start, start)
	require.NoError(t, err)
	require.Equal(t, start.Add(time.Second), fresh.Subscription.CurrentPeriod.End, "no period is empty")
}

package metering_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/metering"
	"perennial/billing/period"
	"perennial/billing/subscription"
)

func TestCurrent_GoesOnToTheEndOfItsPeriod(t *testing.T) {
	t.Parallel()
	s := february(calls)
	s.MeteredSince = on(2, 15)

	current, ok, err := metering.Current(s)

	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, period.Period{Start: on(2, 15), End: on(3, 1)}, period.Period{Start: current.Start, End: current.End})
	require.Equal(t, [2]int64{14 * 86400, 28 * 86400}, [2]int64{current.Share.From, current.Share.To})
	require.Equal(t, [2]any{calls.Ref(), 2}, [2]any{current.Plan, current.PeriodIndex})
	_, ok, err = metering.Current(february(without))
	require.NoError(t, err)
	require.False(t, ok)
}

func TestCostlessTimes(t *testing.T) {
	t.Parallel()
	segments := func(times ...int) (all []metering.Segment) {
		for i := 0; i < len(times); i += 2 {
			all = append(all, metering.Segment{Start: on(2, times[i]), End: on(2, times[i+1])})
		}
		return all
	}
	costless := func(from, to int, reason metering.Costless) metering.CostlessTime {
		return metering.CostlessTime{Period: period.Period{Start: on(2, from), End: on(2, to)}, Reason: reason}
	}
	for name, c := range map[string]struct {
		change   func(*subscription.Subscription)
		segments []metering.Segment
		want     []metering.CostlessTime
	}{
		"all of the period counts": {segments: segments(1, 29)},
		"no metered prices":        {want: []metering.CostlessTime{costless(1, 29, metering.CostlessPlan)}},
		"between two plans with some": {
			segments: segments(1, 10, 12, 29), want: []metering.CostlessTime{costless(10, 12, metering.CostlessPlan)},
		},
		"before an import": {
			change: func(s *subscription.Subscription) { s.PaidElsewhereIndex = s.PeriodIndex }, segments: segments(9, 29),
			want: []metering.CostlessTime{costless(1, 9, metering.CostlessImport)},
		},
		"begun within the period": {
			segments: segments(9, 29), want: []metering.CostlessTime{costless(1, 9, metering.CostlessPlan)},
		},
		"imported without metered prices": {
			change: func(s *subscription.Subscription) { s.PaidElsewhereIndex = s.PeriodIndex },
			want:   []metering.CostlessTime{costless(1, 29, metering.CostlessPlan)},
		},
		"never paid": {
			change: both(cancels(on(2, 20)), func(s *subscription.Subscription) { s.IncompleteUntil = on(2, 20) }),
			want:   []metering.CostlessTime{costless(1, 20, metering.CostlessUnpaid)},
		},
		"a trial": {
			change: func(s *subscription.Subscription) { s.Status, s.PeriodIndex = subscription.Trialing, 0 },
			want:   []metering.CostlessTime{costless(1, 29, metering.CostlessTrial)},
		},
		"not begun": {change: func(s *subscription.Subscription) { s.PeriodIndex = 0 }},
		"a pause": {
			change: func(s *subscription.Subscription) {
				s.Status, s.PausedAt, s.CurrentPeriod.End = subscription.Paused, on(2, 20), on(2, 20)
			},
			segments: segments(1, 20),
			want: []metering.CostlessTime{{
				Period: period.Period{Start: on(2, 20)}, Reason: metering.CostlessPause,
			}},
		},
		"the end": {
			change: func(s *subscription.Subscription) {
				s.Status, s.CanceledAt = subscription.Canceled, on(2, 20)
			},
			segments: segments(1, 20),
		},
	} {
		s := february(calls)
		if c.change != nil {
			c.change(&s)
		}
		require.Equal(t, c.want, metering.CostlessTimes(s, c.segments), name)
	}
}

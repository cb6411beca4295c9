package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/event"
	"perennial/billing/subscription"
)

// The end of a trial is announced once, three days before, also by a late decision and on a test clock.
func TestAdvance_TrialNoticeComesOnce(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*life){
		"in real time":    func(*life) {},
		"on a test clock": func(l *life) { l.onClock() },
		"late":            func(l *life) { l.late = true },
	} {
		l := newLife(t, plans, settings, team, 14)
		set(l)
		end := l.sub().TrialEndsAt
		require.Equal(t, subscription.ActionTrialNotice, l.sub().NextAction, name)
		require.Equal(t, end.AddDate(0, 0, -3), l.sub().NextActionAt, name)
		l.until(end.AddDate(0, 0, -3).Add(-1))
		require.Empty(t, l.store.events, name)
		l.until(end.AddDate(0, 0, 1))
		require.Equal(t, []event.Type{
			event.TypeSubscriptionTrialWillEnd, event.TypeSubscriptionRenewed, event.TypeInvoiceCreated,
			event.TypeInvoiceFinalized,
		}, typesOf(l.store.events), name)
	}
}

func TestRecord_FailureNamesTheNextAttempt(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	var next []int64
	for range 4 {
		before := len(l.store.events)
		l.result(answer.Declined)
		types := typesOf(l.store.events[before:])
		require.Equal(t, []event.Type{event.TypePaymentFailed, event.TypeInvoicePaymentFailed}, types[:2])
		failed := l.store.events[before+1].Data.(event.InvoicePaymentFailed)
		require.Equal(t, len(next)+1, failed.AttemptNumber)
		next = append(next, failed.NextPaymentAttemptAt)
		l.until(l.sub().NextActionAt)
	}
	first := created.Unix()
	day := int64(24 * time.Hour / time.Second)
	require.Equal(t, []int64{first + day, first + 3*day, first + 7*day, 0}, next, "after the last retry there is none")
}

func typesOf(events []event.Event) (types []event.Type) {
	for _, e := range events {
		types = append(types, e.Type())
	}
	return types
}

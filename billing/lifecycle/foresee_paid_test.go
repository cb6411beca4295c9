package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/lifecycle"
)

// An invoice of usage of a period before is still open, and would be paid before the next one corrects it: the correction
// is foreseen as the credit note that it will be, not as an invoice below zero.
func TestForesee_CorrectionOfAnInvoiceThatIsPaidMeanwhile(t *testing.T) {
	t.Parallel()
	l := calling(t, 1)
	february := l.sub().CurrentPeriod
	l.until(february.End)
	l.call(february.End.Add(-time.Second), 100)
	first := l.issue()
	l.store.settings.Dunning.Retry.Base = 60 * 24 * time.Hour
	for l.sub().PeriodIndex == first.PeriodIndex { // no decision of the next period depends on it
		l.result(answer.Declined)
		l.toNext(0)
	}
	l.issue()
	l.must(lifecycle.Pay{})
	l.store.records = append(l.store.records, record{at: february.End.Add(-time.Second), metric: "calls", quantity: -100})
	l.must(lifecycle.MoveAnchor{On: l.now.Add(week)})
	one := func(int, string) int { return 1 }

	foreseen, err := l.preview(one, nil, 3)

	require.NoError(t, err)
	noted := len(l.store.notes)
	require.Equal(t, bills(l.undisturbed(3, nil)), bills(foreseen.Upcoming))
	require.NotEmpty(t, foreseen.UpcomingNotes)
	require.Equal(t, worth(l.store.notes[noted:]), worth(foreseen.UpcomingNotes))
}

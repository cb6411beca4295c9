package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
)

// Apps grant access by paidThrough: a year that was credited does not count as paid any more.
func TestChangePlan_PaidThroughFollowsTheNewPeriod(t *testing.T) {
	t.Parallel()
	l := newLife(t, plans, settings, yearly, 0)
	l.until(l.now)
	l.result(answer.Succeeded)
	l.pass(24 * time.Hour)
	require.Equal(t, created.AddDate(1, 0, 0), l.sub().PaidThrough)

	l.changePlan(team, false)

	require.Equal(t, l.sub().CurrentPeriod.End, l.sub().PaidThrough)
	require.Equal(t, time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC), l.sub().PaidThrough)
}

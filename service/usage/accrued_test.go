package usage

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/metering"
	"perennial/billing/period"
	"perennial/billing/subscription"
	"perennial/service/usecase"
)

// Without metered prices there are no reads: the test has no store.
func TestAccrued_WithoutMeteredPricesReadsNothing(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	sub := subscription.Subscription{
		Status: subscription.Active, PeriodIndex: 1, CurrentPeriod: period.Period{Start: start, End: start.AddDate(0, 1, 0)},
	}

	out, err := (&Service{}).Accrued(t.Context(), usecase.Caller{}, sub)

	require.NoError(t, err)
	require.Equal(t, Accrued{Costless: []metering.CostlessTime{{
		Period: sub.CurrentPeriod, Reason: metering.CostlessPlan,
	}}}, out)
}

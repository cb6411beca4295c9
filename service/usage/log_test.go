package usage

import (
	"testing"

	"perennial/db"
	"perennial/service/servicetest"
)

func TestUsageLog_PostgreSQLHoldsUsage(t *testing.T) {
	t.Parallel()
	servicetest.HoldsUsage(t, (*db.Store).UsageLog)
}

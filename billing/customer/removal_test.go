package customer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
)

func TestRemovalPause_DoublesUpToADay(t *testing.T) {
	t.Parallel()
	for tries, want := range map[int]time.Duration{
		0: time.Minute, 1: 2 * time.Minute, 10: 1024 * time.Minute, 11: 24 * time.Hour, 1000: 24 * time.Hour,
	} {
		require.Equal(t, want, customer.RemovalPause(tries))
	}
}

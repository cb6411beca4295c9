package load

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDrive_AsksExactNumberOfTimes(t *testing.T) {
	t.Parallel()
	var asked [100]atomic.Int64
	got, err := Drive(t.Context(), 7, Until{Count: len(asked)}, func(_ context.Context, i int) error {
		asked[i].Add(1)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, len(asked), got.Count)
	for i := range asked {
		require.Equal(t, int64(1), asked[i].Load(), "request %d", i)
	}
}

func TestDrive_EndsAtFirstError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	_, err := Drive(t.Context(), 4, Until{Count: 1000}, func(_ context.Context, i int) error {
		if i == 10 {
			return broken
		}
		return nil
	})
	require.ErrorIs(t, err, broken)
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	var hundred []time.Duration
	for i := 1; i <= 100; i++ {
		hundred = append(hundred, time.Duration(i)*time.Millisecond)
	}
	for _, c := range []struct {
		sorted []time.Duration
		p      int
		want   float64
	}{
		{hundred, 50, 50}, {hundred, 99, 99}, {hundred, 100, 100}, {hundred[:1], 50, 1}, {hundred[:1], 99, 1},
		{hundred[:3], 99, 3}, {nil, 99, 0},
	} {
		require.Equal(t, c.want, Percentile(c.sorted, c.p), "%d of %d", c.p, len(c.sorted))
	}
}

func TestMedian_OfEvenCountIsLowerHalf(t *testing.T) {
	t.Parallel()
	require.Equal(t, 2.0, Median([]float64{3, 1, 2}))
	require.Equal(t, 2.0, Median([]float64{4, 3, 1, 2}))
	require.Zero(t, Median(nil))
}

package wire_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers/wire"
)

func TestCopy_ReadOnceForAllWhoWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c wire.Copy[string]
		reads := 0
		read := func(ctx context.Context) (string, bool) {
			reads++
			time.Sleep(time.Second)
			return "read", ctx.Err() == nil
		}
		impatient, leave := context.WithTimeout(t.Context(), time.Millisecond)
		defer leave()
		got := make([]string, 3)
		var wait sync.WaitGroup
		wait.Go(func() { got[0] = c.Get(impatient, read) }) // it begins the reading, and does not wait for its end
		for i := 1; i < len(got); i++ {
			wait.Go(func() { got[i] = c.Get(t.Context(), read) })
		}
		wait.Wait()
		require.Equal(t, []string{"", "read", "read"}, got)
		require.Equal(t, 1, reads)
	})
}

func TestCopy_LastOneStaysWhileProviderIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c wire.Copy[int]
		up, reads := false, 0
		get := func() int {
			return c.Get(t.Context(), func(context.Context) (int, bool) { reads++; return reads, up })
		}
		require.Zero(t, get(), "nothing is known")
		require.Zero(t, get())
		require.Equal(t, 1, reads, "asked again soon, but not each time")
		up = true
		time.Sleep(wire.CopyRetry + time.Second)
		require.Equal(t, 2, get())
		up = false
		time.Sleep(wire.CopyLife + time.Second)
		require.Equal(t, 2, get())
		require.Equal(t, 3, reads)
	})
}

func TestCopy_SlowProviderIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c wire.Copy[int]
		began := time.Now()
		require.Zero(t, c.Get(t.Context(), func(ctx context.Context) (int, bool) {
			<-ctx.Done()
			return 1, false
		}))
		require.Equal(t, 5*time.Second, time.Since(began))
	})
}

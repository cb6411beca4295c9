package id_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/id"
)

func TestID_SortsByTime(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var ids []string
	for i := range 1000 {
		ids = append(ids, id.New(id.Subscription, start.Add(time.Duration(i)*time.Millisecond)))
	}
	require.True(t, slices.IsSorted(ids))
	require.Len(t, ids[0], len("sub_")+26)
}

func TestID_OneInstantSortsAsMade(t *testing.T) { //nolint:paralleltest // IDs of other instants must not come between
	at := time.Date(2031, 5, 6, 7, 8, 9, 10_000_000, time.UTC)
	var ids []string
	for range 1000 {
		ids = append(ids, id.New(id.Event, at))
	}
	require.True(t, slices.IsSorted(ids))
	require.Equal(t, ids[0][:len("evt_")+9], ids[999][:len("evt_")+9], "the time part stays")
}

func TestID_OneInstantDiffers(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	seen := map[string]bool{}
	for range 10_000 {
		s := id.New(id.Event, at)
		require.False(t, seen[s])
		require.True(t, id.Is(id.Event, s))
		seen[s] = true
	}
}

func TestIs_RefusesOtherShapes(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"", "sub_", "cust_01hzy3v7x2m4n6p8q0r2s4t6v8", "sub_short", "sub_01HZY3V7X2M4N6P8Q0R2S4T6V8",
		"sub_01hzy3v7x2m4n6p8q0r2s4t6v!",
	} {
		require.False(t, id.Is(id.Subscription, s), s)
	}
}

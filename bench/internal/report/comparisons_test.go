package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/bench/internal/before"
	"perennial/bench/internal/sampler"
)

// A run of one path replaces only that path.
func TestNewestComparisons_EachPathFromItsNewestRun(t *testing.T) {
	t.Parallel()
	of := func(hour int, rows ...before.Compared) *before.Comparison {
		return &before.Comparison{
			Begun: time.Date(2026, 11, 22, hour, 0, 0, 0, time.UTC), Before: "aaa", After: "bbb", Temporal: "dev", Rows: rows,
		}
	}
	row := func(path string, rate float64) before.Compared {
		return before.Compared{Path: path, Unit: "1/s", Before: []sampler.Sample{{Rate: 100}}, After: []sampler.Sample{{Rate: rate}}}
	}
	pages := newestComparisons([]*before.Comparison{of(1, row("get", 111), row("create", 122)), of(2, row("get", 133))})
	require.Len(t, pages, 1)
	require.Contains(t, pages[0].Table, "| get | 100 | 133 |")
	require.Contains(t, pages[0].Table, "| create | 100 | 122 |")
	require.NotContains(t, pages[0].Table, "111")
}

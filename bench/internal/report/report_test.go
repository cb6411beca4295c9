package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/bench/internal/machine"
	"perennial/bench/internal/result"
)

func TestDocument_TakesNewestRunOfEachScenario(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	at := func(hour int, commit string, results ...result.Result) result.Run {
		return result.Run{
			Begun: begun.Add(time.Duration(hour) * time.Hour), Commit: commit,
			Machine: machine.Machine{Temporal: map[string]string{"dev": "1.29"}},
			Targets: []result.Target{{Temporal: "dev", Scenarios: results}},
		}
	}
	missed := []result.Row{{Path: "GET", Unit: "1/s", Ours: []float64{1}, Bare: []float64{100}, Goal: result.Goal{Ratio: 0.6}}}
	page := newest([]result.Run{
		at(0, "first", result.Result{Name: "get", Rows: []result.Row{{Path: "old", Ours: []float64{1}}}},
			result.Result{Name: "memory", Rows: []result.Row{{Path: "kept", Ours: []float64{1}}}}),
		at(1, "second", result.Result{Name: "get", Rows: missed}),
		at(2, "third", result.Result{
			Name: "get", Rows: []result.Row{{Path: "profiled", Ours: []float64{1}}}, Profiles: []result.Profile{{Process: "api", Top: "hot"}},
		}),
	}, []string{"memory", "get"})
	require.Len(t, page.Targets, 1)
	require.Contains(t, page.Targets[0].Table, "| kept |")
	require.Contains(t, page.Targets[0].Table, "| GET |")
	require.NotContains(t, page.Targets[0].Table, "| old |")
	require.NotContains(t, page.Targets[0].Table, "| profiled |")
	require.Equal(t, []result.Profile{{Process: "api", Top: "hot"}}, page.Missed[0].Profiles)
	require.Len(t, page.Runs, 2)
}

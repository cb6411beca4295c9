package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		row  row
		want string
	}{
		{"just met", row{Ours: []float64{80}, Bare: []float64{100}, Goal: goal{Ratio: 0.8}}, "met"},
		{"just missed", row{Ours: []float64{79}, Bare: []float64{100}, Goal: goal{Ratio: 0.8}}, "missed"},
		{"too good to be true", row{Ours: []float64{130}, Bare: []float64{100}, Goal: goal{Ratio: 0.8}}, "disturbed"},
		{"nothing to compare with", row{Ours: []float64{79}, Goal: goal{Ratio: 0.8}}, "missed"},
		{"below the most", row{Ours: []float64{4}, Goal: goal{Most: 4}}, "met"},
		{"above the most", row{Ours: []float64{4.1}, Goal: goal{Most: 4}}, "missed"},
		{"no goal", row{Ours: []float64{4}}, "reported"},
	} {
		require.Equal(t, c.want, c.row.verdict(), c.name)
	}
}

func TestTable_ShowsMediansAndRatios(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	table(&b, []row{
		{
			Path: "a", Unit: "1/s", Ours: []float64{90, 100, 10}, Bare: []float64{120, 100, 130}, Writes: []float64{180},
			Goal: goal{Ratio: 0.8},
		},
		{Path: "b", Unit: "ms", Ours: []float64{12.25}, Bare: []float64{7}, Goal: goal{Most: 500}},
	})
	require.Equal(t, `path  ours  bare  ratio  to writes only  unit  goal      verdict
a     90    120   0.75   0.50            1/s   ≥ 0.8 ×   missed
b     12.2  7     –      –               ms    ≤ 500 ms  met
`, b.String())
}

func TestDocument_TakesNewestRunOfEachScenario(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	at := func(hour int, commit string, results ...result) run {
		return run{
			Begun: begun.Add(time.Duration(hour) * time.Hour), Commit: commit,
			Machine: machine{Temporal: map[string]string{"dev": "1.29"}},
			Targets: []target{{Temporal: "dev", Scenarios: results}},
		}
	}
	missed := []row{{Path: "GET", Unit: "1/s", Ours: []float64{1}, Bare: []float64{100}, Goal: goal{Ratio: 0.6}}}
	page := newest([]run{
		at(0, "first", result{Name: "get", Rows: []row{{Path: "old", Ours: []float64{1}}}},
			result{Name: "memory", Rows: []row{{Path: "kept", Ours: []float64{1}}}}),
		at(1, "second", result{Name: "get", Rows: missed}),
		at(2, "third", result{
			Name: "get", Rows: []row{{Path: "profiled", Ours: []float64{1}}}, Profiles: []profile{{Process: "api", Top: "hot"}},
		}),
	})
	require.Len(t, page.Targets, 1)
	require.Contains(t, page.Targets[0].Table, "| kept |")
	require.Contains(t, page.Targets[0].Table, "| GET |")
	require.NotContains(t, page.Targets[0].Table, "| old |")
	require.NotContains(t, page.Targets[0].Table, "| profiled |")
	require.Equal(t, []profile{{Process: "api", Top: "hot"}}, page.Missed[0].Profiles)
	require.Len(t, page.Runs, 2)
}

func TestOptions(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{"--scale", "full", "--only", "get,storm", "--temporal", "dev"}, time.Now())
	require.NoError(t, err)
	require.Equal(t, []string{"get", "storm"}, o.only)
	require.Equal(t, []string{"dev"}, o.temporal)
	require.Equal(t, 3, o.rounds)
	for _, wrong := range [][]string{
		{"--scale", "huge"}, {"--only", "got"}, {"--temporal", "cloud"}, {"--rounds", "-1"}, {"more"},
	} {
		_, err := parse(wrong, time.Now())
		require.Error(t, err, "%v", wrong)
	}
}

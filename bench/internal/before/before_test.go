package before

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/bench/internal/sampler"
)

func rates(rates ...float64) []sampler.Sample {
	var out []sampler.Sample
	for _, r := range rates {
		out = append(out, sampler.Sample{Rate: r, P99: 1000 / r, CPU: map[string]float64{"postgres": 100 / r, "temporal": 300 / r}})
	}
	return out
}

func TestCompared_GoalsOnMedians(t *testing.T) {
	t.Parallel()
	c := Compared{
		Path: "cancel", Unit: "1/s", Before: rates(100, 50, 110), After: rates(200, 210, 150), Least: 2, MostProcessor: 0.7,
	}
	require.Equal(t, [][]string{
		{"cancel", "100", "200", "2.00", "2.00 4.20 1.36", "1/s", "≥ 2.00 ×", "met", "100 50 110; 200 210 150"},
		{"cancel: processor", "4", "2", "0.50", "0.50 0.24 0.73", "ms", "≤ 0.70 ×", "met", "4 8 3.64; 2 1.90 2.67"},
	}, c.lines())

	c.After = rates(199, 100, 199)
	require.Equal(t, "missed", c.lines()[0][7])
	c.MostProcessor = 0.5
	require.Equal(t, "missed", c.lines()[1][7], "2.01 ms of 4 ms")
	c.After[1].Notes = []string{"it fell due too early"}
	require.Equal(t, "disturbed", c.lines()[0][7])
	c.Reads = true
	require.Equal(t, "reported", c.lines()[2][7])
}

func TestCompared_NoSamplesMissTheGoal(t *testing.T) {
	t.Parallel()
	require.Equal(t, "missed", Compared{Least: 0.97}.lines()[0][7])
	require.Equal(t, "missed", Compared{MostProcessor: 0.7}.lines()[1][7])
}

// Both sides of a round follow each other, and they alternate in the first place.
func TestPlanWaves_SidesTakeTurns(t *testing.T) {
	t.Parallel()
	planned := planWaves([]string{"renewals", "storm"}, 2)
	var told []string
	for i, w := range planned {
		told = append(told, w.name()+" "+[]string{"before", "after"}[w.side])
		if i > 0 {
			require.Equal(t, planned[i-1].after+planned[i-1].lasts, w.after, "%s", w.name())
		}
	}
	require.Equal(t, []string{
		"warm-up 0 before", "warm-up 0 after",
		"renewals 1 after", "renewals 1 before", "renewals 2 before", "renewals 2 after",
		"storm 1 after", "storm 1 before", "storm 2 before", "storm 2 after",
	}, told)
}

func TestComparison_SaveKeepsBothOfADay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := Comparison{Begun: time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC), Before: "aaa", After: "bbb"}
	for _, want := range []string{"2026-11-22-bbb-before-aaa.json", "2026-11-22T090000-bbb-before-aaa.json"} {
		path, err := c.save(dir)
		require.NoError(t, err)
		require.Equal(t, filepath.Join(dir, want), path)
		_, err = os.Stat(path)
		require.NoError(t, err)
	}
}

func TestParseBefore_RefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{}, {"a", "b", "c"}, {"--only", "gets", "a"}, {"--rounds", "0", "a"}, {"--temporal", "both", "a"},
	} {
		_, err := parse(args)
		require.Error(t, err, "%v", args)
	}
	o, err := parse([]string{"--only", "get,storm", "448aa12"})
	require.NoError(t, err)
	require.Equal(t, [2]string{"448aa12", "HEAD"}, o.commits)
	require.Equal(t, []string{"get", "storm"}, o.only)
}

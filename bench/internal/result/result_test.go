package result

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		row  Row
		want string
	}{
		{"just met", Row{Ours: []float64{80}, Bare: []float64{100}, Goal: Goal{Ratio: 0.8}}, "met"},
		{"just missed", Row{Ours: []float64{79}, Bare: []float64{100}, Goal: Goal{Ratio: 0.8}}, "missed"},
		{"too good to be true", Row{Ours: []float64{130}, Bare: []float64{100}, Goal: Goal{Ratio: 0.8}}, "disturbed"},
		{"nothing to compare with", Row{Ours: []float64{79}, Goal: Goal{Ratio: 0.8}}, "missed"},
		{"below the most", Row{Ours: []float64{4}, Goal: Goal{Most: 4}}, "met"},
		{"above the most", Row{Ours: []float64{4.1}, Goal: Goal{Most: 4}}, "missed"},
		{"no goal", Row{Ours: []float64{4}}, "reported"},
	} {
		require.Equal(t, c.want, c.row.Verdict(), c.name)
	}
}

func TestTable_ShowsMediansAndRatios(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	Table(&b, []Row{
		{
			Path: "a", Unit: "1/s", Ours: []float64{90, 100, 10}, Bare: []float64{120, 100, 130}, Writes: []float64{180},
			Goal: Goal{Ratio: 0.8},
		},
		{Path: "b", Unit: "ms", Ours: []float64{12.25}, Bare: []float64{7}, Goal: Goal{Most: 500}},
	})
	require.Equal(t, `path  ours  bare  ratio  to writes only  unit  goal      verdict
a     90    120   0.75   0.50            1/s   ≥ 0.8 ×   missed
b     12.2  7     –      –               ms    ≤ 500 ms  met
`, b.String())
}

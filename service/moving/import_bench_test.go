package moving

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/service/movefile"
	"perennial/test/scene"
)

// BenchmarkImport imports 10,000 customers and as many subscriptions and reports both per second:
// go test ./service -run '^$' -bench Import -benchtime 1x.
func BenchmarkImport(b *testing.B) {
	const n = 10_000
	kinds := []struct {
		name string
		line func(int) string
	}{{"customers", customerOf}, {"subscriptions", func(i int) string { return subscriptionOf(i, "") }}}
	var files [2]movefile.File
	for k, kind := range kinds {
		var lines strings.Builder
		for i := range n {
			fmt.Fprintln(&lines, kind.line(i))
		}
		path := filepath.Join(b.TempDir(), kind.name+".jsonl")
		require.NoError(b, os.WriteFile(path, []byte(lines.String()), 0o600))
		var err error
		files[k], err = movefile.Open(path, "")
		require.NoError(b, err)
	}
	var took [2]float64
	for b.Loop() {
		b.StopTimer()
		s := scene.New(b)
		s.Plan(b, scene.Monthly(1900))
		svc, by := at(s)
		b.StartTimer()
		for k := range files {
			b.StopTimer() // autovacuum does this within a minute, and an import takes many
			_, err := s.Pool.Exec(b.Context(), "analyze")
			require.NoError(b, err)
			b.StartTimer()
			before := b.Elapsed()
			imported := 0
			require.NoError(b, svc.Import(b.Context(), by, files[k:k+1], ImportOptions{}, func(l ImportedLine) {
				if l.Outcome == RecordImported {
					imported++
				}
			}))
			require.Equal(b, n, imported)
			took[k] += (b.Elapsed() - before).Seconds()
		}
	}
	for k, kind := range kinds {
		b.ReportMetric(float64(n*b.N)/took[k], kind.name+"/s")
	}
}

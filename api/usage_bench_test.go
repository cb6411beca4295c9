package api

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkUsage records usage, one record a request and 1,000 of them: go test ./api -run '^$' -bench Usage.
func BenchmarkUsage(b *testing.B) {
	f := newBench(b)
	sub := f.meter(b, f.test)
	n := 0
	record := func() string {
		n++
		return usageBody(sub, "bench-"+strconv.Itoa(n), `,"properties":{"region":"eu"}`)
	}
	b.Run("single", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			require.Equal(b, http.StatusCreated, f.ask(b, f.test, "POST", "/api/usage", record()).Status)
		}
	})
	b.Run("batch", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			records := make([]string, 1000)
			for i := range records {
				records[i] = record()
			}
			got := f.ask(b, f.test, "POST", "/api/usage/batch", `{"records":[`+strings.Join(records, ",")+`]}`)
			require.Equal(b, http.StatusOK, got.Status)
		}
	})
}

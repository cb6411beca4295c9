package core_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers/simulator/core"
	"perennial/providers/simulator/stripesim"
)

// BenchmarkCharge measures how many durable charges a second the simulator can take, so that a benchmark of Perennial
// can tell when it measures the simulator instead.
func BenchmarkCharge(b *testing.B) {
	sim, err := core.New(core.Config{LedgerPath: filepath.Join(b.TempDir(), "ledger.jsonl"), Now: time.Now},
		stripesim.New(stripesim.Config{}))
	require.NoError(b, err)
	server := httptest.NewServer(sim.Handler())
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}
	body := chargeForm("pm_card_visa").Encode()
	var n atomic.Int64
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, server.URL+"/v1/payment_intents",
				strings.NewReader(body))
			if err != nil {
				b.Error(err)
				return
			}
			req.Header.Set("Authorization", "Bearer sk_test_1")
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			req.Header.Set("Idempotency-Key", strconv.FormatInt(n.Add(1), 10))
			res, err := client.Do(req)
			if err != nil || res.StatusCode != http.StatusOK {
				b.Error(err, res)
				return
			}
			_, _ = io.Copy(io.Discard, res.Body) // keeps the connection
			_ = res.Body.Close()
		}
	})
	server.Close()
	require.NoError(b, sim.Close())
	require.Len(b, sim.Ledger(), b.N)
}

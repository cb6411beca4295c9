package delivery_test

import (
	"bytes"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/contract"
	"perennial/internal/testkit/receiver"
	"perennial/test/scene"
)

// BenchmarkDeliverDue compares deliveries to one receiver with a bare client that posts the same bytes, ten at a time,
// and inserts one row for each.
func BenchmarkDeliverDue(b *testing.B) {
	b.Run("deliveries", func(b *testing.B) {
		r, s := receiver.New(b), scene.New(b)
		deliveries := s.Deliveries(b, nil)
		ref := s.Endpoint(b, r.Endpoint("/"), "*")
		s.Announce(b, b.N)
		b.ResetTimer()
		_, err := deliveries.DeliverDue(b.Context(), contract.DeliverInput{Ref: ref})
		require.NoError(b, err)
		b.StopTimer()
		require.Len(b, r.Requests("/"), b.N)
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "deliveries/s")
	})
	b.Run("bare", func(b *testing.B) {
		r, s := receiver.New(b), scene.New(b)
		url := r.Endpoint("/")
		_, err := s.Pool.Exec(b.Context(),
			"create table bare (id text primary key, status integer, body text, at timestamptz)")
		require.NoError(b, err)
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 10}}
		body := []byte(`{"event":"plan.created","data":{"id":"plan_01kezf7c00qwv0996bvdp1cnnt"},"timestamp":1768435200}`)
		work := make(chan int)
		var clients sync.WaitGroup
		b.ResetTimer()
		for range 10 {
			clients.Go(func() {
				for n := range work {
					answer, err := client.Post(url, "application/json", bytes.NewReader(body))
					if err != nil {
						b.Error(err)
						continue
					}
					_ = answer.Body.Close()
					_, err = s.Pool.Exec(b.Context(), "insert into bare values ($1, $2, $3, now())",
						fmt.Sprint(n), answer.StatusCode, "")
					if err != nil {
						b.Error(err)
					}
				}
			})
		}
		for n := range b.N {
			work <- n
		}
		close(work)
		clients.Wait()
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "deliveries/s")
	})
}

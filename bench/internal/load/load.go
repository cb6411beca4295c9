// Package load runs clients against a server, and waits for the effects of their requests. It is copied into clones of
// earlier commits with package sampler, so it uses only what they have.
package load

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Load has the figures of a number of clients that each send the next request after an answer.
type Load struct {
	Count   int
	Seconds float64
	P50     float64 // milliseconds
	P99     float64
	CPU     map[string]float64 // milliseconds of processor time per request, by process
}

// Rate is the number of requests per second.
func (l Load) Rate() float64 {
	if l.Seconds == 0 {
		return 0
	}
	return float64(l.Count) / l.Seconds
}

// Until is the end of a load: after a number of requests, or after a time.
type Until struct {
	Count int
	After time.Duration
}

// Drive runs clients. The first error stops them all: a benchmark of failures measures nothing.
func Drive(ctx context.Context, clients int, end Until, ask func(ctx context.Context, i int) error) (Load, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	took := make([][]time.Duration, clients)
	began := time.Now()
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if ctx.Err() != nil || end.Count > 0 && i >= end.Count || end.After > 0 && time.Since(began) >= end.After {
					return
				}
				asked := time.Now()
				if err := ask(ctx, i); err != nil {
					cancel(err)
					return
				}
				took[c] = append(took[c], time.Since(asked))
			}
		})
	}
	all.Wait()
	seconds := time.Since(began).Seconds()
	if err := context.Cause(ctx); err != nil {
		return Load{}, err
	}
	return summarise(slices.Concat(took...), seconds), nil
}

func summarise(took []time.Duration, seconds float64) Load {
	slices.Sort(took)
	return Load{Count: len(took), Seconds: seconds, P50: Percentile(took, 50), P99: Percentile(took, 99)}
}

// Percentile returns a percentile of sorted durations, in milliseconds: the smallest that at least p percent do not
// exceed.
func Percentile(sorted []time.Duration, p int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	i := (len(sorted)*p + 99) / 100
	return float64(sorted[max(i, 1)-1].Microseconds()) / 1000
}

// Median returns the median of samples; of an even number the lower middle one, the less flattering choice.
func Median(samples []float64) float64 {
	if len(samples) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(samples))
	return sorted[(len(sorted)-1)/2]
}

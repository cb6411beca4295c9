package main

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// load is what a number of clients achieved that each ask again as soon as they are answered.
type load struct {
	Count   int
	Seconds float64
	P50     float64 // milliseconds
	P99     float64
	CPU     map[string]float64 // milliseconds of processor time per request, by process
}

func (l load) rate() float64 {
	if l.Seconds == 0 {
		return 0
	}
	return float64(l.Count) / l.Seconds
}

// until says when clients stop: after a number of requests, or after a time.
type until struct {
	count int
	after time.Duration
}

// drive runs clients. The first error stops them all: a benchmark of failures measures nothing.
func drive(ctx context.Context, clients int, end until, ask func(ctx context.Context, i int) error) (load, error) {
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
				if ctx.Err() != nil || end.count > 0 && i >= end.count || end.after > 0 && time.Since(began) >= end.after {
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
		return load{}, err
	}
	return summarise(slices.Concat(took...), seconds), nil
}

func summarise(took []time.Duration, seconds float64) load {
	slices.Sort(took)
	return load{Count: len(took), Seconds: seconds, P50: percentile(took, 50), P99: percentile(took, 99)}
}

// percentile of sorted durations, in milliseconds: the smallest that at least p percent do not exceed.
func percentile(sorted []time.Duration, p int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	i := (len(sorted)*p + 99) / 100
	return float64(sorted[max(i, 1)-1].Microseconds()) / 1000
}

// median of samples; of an even number the lower middle one, which flatters nobody.
func median(samples []float64) float64 {
	if len(samples) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(samples))
	return sorted[(len(sorted)-1)/2]
}

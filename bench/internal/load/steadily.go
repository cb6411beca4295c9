package load

import (
	"context"
	"sync"
	"time"
)

// ReadsPerSecond is the rate of reads during a storm, the same on both sides.
const ReadsPerSecond = 40

// Steadily reads at a fixed rate, independently of answers, until stop. Waiting for each answer would slow the reads
// down with the server, and hide its delay.
func Steadily(ctx context.Context, read func(ctx context.Context, i int) error) (stop func() (Load, error)) {
	ctx, cancel := context.WithCancel(ctx)
	var mu sync.Mutex
	var took []time.Duration
	var failed error
	var all sync.WaitGroup
	began := time.Now()
	all.Go(func() {
		ticker := time.NewTicker(time.Second / ReadsPerSecond)
		defer ticker.Stop()
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			all.Go(func() {
				asked := time.Now()
				err := read(context.WithoutCancel(ctx), i)
				mu.Lock()
				defer mu.Unlock()
				if took = append(took, time.Since(asked)); err != nil {
					failed = err
				}
			})
		}
	})
	return func() (Load, error) {
		cancel()
		all.Wait()
		return summarise(took, time.Since(began).Seconds()), failed
	}
}

package load

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// SleepUntil waits for a time of day.
func SleepUntil(ctx context.Context, at time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(at)):
		return nil
	}
}

// eventuallyPatience allows for other users of the machine, and for remaining work of the last scenario.
const eventuallyPatience = 5 * time.Minute

// Eventually repeats a check until it passes or patience ends.
func Eventually(ctx context.Context, what string, check func() error) error {
	ctx, cancel := context.WithTimeout(ctx, eventuallyPatience)
	defer cancel()
	for {
		err := check()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready after %s: %w", what, eventuallyPatience, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// NoWorkflow waits until no subscription meets a condition, which is the open work of its workflow.
func NoWorkflow(ctx context.Context, pool *pgxpool.Pool, whose, condition string) error {
	return Eventually(ctx, "the last workflow", func() error {
		var left int
		err := pool.QueryRow(ctx, "select count(*) from subscriptions where "+condition).Scan(&left)
		if err == nil && left > 0 {
			err = fmt.Errorf("the workflow of %d subscriptions %s yet", left, whose)
		}
		return err
	})
}

// WakesDone waits until each workflow has acted on the command that woke it.
func WakesDone(ctx context.Context, pool *pgxpool.Pool) error {
	return NoWorkflow(ctx, pool, "has not acted", "wake_pending_since is not null")
}

package execution

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
)

// SettlePause is the pause before an activity looks again, where writers are still under way that may have found its
// row awake and so sent no signal.
const SettlePause = time.Second

// Stopping returns a channel that is closed when the worker is to end; nil outside of a worker: never.
func Stopping(ctx context.Context) <-chan struct{} {
	if activity.IsActivity(ctx) {
		return activity.GetWorkerStopChannel(ctx)
	}
	return nil
}

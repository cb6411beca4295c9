package usage

import (
	"cmp"
	"context"
	"errors"
	"time"

	"perennial/db/core"
)

// awaitPoll is the time before the second poll of the writers; it doubles up to awaitLongest. After awaitLimit the call
// fails. A writer takes milliseconds; the server ends a frozen one within a minute.
const (
	awaitPoll    = 2 * time.Millisecond
	awaitLongest = 250 * time.Millisecond
	awaitLimit   = 90 * time.Second
)

// ErrBeingWritten is the error of AwaitRecords after its limit: a repetition may succeed.
var ErrBeingWritten = errors.New("db: records of usage are still being written by a transaction that began before")

// AwaitRecords waits until all transactions that began to write records of the environment before the call have ended.
// Their records are then counted, and each later one sees all commits before the call. It calls beat after each poll.
// It returns ErrBeingWritten after 90 seconds, and the error of ctx.
func (l *Log) AwaitRecords(ctx context.Context, environmentID string, beat func()) error {
	handle := l.store.Reads().Handle
	// A writer with a lock has a lower position: all share the sequence.
	fence, err := core.Queries.UsageFence(ctx, handle)
	if err != nil {
		return core.Translate("UsageFence", err)
	}
	within, cancel := context.WithTimeout(ctx, awaitLimit)
	defer cancel()
	for wait := awaitPoll; ; wait = min(2*wait, awaitLongest) {
		horizon, err := core.Queries.UsageHorizon(ctx, handle, environmentID)
		if err != nil {
			return core.Translate("UsageHorizon", err)
		}
		if horizon >= fence {
			return nil
		}
		beat()
		select {
		case <-within.Done():
			return cmp.Or(ctx.Err(), ErrBeingWritten)
		case <-time.After(wait):
		}
	}
}

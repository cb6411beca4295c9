package rig

import (
	"context"
	"runtime"
	"time"

	"perennial/bench/internal/load"
	"perennial/bench/internal/machine"
)

// Settle waits until our own processes have hardly anything to do, so that what one measurement left behind does not
// weigh on the next: the product answers before the workflow that follows has begun. What others do on the machine does
// not count.
func (r *Rig) Settle(ctx context.Context) { r.SettleWithin(ctx, r.patience) }

// SettleWithin is settle with a patience of its own.
func (r *Rig) SettleWithin(ctx context.Context, patience time.Duration) {
	deadline := time.Now().Add(patience)
	for quiet := 0; quiet < 2; {
		if time.Now().After(deadline) || ctx.Err() != nil {
			r.Say("still busy after %s: what is measured next is disturbed", patience)
			return
		}
		if r.ownBusy(ctx, 400*time.Millisecond) < 0.2 {
			quiet++
		} else {
			quiet = 0
		}
	}
}

// ownBusy is the share of the machine's processor time that the rig's processes used meanwhile; 0 where the system does
// not tell.
func (r *Rig) ownBusy(ctx context.Context, meanwhile time.Duration) float64 {
	before, began := r.ProcessorUsage().Total(), time.Now()
	_ = load.SleepUntil(ctx, time.Now().Add(meanwhile)) // cut short, the share is that of a shorter time
	return (r.ProcessorUsage().Total() - before) / time.Since(began).Seconds() / float64(runtime.NumCPU())
}

// ProcessorUsage returns the processor time of the rig's processes and servers, and of this process.
func (r *Rig) ProcessorUsage() machine.Usage { return machine.UsageOf(r.pids) }

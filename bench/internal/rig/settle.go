package rig

import (
	"context"
	"runtime"
	"time"

	"perennial/bench/internal/load"
	"perennial/bench/internal/machine"
)

// Settle waits until the rig's own processes are nearly idle, so that remaining work of one measurement does not
// disturb the next: the product answers before the workflow that follows has begun. Other users of the machine do not
// count.
func (r *Rig) Settle(ctx context.Context) { r.SettleWithin(ctx, r.patience) }

// SettleWithin is Settle with another patience.
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

// ownBusy returns the share of the machine's processor time that the rig's processes used during a time; 0 where the
// system does not report it.
func (r *Rig) ownBusy(ctx context.Context, meanwhile time.Duration) float64 {
	before, began := r.ProcessorUsage().Total(), time.Now()
	_ = load.SleepUntil(ctx, time.Now().Add(meanwhile)) // cut short, the share is that of a shorter time
	return (r.ProcessorUsage().Total() - before) / time.Since(began).Seconds() / float64(runtime.NumCPU())
}

// ProcessorUsage returns the processor time of the rig's processes and servers, and of this process.
func (r *Rig) ProcessorUsage() machine.Usage { return machine.UsageOf(r.pids) }

package main

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// settle waits until our own processes have hardly anything to do, so that what one measurement left behind does not
// weigh on the next: the product answers before the workflow that follows has begun. What others do on the machine does
// not count.
func (r *rig) settle(ctx context.Context) {
	deadline := time.Now().Add(r.patience)
	for quiet := 0; quiet < 2; {
		if time.Now().After(deadline) || ctx.Err() != nil {
			r.say("still busy after %s: what is measured next is disturbed", r.patience)
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
func (r *rig) ownBusy(ctx context.Context, meanwhile time.Duration) float64 {
	before, began := r.processorUsage().total(), time.Now()
	_ = sleepUntil(ctx, time.Now().Add(meanwhile)) // cut short, the share is that of a shorter time
	return (r.processorUsage().total() - before) / time.Since(began).Seconds() / float64(runtime.NumCPU())
}

// busy is the share of processor time that was used meanwhile; 0 where the system does not tell.
func busy(ctx context.Context, meanwhile time.Duration) float64 {
	idle, total := processorTime()
	_ = sleepUntil(ctx, time.Now().Add(meanwhile)) // cut short, the share is that of a shorter time
	idle2, total2 := processorTime()
	if total2 == total {
		return 0
	}
	return 1 - float64(idle2-idle)/float64(total2-total)
}

func processorTime() (idle, total int64) {
	raw, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0
	}
	line, _, _ := strings.Cut(string(raw), "\n")
	for i, field := range strings.Fields(line) {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			continue // the word cpu
		}
		if i == 4 || i == 5 { // idle and waiting for disk
			idle += n
		}
		total += n
	}
	return idle, total
}

// residentMB is the memory of a process that is in RAM; 0 where the system does not tell.
func residentMB(pid int) float64 {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err == nil {
				return kb / 1024
			}
		}
	}
	return 0
}

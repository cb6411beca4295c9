package main

import (
	"context"
	"os"
	"strconv"
	"strings"
	"time"
)

// settle waits until the machine has hardly more to do than before the rig was started, so that what one measurement
// left behind does not weigh on the next. When patience is over it goes on regardless: on a shared machine quiet may
// never come.
func (r *rig) settle(ctx context.Context) {
	deadline := time.Now().Add(r.patience)
	for quiet := 0; quiet < 2 && time.Now().Before(deadline) && ctx.Err() == nil; {
		if busy(ctx, 400*time.Millisecond) < r.others+0.2 {
			quiet++
		} else {
			quiet = 0
		}
	}
}

// busy is the share of processor time that was used meanwhile; 0 where the system does not tell.
func busy(ctx context.Context, meanwhile time.Duration) float64 {
	idle, total := processorTime()
	select {
	case <-ctx.Done():
	case <-time.After(meanwhile):
	}
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

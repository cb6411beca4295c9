package machine

import (
	"context"
	"os"
	"strconv"
	"strings"
	"time"

	"perennial/bench/internal/load"
)

// Busy returns the share of processor time that is used during a time; 0 where the system does not report it.
func Busy(ctx context.Context, meanwhile time.Duration) float64 {
	idle, total := processorTime()
	_ = load.SleepUntil(ctx, time.Now().Add(meanwhile)) // cut short, the share is that of a shorter time
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
			continue // the label cpu
		}
		if i == 4 || i == 5 { // idle and waiting for disk
			idle += n
		}
		total += n
	}
	return idle, total
}

// ResidentMB returns the memory of a process that is in RAM; 0 where the system does not report it.
func ResidentMB(pid int) float64 {
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

// Package machine describes the machine of a run, and reads its processor times. It is copied into clones of earlier
// commits with package sampler, so it uses only what they have.
package machine

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Machine describes the machine of a run. Rates need it: on another machine the same code has a multiple of the rate.
type Machine struct {
	CPU      string            `json:"cpu"`
	Cores    int               `json:"cores"`
	MemoryGB float64           `json:"memoryGB"`
	Kernel   string            `json:"kernel"`
	Go       string            `json:"go"`
	Postgres string            `json:"postgres"`
	Temporal map[string]string `json:"temporal"`
}

// This returns the machine of this process.
func This() Machine {
	return Machine{
		CPU: fieldOf("/proc/cpuinfo", "model name"), Cores: runtime.NumCPU(), MemoryGB: memoryGB(),
		Kernel: strings.TrimSpace(contents("/proc/sys/kernel/osrelease")), Go: runtime.Version(),
		Temporal: map[string]string{},
	}
}

func contents(path string) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	return string(raw)
}

func fieldOf(path, name string) string {
	for line := range strings.Lines(contents(path)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

func memoryGB() float64 {
	kb, err := strconv.ParseFloat(strings.TrimSuffix(fieldOf("/proc/meminfo", "MemTotal"), " kB"), 64)
	if err != nil {
		return 0
	}
	return float64(int(kb/1024/1024*10)) / 10
}

// LoadAverage returns the load averages of 1, 5 and 15 minutes.
func LoadAverage() string {
	fields := strings.Fields(contents("/proc/loadavg"))
	return strings.Join(fields[:min(3, len(fields))], " ")
}

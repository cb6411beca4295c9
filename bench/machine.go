package main

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"go.temporal.io/api/workflowservice/v1"
)

// machine is where a run took place. Rates mean nothing without it: the same code does a multiple elsewhere.
type machine struct {
	CPU      string            `json:"cpu"`
	Cores    int               `json:"cores"`
	MemoryGB float64           `json:"memoryGB"`
	Kernel   string            `json:"kernel"`
	Go       string            `json:"go"`
	Postgres string            `json:"postgres"`
	Temporal map[string]string `json:"temporal"`
}

func thisMachine() machine {
	return machine{
		CPU: fieldOf("/proc/cpuinfo", "model name"), Cores: runtime.NumCPU(), MemoryGB: memoryGB(),
		Kernel: strings.TrimSpace(contents("/proc/sys/kernel/osrelease")), Go: runtime.Version(),
		Temporal: map[string]string{},
	}
}

// learn adds the versions of a rig's servers.
func (m *machine) learn(ctx context.Context, r *rig) error {
	err := r.bare.pool.QueryRow(ctx, "show server_version").Scan(&m.Postgres)
	if err != nil {
		return err
	}
	info, err := r.bare.temporal.WorkflowService().GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	if err != nil {
		return err
	}
	m.Temporal[r.kind] = info.GetServerVersion()
	return nil
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

// commit names the code that runs. A work tree with changes is not told apart: commit before a run that is to be kept.
func commit(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

func loadAverage() string {
	fields := strings.Fields(contents("/proc/loadavg"))
	return strings.Join(fields[:min(3, len(fields))], " ")
}

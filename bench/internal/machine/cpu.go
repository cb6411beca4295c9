package machine

import (
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Usage is the processor time, in seconds, of each part of the rig so far.
type Usage map[string]float64

// tick is the unit of /proc's processor times: a hundredth of a second on every Linux that Go runs on.
const tick = 0.01

// UsageOf reads it from /proc for this process, for named ones, and for the servers that this process has started; on
// other systems it is empty. PostgreSQL's backends count together.
func UsageOf(pids map[string]int) Usage {
	names := map[int]string{os.Getpid(): "load generator"}
	for name, pid := range pids {
		names[pid] = name
	}
	out := Usage{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return out
	}
	var all []stat
	postmaster := 0
	for _, path := range stats {
		p, ok := readStat(path)
		if !ok {
			continue
		}
		all = append(all, p)
		if p.command == "postgres" && p.parent == os.Getpid() {
			postmaster = p.pid
		}
	}
	for _, p := range all {
		switch name, known := names[p.pid]; {
		case known:
			out[name] += p.seconds
		case p.command == "postgres" && (p.pid == postmaster || p.parent == postmaster):
			out["postgres"] += p.seconds
		case p.parent == os.Getpid() && (p.command == "temporal" || p.command == "server"):
			out["temporal"] += p.seconds
		}
	}
	return out
}

type stat struct {
	pid, parent int
	command     string
	seconds     float64
}

// readStat reads pid, comm, ppid, utime and stime of proc(5). A process that has just ended is no error.
func readStat(path string) (s stat, ok bool) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return s, false
	}
	text := string(raw)
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < 0 {
		return s, false
	}
	fields := strings.Fields(text[end+1:]) // from the state on, which is field 3
	if len(fields) < 13 {
		return s, false
	}
	s.command = text[open+1 : end]
	var user, system int
	for into, field := range map[*int]string{
		&s.pid: strings.TrimSpace(text[:open]), &s.parent: fields[1], &user: fields[11], &system: fields[12],
	} {
		if *into, err = strconv.Atoi(field); err != nil {
			return s, false
		}
	}
	s.seconds = float64(user+system) * tick
	return s, true
}

// Total returns the sum of all parts.
func (u Usage) Total() (seconds float64) {
	for _, part := range u {
		seconds += part
	}
	return seconds
}

// Each returns the time used since before, in milliseconds for each of n operations, without parts below 0.01 ms.
func (u Usage) Each(before Usage, n int) map[string]float64 {
	out := map[string]float64{}
	for name, seconds := range u {
		if ms := (seconds - before[name]) * 1000 / float64(max(n, 1)); ms >= 0.01 {
			out[name] = float64(int(ms*100+0.5)) / 100
		}
	}
	return out
}

// Average returns the averages of several samples.
func Average(samples []map[string]float64) map[string]float64 {
	out := map[string]float64{}
	for _, sample := range samples {
		for name, ms := range sample {
			out[name] += ms / float64(len(samples))
		}
	}
	maps.DeleteFunc(out, func(_ string, ms float64) bool { return ms < 0.005 })
	return out
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// profile is where the processor time of one process went while a scenario ran.
type profile struct {
	Process string `json:"process"`
	Top     string `json:"top"` // of go tool pprof
}

// profileSeconds is how long each profile is taken, and profileDelay how long after a scenario began.
const (
	profileSeconds = 20
	profileDelay   = 3 * time.Second
)

// profiles takes profiles of our processes beside a scenario, over and over until the scenario ends; the last one
// counts, since scenarios prepare before they measure. It costs a few percent, so it is for finding out, not for goals.
func (r *rig) profiles(ctx context.Context, o options) (stop func() []profile) {
	if !o.profile {
		return func() []profile { return nil }
	}
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	last := make([]profile, 2)
	for i, p := range []struct{ name, address string }{{"api", r.ours.apiProfile}, {"worker", r.ours.workProfile}} {
		all.Go(func() {
			_ = sleepUntil(ctx, time.Now().Add(profileDelay)) // the loop sees the end
			for ctx.Err() == nil {
				top, err := takeProfile(ctx, r.dir, r.binary, p.name, p.address)
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					top = err.Error()
					_ = sleepUntil(ctx, time.Now().Add(time.Second)) // the loop sees the end
				}
				last[i] = profile{Process: p.name, Top: top}
			}
		})
	}
	return func() []profile {
		cancel()
		all.Wait()
		return last
	}
}

// profileWave takes a profile of the Temporal server while one side's wave is worked off, so that what the sides ask of
// it can be compared. The development server has none to take.
func (r *rig) profileWave(ctx context.Context, side string) (stop func() error) {
	if r.serverProfile == "" {
		return func() error { return nil }
	}
	var all errgroup.Group
	all.Go(func() error {
		top, err := takeProfile(ctx, r.dir, r.binary, "temporal-"+side, r.serverProfile)
		if err == nil {
			r.waveProfiles = append(r.waveProfiles, profile{Process: "Temporal server, " + side, Top: top})
		}
		return err
	})
	return all.Wait
}

func takeProfile(ctx context.Context, dir, binary, name, address string) (string, error) {
	url := fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", address, profileSeconds)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }() // it was read to its end
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		return "", err
	}
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("no profile of %s: %d", name, answer.StatusCode)
	}
	file := filepath.Join(dir, name+".pprof")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-cum", "-nodecount=400", binary, file).Output()
	if err != nil {
		return "", err
	}
	return ourLines(out), nil
}

// Short is the beginning of it, with names cut to a width that a page has.
func (p profile) Short() string {
	const most, width = 26, 120
	var kept []string
	for line := range strings.Lines(p.Top) {
		if line = strings.TrimRight(line, "\n"); len(line) > width {
			line = line[:width] + "…"
		}
		if kept = append(kept, line); len(kept) == most {
			break
		}
	}
	return strings.Join(kept, "\n")
}

// ourLines keeps the head and what tells something: our own functions and those of the libraries right below.
func ourLines(top []byte) string {
	var kept []string
	for line := range bytes.Lines(top) {
		text := strings.TrimRight(string(line), "\n")
		interesting := strings.HasPrefix(text, "Duration") || strings.Contains(text, "flat%")
		for _, mark := range []string{
			"perennial/", "pgx", "temporal", "grpc", "net/http.(*", "runtime.gcBgMark", "runtime.mcall", "syscall.Syscall",
			"json",
		} {
			interesting = interesting || strings.Contains(text, mark)
		}
		if interesting && len(kept) < 60 {
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, "\n")
}

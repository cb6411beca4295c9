package rig

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

	"perennial/bench/internal/load"
	"perennial/bench/internal/result"
)

// A profile takes profileSeconds. The first begins profileDelay after the scenario.
const (
	profileSeconds = 20
	profileDelay   = 3 * time.Second
)

// Profiles takes profiles of the product's processes during a scenario, repeatedly until its end. The last one counts,
// since scenarios prepare before they measure. It costs a few percent, so it is for analysis, not for goals.
func (r *Rig) Profiles(ctx context.Context) (stop func() []result.Profile) {
	if !r.profiling {
		return func() []result.Profile { return nil }
	}
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	last := make([]result.Profile, 2)
	for i, p := range []struct{ name, address string }{{"api", r.Ours.apiProfile}, {"worker", r.Ours.workProfile}} {
		all.Go(func() {
			_ = load.SleepUntil(ctx, time.Now().Add(profileDelay)) // the loop detects the end
			for ctx.Err() == nil {
				top, err := takeProfile(ctx, r.Dir, r.Binary, p.name, p.address)
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					top = err.Error()
					_ = load.SleepUntil(ctx, time.Now().Add(time.Second)) // the loop detects the end
				}
				last[i] = result.Profile{Process: p.name, Top: top}
			}
		})
	}
	return func() []result.Profile {
		cancel()
		all.Wait()
		return last
	}
}

// TakeWaveProfiles returns and removes the profiles of profileWave.
func (r *Rig) TakeWaveProfiles() []result.Profile {
	taken := r.waveProfiles
	r.waveProfiles = nil
	return taken
}

// profileWave takes a profile of the Temporal server during one side's wave, to compare the load of the sides. The
// development server has none.
func (r *Rig) profileWave(ctx context.Context, side string) (stop func() error) {
	if r.serverProfile == "" {
		return func() error { return nil }
	}
	var all errgroup.Group
	all.Go(func() error {
		top, err := takeProfile(ctx, r.Dir, r.Binary, "temporal-"+side, r.serverProfile)
		if err == nil {
			r.waveProfiles = append(r.waveProfiles, result.Profile{Process: "Temporal server, " + side, Top: top})
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

// ourLines keeps the head and the informative lines: functions of the product and of the libraries right below.
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

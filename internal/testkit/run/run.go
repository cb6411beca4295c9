package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"perennial/internal/testkit"
)

const (
	quietAtMost = 15 * time.Second
	// repeatAtMost is the number of failures that a busy machine can cause; more are a fault of the tree.
	repeatAtMost = 12
)

// run is one run of everything.
type run struct {
	out   io.Writer
	clock func() time.Time
	began time.Time
	dir   string // of the module; empty: here

	mu       sync.Mutex
	ended    []*result
	under    map[string]string // the test begun last, by the part that runs
	waiting  int
	told     time.Time
	repeated []string // tests that passed when they were alone
}

func newRun(out io.Writer, clock func() time.Time) *run {
	return &run{out: out, clock: clock, began: clock(), told: clock(), under: map[string]string{}}
}

// all runs the parts and reports whether every test passed.
func (r *run) all(ctx context.Context, parts []part, places int) bool {
	r.waiting = len(parts) // before any report about it
	stop := r.tell(ctx)
	queue := make(chan part, len(parts))
	for _, p := range parts {
		queue <- p
	}
	close(queue)
	var workers sync.WaitGroup
	for range places {
		workers.Go(func() {
			for p := range queue {
				r.part(ctx, p, false)
			}
		})
	}
	workers.Wait()
	if ctx.Err() == nil {
		r.repeat(ctx)
	}
	stop()
	return r.summary(ctx)
}

// part runs one call of `go test` and keeps its result.
func (r *run) part(ctx context.Context, p part, alone bool) []*result {
	r.mu.Lock()
	r.under[p.name] = ""
	if !alone {
		r.waiting--
	}
	r.mu.Unlock()
	c := &collector{
		part: p, results: map[string]*result{},
		ended: func(res *result) { r.end(res, alone) },
		running: func(pkg, test string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.under[p.name] = short(pkg) + "." + test
		},
	}
	err := r.goTest(ctx, p, c)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.under, p.name)
	var out []*result
	for _, res := range c.results {
		out = append(out, res)
	}
	if err != nil && !slices.ContainsFunc(out, func(res *result) bool { return !res.ok() }) {
		broken := &result{part: p, pkg: p.name, broken: true, output: map[string]*strings.Builder{}}
		broken.write("", err.Error()+"\n")
		r.ended = append(r.ended, broken)
		r.line("FAIL %s: %v", p.name, err)
		out = append(out, broken)
	}
	return out
}

func (r *run) goTest(ctx context.Context, p part, c *collector) error {
	cmd := exec.CommandContext(ctx, "go", p.arguments(limit())...) //nolint:gosec // packages of our own tree
	cmd.Dir = r.dir
	// Collections of garbage cost a fifth of the run, and there is memory: no package needs a gigabyte.
	cmd.Env = append(os.Environ(), "GOGC=400")
	if p.seed != "" {
		cmd.Env = append(cmd.Env, testkit.EnvSeed+"="+p.seed)
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	stream, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	readErr := c.read(stream)
	if _, err := io.Copy(io.Discard, stream); err != nil && readErr == nil {
		readErr = err
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(p.arguments(limit()), " "), err, complaints.String())
	}
	return readErr
}

// end reports a package that has ended; a failure is shown at once, in full.
func (r *run) end(res *result, alone bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !alone {
		r.ended = append(r.ended, res)
	}
	state := "ok  "
	if !res.ok() {
		state = "FAIL"
	}
	how := fmt.Sprintf("%6.1f s", res.seconds)
	if res.cached {
		how = "  cached"
	}
	name := short(res.pkg)
	if res.part.race {
		name += " (race detector)"
	}
	r.line("%s %s  %s: %d passed", state, how, name, res.passed)
	if !res.ok() {
		_, _ = io.WriteString(r.out, res.text()) // a report that cannot be written has no other place
	}
}

func (r *run) line(format string, args ...any) {
	r.told = r.clock()
	_, _ = fmt.Fprintf(r.out, "test: %4.0f s  "+format+"\n", append([]any{r.told.Sub(r.began).Seconds()}, args...)...)
}

// tell writes a line where nothing was said for a while.
func (r *run) tell(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	var finished sync.WaitGroup
	finished.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-tick.C:
				r.mu.Lock()
				if r.clock().Sub(r.told) >= quietAtMost {
					r.line("%s", r.state())
				}
				r.mu.Unlock()
			}
		}
	})
	return func() { close(done); finished.Wait() }
}

func (r *run) state() string {
	var under []string
	for name, test := range r.under {
		if test == "" {
			test = "compiling"
		}
		under = append(under, name+" ("+test+")")
	}
	slices.Sort(under)
	return fmt.Sprintf("%d packages done, %d parts wait, running: %s", len(r.ended), r.waiting, strings.Join(under, ", "))
}

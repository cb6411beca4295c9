// Command bench measures the paths that the product promises to be fast on, each against a bare side in the same run.
// `go run ./bench --help` has the usage; docs/performance.md has the latest results.
//
// The measurements are in internal/scenario, on servers of internal/rig. Subcommands are internal/before, which
// compares two commits with internal/sampler, and internal/report. They share internal/load, internal/machine and
// internal/result. The bare side is bare; stage has the first rows of both sides.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"perennial/bench/bare"
	"perennial/bench/internal/before"
	"perennial/bench/internal/machine"
	"perennial/bench/internal/report"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
	"perennial/bench/internal/sampler"
	"perennial/bench/internal/scenario"
)

func main() {
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, release) // a second signal ends at once
	if err := execute(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func execute(ctx context.Context, args []string) error {
	// The bare side is this program in a separate process, so that its processor time is counted separately, like the
	// product's.
	if document := os.Getenv(rig.BareEnv); document != "" {
		c, err := bare.ParseConfig(document)
		if err != nil {
			return err
		}
		return bare.Run(ctx, c)
	}
	if len(args) > 0 {
		switch args[0] {
		case "report":
			return report.Write(args[1:], scenario.Names())
		case "before":
			return before.Run(ctx, args[1:])
		case "samples":
			return sampler.Run(ctx, args[1:], startMeasured)
		}
	}
	o, err := parse(args, time.Now())
	if errors.Is(err, flag.ErrHelp) {
		showUsage(os.Stdout)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w; see --help", err)
	}
	return measure(ctx, o)
}

// measure runs the chosen scenarios and writes their results to one file per run. An interrupted run has a file too,
// with the results so far.
func measure(ctx context.Context, o commandLine) error {
	if o.binary == "" {
		o.binary = filepath.Join(o.state, "bench", "perennial")
		fmt.Fprintln(os.Stderr, "bench: compiling perennial (the first time takes a minute or two)")
		args := []string{"build", "-o", o.binary}
		if o.profile {
			args = append(args, "-tags", "pprof")
		}
		build := exec.CommandContext(ctx, "go", append(args, "./cmd/perennial")...)
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("compile perennial: %w\n%s", err, out)
		}
	}
	var err error
	if o.binary, err = filepath.Abs(o.binary); err != nil {
		return err
	}
	if o.state, err = filepath.Abs(o.state); err != nil {
		return err
	}
	all := result.Run{Begun: time.Now(), Commit: commit(ctx), Scale: o.Scale, Seed: o.Seed, Machine: machine.This()}
	for _, kind := range o.temporal {
		t, targetErr := measureOn(ctx, o, kind, &all.Machine)
		all.Targets = append(all.Targets, t)
		if err = errors.Join(err, targetErr); ctx.Err() != nil {
			break
		}
	}
	all.Seconds = time.Since(all.Begun).Seconds()
	for _, t := range all.Targets {
		fmt.Printf("\nTemporal: %s %s\n", t.Temporal, all.Machine.Temporal[t.Temporal])
		var rows []result.Row
		for _, s := range t.Scenarios {
			rows = append(rows, s.Rows...)
		}
		result.Table(os.Stdout, rows)
	}
	path, saveErr := all.Save(o.results)
	if saveErr == nil {
		fmt.Printf("\n%s\n", path)
	}
	return errors.Join(err, saveErr)
}

// measureOn runs the scenarios on one kind of Temporal server. Results before an error are kept.
func measureOn(ctx context.Context, o commandLine, kind string, m *machine.Machine) (t result.Target, err error) {
	t.Temporal = kind
	began := time.Now()
	say := func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "%6.0f s %-9s%s\n", time.Since(began).Seconds(), kind, fmt.Sprintf(format, args...))
	}
	r, err := rig.New(ctx, rig.Config{
		Kind: kind, State: o.state, Binary: o.binary, Profiling: o.profile, Say: say,
		Patience: scenario.Pick(o.Options, 30*time.Second, 3*time.Minute),
	})
	defer func() { err = errors.Join(err, r.Stop(ctx)) }()
	if err != nil {
		return t, err
	}
	t.Others = r.Others
	if err := r.Versions(ctx, m); err != nil {
		return t, err
	}
	for _, s := range scenario.All {
		if !slices.Contains(o.only, s.Name) {
			continue
		}
		say("%s: %s", s.Name, s.Summary)
		// Every scenario begins with idle servers: remaining work of the last one would slow this one.
		r.Settle(ctx)
		average, started := machine.LoadAverage(), time.Now()
		profiles := r.Profiles(ctx)
		got, failed := s.Run(ctx, r, o.Options)
		if failed != nil { // other scenarios can still be measured
			say("%s failed: %s", s.Name, failed)
			profiles()
			if err = errors.Join(err, fmt.Errorf("%s on %s: %w", s.Name, kind, failed)); ctx.Err() != nil {
				return t, err
			}
			continue
		}
		got.Name, got.LoadBefore, got.Seconds = s.Name, average, time.Since(started).Seconds()
		got.Profiles = append(profiles(), r.TakeWaveProfiles()...)
		t.Scenarios = append(t.Scenarios, got)
	}
	return t, err
}

// commit returns the commit of the running code. It ignores local changes: commit before a run whose results are kept.
func commit(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

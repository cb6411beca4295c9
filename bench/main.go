// Command bench measures the paths that the product promises to be fast on, each beside a bare side in the same run.
// `go run ./bench --help` tells how; docs/performance.md shows the latest results.
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
	"syscall"
	"time"

	"perennial/bench/bare"
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
	if document := os.Getenv(bareEnv); document != "" {
		c, err := bare.ParseConfig(document)
		if err != nil {
			return err
		}
		return bare.Run(ctx, c)
	}
	if len(args) > 0 {
		switch args[0] {
		case "report":
			return report(args[1:])
		case "before":
			return beforeAndAfter(ctx, args[1:])
		case "samples":
			return takeSamples(ctx, args[1:])
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

// measure runs the chosen scenarios and writes down what they found.
func measure(ctx context.Context, o options) error {
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
	all := run{Begun: time.Now(), Commit: commit(ctx), Scale: o.scale, Seed: o.seed, Machine: thisMachine()}
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
		var rows []row
		for _, s := range t.Scenarios {
			rows = append(rows, s.Rows...)
		}
		table(os.Stdout, rows)
	}
	path, saveErr := all.save(o.results)
	if saveErr == nil {
		fmt.Printf("\n%s\n", path)
	}
	return errors.Join(err, saveErr)
}

// measureOn runs the scenarios on one kind of Temporal server. What was measured before an error is kept.
func measureOn(ctx context.Context, o options, kind string, m *machine) (t target, err error) {
	t.Temporal = kind
	began := time.Now()
	say := func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "%6.0f s %-9s%s\n", time.Since(began).Seconds(), kind, fmt.Sprintf(format, args...))
	}
	r, err := newRig(ctx, o, kind, say)
	defer func() { err = errors.Join(err, r.stop(ctx)) }()
	if err != nil {
		return t, err
	}
	t.Others = r.others
	if err := m.learn(ctx, r); err != nil {
		return t, err
	}
	for _, s := range scenarios {
		if !slices.Contains(o.only, s.name) {
			continue
		}
		say("%s: %s", s.name, s.summary)
		r.settle(ctx)
		load, started := loadAverage(), time.Now()
		profiles := r.profiles(ctx, o)
		got, failed := s.run(ctx, r, o)
		if failed != nil { // the others can still be measured
			say("%s failed: %s", s.name, failed)
			profiles()
			if err = errors.Join(err, fmt.Errorf("%s on %s: %w", s.name, kind, failed)); ctx.Err() != nil {
				return t, err
			}
			continue
		}
		got.Name, got.LoadBefore, got.Seconds = s.name, load, time.Since(started).Seconds()
		got.Profiles, r.waveProfiles = append(profiles(), r.waveProfiles...), nil
		t.Scenarios = append(t.Scenarios, got)
	}
	return t, err
}

// Package before compares an earlier commit of the product with a later one.
package before

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"perennial/bench/internal/machine"
)

const help = `Usage: go run ./bench before [flags] COMMIT [COMMIT]

Measures an earlier commit beside a later one (default HEAD): both are built in clones of their own, both run at the
same time with servers of their own, and they take turns, so that what happens to the machine happens to both. Prints a
table and writes all samples to bench/results/<date>-<after>-before-<before>.json; docs/performance.md shows the
newest one after "go run ./bench report". The clones stay in .perennial/bench/commits for the next run.

Flags:
  --only path,...          of get, create, commands, renewals, callbacks, storm (default all; about 13 minutes)
  --rounds n               samples of each side, after one round of warm-up (default 3)
  --temporal dev|postgres  which Temporal server (default dev)
  --build                  build both and stop, so that a later run measures at once
  --results dir            where results go (default bench/results)
  --state dir              where clones and servers live (default .perennial)
`

// options are the arguments of a comparison.
type options struct {
	commits [2]string // before, after
	only    []string
	rounds  int
	kind    string // of Temporal
	build   bool
	results string
	state   string
}

// allPaths lists the paths of a comparison in their order.
var allPaths = []string{"get", "create", "commands", "renewals", "callbacks", "storm"}

func parse(args []string) (options, error) {
	o := options{}
	flags := flag.NewFlagSet("before", flag.ContinueOnError)
	flags.SetOutput(os.Stderr)
	flags.Usage = func() { fmt.Fprint(os.Stderr, help) }
	only := flags.String("only", strings.Join(allPaths, ","), "")
	flags.IntVar(&o.rounds, "rounds", 3, "")
	flags.StringVar(&o.kind, "temporal", "dev", "")
	flags.BoolVar(&o.build, "build", false, "")
	flags.StringVar(&o.results, "results", "bench/results", "")
	flags.StringVar(&o.state, "state", ".perennial", "")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.only = strings.Split(*only, ",")
	for _, path := range o.only {
		if !slices.Contains(allPaths, path) {
			return o, fmt.Errorf("--only %s: choose of %s", path, strings.Join(allPaths, ", "))
		}
	}
	if o.kind != "dev" && o.kind != "postgres" {
		return o, fmt.Errorf("--temporal %s: choose dev or postgres", o.kind)
	}
	if o.rounds < 1 {
		return o, errors.New("--rounds: give at least 1")
	}
	switch flags.NArg() {
	case 1:
		o.commits = [2]string{flags.Arg(0), "HEAD"}
	case 2:
		o.commits = [2]string{flags.Arg(0), flags.Arg(1)}
	default:
		return o, errors.New("give the commit to compare with, and perhaps the later one; see go run ./bench before --help")
	}
	return o, nil
}

// Run compares two commits.
func Run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	var sides [2]*commitSide
	for i, name := range []string{"before", "after"} {
		if sides[i], err = buildCommit(ctx, o, name, o.commits[i]); err != nil {
			return err
		}
	}
	if o.build {
		return nil
	}
	c := &Comparison{
		Begun: time.Now(), Before: sides[0].commit, After: sides[1].commit, Temporal: o.kind, Rounds: o.rounds,
		Machine: machine.This(), LoadBefore: machine.LoadAverage(), Others: machine.Busy(ctx, 3*time.Second),
	}
	err = c.measure(ctx, o, sides)
	c.Seconds = time.Since(c.Begun).Seconds()
	if len(c.Rows) == 0 {
		return err
	}
	c.print(os.Stdout)
	path, saveErr := c.save(o.results)
	if saveErr == nil {
		fmt.Printf("\n%s\n", path)
	}
	return errors.Join(err, saveErr)
}

// measure starts both sides and takes all samples. Samples before an error are kept.
func (c *Comparison) measure(ctx context.Context, o options, sides [2]*commitSide) (err error) {
	for _, s := range sides {
		defer func() { err = errors.Join(err, s.stop()) }()
		if err := s.start(ctx, o); err != nil {
			return fmt.Errorf("%s (%s): %w", s.name, s.commit, err)
		}
	}
	d := duel{Comparison: c, sides: sides, rounds: o.rounds}
	for _, path := range allPaths[:3] {
		if !slices.Contains(o.only, path) {
			continue
		}
		measure := map[string]func(context.Context) error{"get": d.get, "create": d.create, "commands": d.commands}[path]
		if failed := measure(ctx); failed != nil { // other paths can still be measured
			err = errors.Join(err, fmt.Errorf("%s: %w", path, failed))
		}
		if ctx.Err() != nil {
			return err
		}
	}
	var waves []string
	for _, path := range allPaths[3:] {
		if slices.Contains(o.only, path) {
			waves = append(waves, path)
		}
	}
	if len(waves) > 0 {
		err = errors.Join(err, d.waves(ctx, waves))
	}
	return err
}

func absolute(paths ...*string) (err error) {
	for _, p := range paths {
		if *p, err = filepath.Abs(*p); err != nil {
			return err
		}
	}
	return nil
}

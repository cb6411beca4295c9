// Command mutate finds changes in the rules of money that no test notices. It changes one operator at a time (a mutant)
// and runs the tests of the package, and those of billing/lifecycle, that reach it:
//
//	go run ./internal/testkit/mutate                            all packages
//	go run ./internal/testkit/mutate creditnote lifecycle/refund.go
//	go run ./internal/testkit/mutate -own creditnote            the package's own tests only, in seconds: no figures
//
// A mutant is killed when a test fails. One that lives is either listed in docs/mutants/equivalents.txt with the reason
// why it changes nothing, or a rule that no test states. The results go to docs/mutants/README.md.
//
// Exit code 0: done. 1: a package is below its floor (docs/mutants/floors.txt), or the list of equivalents is wrong. 2:
// something else failed.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// composed is the package whose tests run in addition to each package's own.
const composed = "lifecycle"

// pure is the packages that decide about money, by name below billing.
var pure = []string{
	"balance", "charging", "collection", "costing", "creditnote", "discount", "entitlement", "foresight", "giveback",
	"invoice", "invoicing", composed, "metered", "metering", "money", "overdue", "payment", "period", "plan", "proration",
	"rating", "recording", "retry", "routing", "subscribing", "tax", "totals", "usage",
}

const (
	reportFile      = "docs/mutants/README.md"
	equivalentsFile = "docs/mutants/equivalents.txt"
	floorsFile      = "docs/mutants/floors.txt"
)

func main() {
	write := flag.Bool("report", true, "write "+reportFile)
	own := flag.Bool("own", false, "run the packages' own tests only, and print what lives; neither report nor floors")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	faults, err := run(ctx, flag.Args(), *own, *write, os.Stdout)
	switch {
	case err != nil:
		_, _ = fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	case len(faults) > 0:
		for _, fault := range faults {
			_, _ = fmt.Fprintln(os.Stderr, "mutate:", fault)
		}
		os.Exit(1)
	}
}

// run judges the chosen units and returns their faults.
func run(ctx context.Context, units []string, own, write bool, w io.Writer) ([]string, error) {
	equivalents, err := readEquivalents(equivalentsFile)
	if err != nil {
		return nil, err
	}
	floors, err := readFloors(floorsFile)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // of the system's folder for such
	t, err := prepare(ctx, chosen(units), own, dir, w)
	if err != nil {
		return nil, err
	}
	results, err := t.judge(ctx, units, equivalents, w)
	if err != nil {
		return nil, err
	}
	if own {
		return nil, nil
	}
	faults := equivalents.faults(t.changes, results)
	for _, r := range results {
		floor, ok := floors[r.unit]
		if !ok {
			_, _ = fmt.Fprintln(w, "mutate:", r.unit, "has no floor yet in", floorsFile)
			continue
		}
		faults = append(faults, floor.faults(r)...)
	}
	if !write {
		return faults, nil
	}
	return faults, report(context.WithoutCancel(ctx), results)
}

// chosen returns the packages of units; none is all of them.
func chosen(units []string) []string {
	var names []string
	for _, unit := range units {
		name, _, _ := strings.Cut(unit, "/")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return pure
	}
	return names
}

// trial is a tree with all mutants in it, and its compiled tests.
type trial struct {
	mutation
	suites map[string]*suite
}

func prepare(ctx context.Context, names []string, own bool, dir string, w io.Writer) (*trial, error) {
	var paths []string
	for _, name := range names {
		if !slices.Contains(pure, name) {
			return nil, fmt.Errorf("%s is none of %s", name, strings.Join(pure, ", "))
		}
		paths = append(paths, module+"/billing/"+name)
	}
	known, err := list(ctx, slices.Concat(paths, []string{module + "/billing/" + composed})...)
	if err != nil {
		return nil, err
	}
	packages := make([]pkg, len(paths))
	for i, path := range paths {
		packages[i] = known[path]
	}
	t := &trial{suites: map[string]*suite{}}
	if t.mutation, err = mutate(packages, known); err != nil {
		return nil, err
	}
	for _, s := range t.skipped {
		_, _ = fmt.Fprintln(w, "mutate: left as it is:", s)
	}
	overlay, err := t.overlay(dir)
	if err != nil {
		return nil, err
	}
	tested := paths
	if !own {
		tested = slices.Concat(paths, []string{module + "/billing/" + composed})
	}
	for _, path := range tested {
		p := known[path]
		if t.suites[p.name()] != nil {
			continue
		}
		_, _ = fmt.Fprintln(w, "mutate: compiling the tests of", p.name(), "and running each without a mutant")
		s, err := compile(ctx, p, overlay, dir)
		if err != nil {
			return nil, err
		}
		if err := s.learn(ctx); err != nil {
			return nil, err
		}
		t.suites[p.name()] = s
	}
	return t, nil
}

// result has the results of the mutants of a unit.
type result struct {
	unit                                           string
	own, byComposed, lived, unreached, equivalents int
	keys                                           []string // of those that survived or were not reached
}

// percent returns how many of a hundred mutants that a test reaches and that change something are killed, rounded down.
func (r result) percent() int {
	killed := r.own + r.byComposed
	if killed+r.lived == 0 {
		return 100
	}
	return 100 * killed / (killed + r.lived)
}

// judge runs the tests under each mutant of the units. If it is interrupted, it returns the results of the finished
// ones.
func (t *trial) judge(ctx context.Context, units []string, known equivalents, w io.Writer) ([]*result, error) {
	var results []*result
	of := map[string]*result{}
	last := time.Now()
	for i, c := range t.changes {
		name, _, _ := strings.Cut(c.unit, "/")
		if len(units) > 0 && !slices.Contains(units, name) && !slices.Contains(units, c.unit) {
			continue
		}
		r := of[c.unit]
		if r == nil {
			r = &result{unit: c.unit}
			of[c.unit], results = r, append(results, r)
		}
		if err := t.try(ctx, c, r, known, w); ctx.Err() != nil {
			_, _ = fmt.Fprintln(w, "mutate: interrupted in", c.unit)
			results = slices.DeleteFunc(results, func(other *result) bool { return other == r })
			break
		} else if err != nil {
			return nil, err
		}
		if time.Since(last) > 15*time.Second || i == len(t.changes)-1 {
			last = time.Now()
			_, _ = fmt.Fprintf(w, "mutate: %d of %d mutants, now in %s\n", i+1, len(t.changes), c.unit)
		}
	}
	for _, r := range results {
		_, _ = fmt.Fprintln(w, "mutate:", r)
	}
	return results, nil
}

func (r result) String() string {
	return fmt.Sprintf("%s: %d %% killed: %d by its own tests, %d by %s's; %d lived, %d not reached, %d equivalent",
		r.unit, r.percent(), r.own, r.byComposed, composed, r.lived, r.unreached, r.equivalents)
}

// try runs the tests under one mutant.
func (t *trial) try(ctx context.Context, c change, r *result, known equivalents, w io.Writer) error {
	name, _, _ := strings.Cut(c.unit, "/")
	own, beside, key := t.suites[name], t.suites[composed], c.String()
	equivalent := known[key] != "" // is tried as well, but not for long
	killed, err := own.kills(ctx, c.id, equivalent)
	if err != nil {
		return err
	}
	besideKilled := false
	if !killed && beside != nil && own != beside {
		if besideKilled, err = beside.kills(ctx, c.id, equivalent); err != nil {
			return err
		}
	}
	switch {
	case killed:
		r.own++
	case besideKilled:
		r.byComposed++
	case equivalent:
		r.equivalents++
		return nil
	case !own.reaches(c.id) && !beside.reaches(c.id):
		r.unreached++
		r.keys = append(r.keys, key+" (not reached)")
	default:
		r.lived++
		r.keys = append(r.keys, key)
	}
	if killed || besideKilled {
		if equivalent {
			r.keys = append(r.keys, key+" (killed)")
		}
		return nil
	}
	_, _ = fmt.Fprintln(w, "mutate: lived:", r.keys[len(r.keys)-1])
	return nil
}

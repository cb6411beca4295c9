package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"perennial/internal/testkit"
	"perennial/internal/testkit/mutate/mutant"
)

// The same lives and properties for each mutant, and without the search for a smaller failure.
const seed = "1"

// A fifth of the checks is what -short leaves: as many as everywhere.
var rapidFlags = []string{"-rapid.seed=" + seed, "-rapid.checks=500", "-rapid.nofailfile", "-rapid.shrinktime=0s"}

// test is one test function, with its duration without a mutant.
type test struct {
	name string
	took time.Duration
}

// suite is the compiled tests of a package.
type suite struct {
	pkg    pkg
	binary string
	// reaching is the tests that reach a mutant, the quickest first.
	reaching map[int][]test
}

// compile builds the tests of a package over the mutated tree.
func compile(ctx context.Context, p pkg, overlay, dir string) (*suite, error) {
	s := &suite{pkg: p, binary: filepath.Join(dir, p.name()+".test"), reaching: map[int][]test{}}
	args := []string{"test", "-c", "-vet=off", "-ldflags=-w", "-overlay", overlay, "-o", s.binary, p.ImportPath}
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // go, with packages of ours
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s does not compile with its mutants: %w\n%s", p.name(), err, out)
	}
	return s, nil
}

// run runs tests and returns their output. A mutant may loop and allocate for ever, so memory and time are limited.
func (s *suite) run(ctx context.Context, limit time.Duration, variable, pattern string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit+5*time.Second)
	defer cancel()
	const script = `ulimit -v 4000000 2>/dev/null; exec "$0" "$@"`
	args := []string{
		"-c", script, s.binary, "-test.run=^(" + pattern + ")$", "-test.failfast", "-test.short",
		"-test.timeout=" + limit.String(),
	}
	if s.pkg.usesRapid() {
		args = append(args, rapidFlags...)
	}
	cmd := exec.CommandContext(ctx, "sh", args...) //nolint:gosec // what we have built
	cmd.Dir = s.pkg.Dir
	environment := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, testkit.EnvSoak+"=")
	})
	cmd.Env = append(environment, "GOMAXPROCS=1", testkit.EnvSeed+"="+seed, variable)
	return cmd.CombinedOutput()
}

// learn runs each test alone without a mutant and notes which mutants it reaches.
func (s *suite) learn(ctx context.Context) error {
	//nolint:gosec // what we have built
	listed, err := exec.CommandContext(ctx, s.binary, "-test.list", ".").Output()
	if err != nil {
		return fmt.Errorf("tests of %s: %w", s.pkg.name(), err)
	}
	for _, name := range strings.Fields(string(listed)) {
		file := s.binary + "." + name + ".reached"
		began := time.Now()
		out, err := s.run(ctx, 5*time.Minute, mutant.EnvReached+"="+file, name)
		if err != nil {
			return fmt.Errorf("%s of %s fails without a mutant: %w\n%s", name, s.pkg.name(), err, out)
		}
		t := test{name, time.Since(began)}
		reached, err := os.ReadFile(file) //nolint:gosec // what we have written
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		for _, field := range bytes.Fields(reached) {
			id, err := strconv.Atoi(string(field))
			if err != nil {
				return err
			}
			s.reaching[id] = append(s.reaching[id], t)
		}
	}
	for _, tests := range s.reaching {
		slices.SortFunc(tests, func(a, b test) int { return int(a.took - b.took) })
	}
	return nil
}

// reaches reports whether a test reaches a mutant. No suite reaches none.
func (s *suite) reaches(id int) bool { return s != nil && len(s.reaching[id]) > 0 }

// kills reports whether a test fails under a mutant. It runs first tests that take a second together, then, unless
// those are enough, those of four seconds and so on.
func (s *suite) kills(ctx context.Context, id int, enough bool) (bool, error) {
	together := time.Second
	for tests := s.reaching[id]; len(tests) > 0; together *= 4 {
		n, takes := 0, time.Duration(0)
		for n < len(tests) && (n == 0 || takes+tests[n].took < together) {
			takes += tests[n].took
			n++
		}
		names := make([]string, n)
		for i, t := range tests[:n] {
			names[i] = t.name
		}
		tests = tests[n:]
		_, err := s.run(ctx, 20*time.Second+10*takes, mutant.EnvChosen+"="+strconv.Itoa(id), strings.Join(names, "|"))
		if failed := (*exec.ExitError)(nil); errors.As(err, &failed) && ctx.Err() == nil {
			return true, nil
		} else if err != nil {
			return false, err
		}
		if enough {
			break
		}
	}
	return false, nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

const reportHead = `# Mutants

Written by ` + "`make mutate`" + `. A mutant is the code with one operator changed ([ADR 70](../adr/0070-mutants.md) says which). It is
killed when a test fails: of the package's own tests, or of billing/lifecycle's. *Killed* is the percentage of those that a test reaches
and that are not listed as changing nothing ([equivalents.txt](equivalents.txt)). ` + "`make soak`" + ` fails where it is below the
package's floor ([floors.txt](floors.txt)).

| package | killed | by its own tests | by lifecycle's | lived | not reached | equivalent | commit and date |
|---|---|---|---|---|---|---|---|
`

const reportLived = `
## What no test notices

`

// report writes the results and keeps those of other units.
func report(ctx context.Context, results []*result) error {
	commit, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty=*").Output()
	if err != nil {
		return fmt.Errorf("git describe: %w", err)
	}
	old, err := os.ReadFile(reportFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	tried := map[string]bool{}
	for _, r := range results {
		tried[r.unit] = true
	}
	var rows, lived []string
	for line := range strings.Lines(string(old)) {
		line = strings.TrimRight(line, "\n")
		if unit, ok := strings.CutPrefix(line, "| "); ok && !strings.HasPrefix(line, "| package |") {
			if unit, _, _ = strings.Cut(unit, " "); !tried[unit] {
				rows = append(rows, line)
			}
		}
		if unit, ok := strings.CutPrefix(line, "- `"); ok {
			if unit, _, _ = strings.Cut(unit, " "); !tried[unit] {
				lived = append(lived, line)
			}
		}
	}
	for _, r := range results {
		rows = append(rows, fmt.Sprintf("| %s | %d %% | %d | %d | %d | %d | %d | %s, %s |",
			r.unit, r.percent(), r.own, r.byComposed, r.lived, r.unreached, r.equivalents,
			strings.TrimSpace(string(commit)), time.Now().UTC().Format(time.DateOnly)))
		for _, key := range r.keys {
			lived = append(lived, "- `"+strings.Replace(key, " (not reached)", "` (not reached)", 1)+closing(key))
		}
	}
	slices.Sort(rows)
	slices.Sort(lived)
	text := reportHead + strings.Join(rows, "\n") + "\n"
	if len(lived) > 0 {
		text += reportLived + strings.Join(lived, "\n") + "\n"
	}
	if err := os.MkdirAll("docs/mutants", 0o755); err != nil { //nolint:gosec // as git makes folders
		return err
	}
	return os.WriteFile(reportFile, []byte(text), 0o644) //nolint:gosec // as git makes files
}

// closing ends the code of a key that goes on with nothing else.
func closing(key string) string {
	if strings.HasSuffix(key, " (not reached)") {
		return ""
	}
	return "`"
}

package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// equivalents is the mutants that change nothing, by key, with the reason.
type equivalents map[string]string

// readEquivalents reads the list: a key at the beginning of a line, the reason in the indented lines below it.
func readEquivalents(name string) (equivalents, error) {
	out, key := equivalents{}, ""
	err := lines(name, func(line string) error {
		switch {
		case strings.HasPrefix(line, " "):
			if key == "" {
				return fmt.Errorf("a reason without a mutant: %s", line)
			}
			out[key] = strings.TrimSpace(out[key] + " " + strings.TrimSpace(line))
		case out[line] != "":
			return fmt.Errorf("listed twice: %s", line)
		default:
			key = line
			out[key] = ""
		}
		return nil
	})
	for key, reason := range out {
		if reason == "" {
			return nil, fmt.Errorf("%s: no reason for %s", name, key)
		}
	}
	return out, err
}

// faults returns the wrong entries: those that a test kills, and those of these packages that do not exist any more.
func (e equivalents) faults(changes []change, results []*result) []string {
	exists, tried, out := map[string]bool{}, map[string]bool{}, []string(nil)
	for _, c := range changes {
		exists[c.String()] = true
	}
	for _, r := range results {
		tried[r.unit] = true
		for _, key := range r.keys {
			if killed, ok := strings.CutSuffix(key, " (killed)"); ok {
				out = append(out, fmt.Sprintf("%s: a test kills what is listed as equivalent: %s", equivalentsFile, killed))
			}
		}
	}
	for key := range e {
		unit, _, _ := strings.Cut(key, " ")
		if tried[unit] && !exists[key] {
			out = append(out, fmt.Sprintf("%s: no such mutant any more: %s", equivalentsFile, key))
		}
	}
	return out
}

// floor is the lower bound of a unit: the percentage of reached mutants that are killed, and the number that no test
// may reach. Without the second, deleting tests would raise the first.
type floor struct{ percent, unreached int }

func readFloors(name string) (map[string]floor, error) {
	out := map[string]floor{}
	return out, lines(name, func(line string) error {
		var unit string
		var f floor
		if _, err := fmt.Sscan(line, &unit, &f.percent, &f.unreached); err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
		out[unit] = f
		return nil
	})
}

// faults returns what of a result is below its floor.
func (f floor) faults(r *result) (out []string) {
	if r.percent() < f.percent {
		out = append(out, fmt.Sprintf("%s: %d %% killed, its floor is %d %%", r.unit, r.percent(), f.percent))
	}
	if r.unreached > f.unreached {
		out = append(out, fmt.Sprintf("%s: no test reaches %d mutants, its floor allows %d",
			r.unit, r.unreached, f.unreached))
	}
	return out
}

// lines calls a function with each line of a file that is neither empty nor a comment.
func lines(name string, each func(line string) error) error {
	file, err := os.Open(name) //nolint:gosec // of this repository
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		line := scanner.Text()
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := each(line); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return scanner.Err()
}

package main

import (
	_ "embed" // the document's words
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

//go:embed report.md.tmpl
var reportText string

const reportPath = "docs/performance.md"

// report writes docs/performance.md from result files; without names, from the newest full results of each scenario.
func report(files []string) error {
	all := len(files) == 0
	if all {
		var err error
		if files, err = filepath.Glob("bench/results/*.json"); err != nil {
			return err
		}
	}
	var runs []run
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var r run
		if err := json.Unmarshal(raw, &r); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if !all || r.Scale == "full" || r.profiled() {
			r.file = filepath.ToSlash(file)
			runs = append(runs, r)
		}
	}
	if len(runs) == 0 {
		return errors.New("no full results in bench/results: run `make bench ARGS='--scale full'` first")
	}
	slices.SortFunc(runs, func(a, b run) int { return a.Begun.Compare(b.Begun) })
	var text strings.Builder
	page, err := template.New("report").Parse(reportText)
	if err != nil {
		return err
	}
	data := newest(runs)
	comparisons, err := readComparisons("bench/results")
	if err != nil {
		return err
	}
	data.Comparisons = newestComparisons(comparisons)
	if err := page.Execute(&text, data); err != nil {
		return err
	}
	return os.WriteFile(reportPath, []byte(text.String()), 0o644)
}

// pageData is what the document shows.
type pageData struct {
	Machine machine
	Runs    []run // that something shown comes from
	Targets []pageTarget
	Missed  []pageMissed

	Comparisons []pageComparison
}

type pageTarget struct {
	Title     string
	Table     string
	Latencies string
	Processor string
	Notes     []string
}

type pageMissed struct {
	Title    string
	Profiles []profile
}

// newest takes each scenario from the latest run that has it.
func newest(runs []run) pageData {
	type place struct{ temporal, scenario string }
	latest, from := map[place]result{}, map[place]int{}
	profiles, others := map[string][]profile{}, map[place]float64{}
	for i, r := range runs {
		for _, t := range r.Targets {
			for _, s := range t.Scenarios {
				at := place{t.Temporal, s.Name}
				if s.Profiles != nil {
					profiles[s.Name] = s.Profiles // taken in a run of its own, on either server: profiling slows
					continue
				}
				latest[at], from[at], others[at] = s, i, t.Others
			}
		}
	}
	used := map[int]bool{}
	page := pageData{Machine: runs[len(runs)-1].Machine}
	for _, kind := range []string{"dev", "postgres"} {
		target := pageTarget{Title: titleOf(kind)}
		var rows []row
		for _, s := range scenarios {
			at := place{kind, s.name}
			got, ok := latest[at]
			if !ok {
				continue
			}
			used[from[at]] = true
			rows = append(rows, got.Rows...)
			for _, note := range got.Notes {
				target.Notes = append(target.Notes, s.name+": "+note)
			}
			run := runs[from[at]]
			target.Notes = append(target.Notes, fmt.Sprintf(
				"%s: %s, commit %s, load before it %s, others used %.0f %% of the processors before the run, took %.0f s",
				s.name, run.Begun.UTC().Format("2006-01-02 15:04 MST"), run.Commit,
				got.LoadBefore, 100*others[at], got.Seconds))
			for _, r := range got.Rows {
				if r.verdict() == "missed" {
					page.Missed = append(page.Missed, pageMissed{Title: r.Path + ", " + titleOf(kind), Profiles: profiles[s.name]})
				}
			}
		}
		if rows != nil {
			target.Table, target.Latencies, target.Processor = ratesTable(rows), latenciesTable(rows), processorTable(rows)
			page.Targets = append(page.Targets, target)
		}
	}
	if page.Machine.Temporal == nil {
		page.Machine.Temporal = map[string]string{}
	}
	for i, r := range runs {
		if used[i] {
			page.Runs = append(page.Runs, r)
		}
		for kind, version := range r.Machine.Temporal {
			page.Machine.Temporal[kind] = version
		}
	}
	return page
}

func titleOf(kind string) string {
	if kind == "postgres" {
		return "Temporal server on PostgreSQL"
	}
	return "Temporal development server (tuned, SQLite)"
}

func ratesTable(rows []row) string {
	lines := [][]string{append(slices.Clone(heads), "samples: ours; bare")}
	for _, r := range rows {
		samples := list(r.Ours)
		if r.Bare != nil {
			samples += "; " + list(r.Bare)
		}
		lines = append(lines, append(r.cells(), samples))
	}
	return markdown(lines)
}

func latenciesTable(rows []row) string {
	lines := [][]string{{"path", "ours p50", "ours p99", "bare p50", "bare p99"}}
	for _, r := range rows {
		if r.OursP50 > 0 {
			lines = append(lines, []string{r.Path, number(r.OursP50), number(r.OursP99), number(r.BareP50), number(r.BareP99)})
		}
	}
	if len(lines) == 1 {
		return ""
	}
	return markdown(lines)
}

// processorTable shows where the processors' time went, process by process.
func processorTable(rows []row) string {
	lines := [][]string{{
		"path", "side", "postgres", "temporal", "simulator", "api", "worker", "bare", "load generator", "sum",
	}}
	for _, r := range rows {
		for _, side := range []struct {
			name string
			cpu  map[string]float64
		}{{"ours", r.OursCPU}, {"bare", r.BareCPU}} {
			if len(side.cpu) == 0 {
				continue
			}
			line, sum := []string{r.Path, side.name}, 0.0
			for _, process := range lines[0][2:9] {
				line = append(line, number(side.cpu[process]))
				sum += side.cpu[process]
			}
			lines = append(lines, append(line, number(sum)))
		}
	}
	if len(lines) == 1 {
		return ""
	}
	return markdown(lines)
}

func list(samples []float64) string {
	var out []string
	for _, s := range samples {
		out = append(out, number(s))
	}
	return strings.Join(out, " ")
}

func markdown(lines [][]string) string {
	var b strings.Builder
	for i, line := range lines {
		b.WriteString("| " + strings.Join(line, " | ") + " |\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(line)) + "|\n")
		}
	}
	return b.String()
}

// profiled reports whether the run was for finding out, not for goals.
func (r run) profiled() bool {
	return slices.ContainsFunc(r.Targets, func(t target) bool {
		return slices.ContainsFunc(t.Scenarios, func(s result) bool { return s.Profiles != nil })
	})
}

// File is the result file's name, for the document.
func (r run) File() string { return r.file }

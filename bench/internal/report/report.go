// Package report writes docs/performance.md from files of results.
package report

import (
	_ "embed" // the document's words
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"perennial/bench/internal/before"
	"perennial/bench/internal/machine"
	"perennial/bench/internal/result"
)

//go:embed report.md.tmpl
var words string

const pagePath = "docs/performance.md"

// Write writes docs/performance.md from result files; without names, from the newest full results of each scenario.
// Scenarios appear in the given order.
func Write(files, scenarios []string) error {
	all := len(files) == 0
	if all {
		var err error
		if files, err = filepath.Glob("bench/results/*.json"); err != nil {
			return err
		}
	}
	var runs []result.Run
	for _, file := range files {
		r, err := result.Read(file)
		if err != nil {
			return err
		}
		if !all || r.Scale == "full" || r.Profiled() {
			runs = append(runs, r)
		}
	}
	if len(runs) == 0 {
		return errors.New("no full results in bench/results: run `make bench ARGS='--scale full'` first")
	}
	slices.SortFunc(runs, func(a, b result.Run) int { return a.Begun.Compare(b.Begun) })
	var text strings.Builder
	page, err := template.New("report").Parse(words)
	if err != nil {
		return err
	}
	data := newest(runs, scenarios)
	comparisons, err := before.Read("bench/results")
	if err != nil {
		return err
	}
	data.Comparisons = newestComparisons(comparisons)
	if err := page.Execute(&text, data); err != nil {
		return err
	}
	return os.WriteFile(pagePath, []byte(text.String()), 0o644)
}

// pageData has the contents of the document.
type pageData struct {
	Machine machine.Machine
	Runs    []result.Run // the sources of the shown results
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
	Profiles []result.Profile
}

// newest returns each scenario from its latest run.
func newest(runs []result.Run, scenarios []string) pageData {
	type place struct{ temporal, scenario string }
	latest, from := map[place]result.Result{}, map[place]int{}
	profiles, others := map[string][]result.Profile{}, map[place]float64{}
	for i, r := range runs {
		for _, t := range r.Targets {
			for _, s := range t.Scenarios {
				at := place{t.Temporal, s.Name}
				if s.Profiles != nil {
					profiles[s.Name] = s.Profiles // from a separate run, on either server: profiling slows
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
		var rows []result.Row
		for _, name := range scenarios {
			at := place{kind, name}
			got, ok := latest[at]
			if !ok {
				continue
			}
			used[from[at]] = true
			rows = append(rows, got.Rows...)
			for _, note := range got.Notes {
				target.Notes = append(target.Notes, name+": "+note)
			}
			run := runs[from[at]]
			target.Notes = append(target.Notes, fmt.Sprintf(
				"%s: %s, commit %s, load before it %s, others used %.0f %% of the processors before the run, took %.0f s",
				name, run.Begun.UTC().Format("2006-01-02 15:04 MST"), run.Commit,
				got.LoadBefore, 100*others[at], got.Seconds))
			for _, r := range got.Rows {
				if r.Verdict() == "missed" {
					page.Missed = append(page.Missed, pageMissed{Title: r.Path + ", " + titleOf(kind), Profiles: profiles[name]})
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

func ratesTable(rows []result.Row) string {
	lines := [][]string{append(slices.Clone(result.Heads), "samples: ours; bare")}
	for _, r := range rows {
		samples := list(r.Ours)
		if r.Bare != nil {
			samples += "; " + list(r.Bare)
		}
		lines = append(lines, append(r.Cells(), samples))
	}
	return markdown(lines)
}

func latenciesTable(rows []result.Row) string {
	lines := [][]string{{"path", "ours p50", "ours p99", "bare p50", "bare p99"}}
	for _, r := range rows {
		if r.OursP50 > 0 {
			lines = append(lines, []string{r.Path, result.Number(r.OursP50), result.Number(r.OursP99), result.Number(r.BareP50), result.Number(r.BareP99)})
		}
	}
	if len(lines) == 1 {
		return ""
	}
	return markdown(lines)
}

// processorTable returns the processor time of each process.
func processorTable(rows []result.Row) string {
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
				line = append(line, result.Number(side.cpu[process]))
				sum += side.cpu[process]
			}
			lines = append(lines, append(line, result.Number(sum)))
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
		out = append(out, result.Number(s))
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

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// comparison is everything that one run of two commits found out; it is what lies in bench/results.
type comparison struct {
	Begun      time.Time  `json:"begun"`
	Seconds    float64    `json:"seconds"`
	Before     string     `json:"before"` // commits
	After      string     `json:"after"`
	Temporal   string     `json:"temporal"` // dev or postgres
	Rounds     int        `json:"rounds"`
	Machine    machine    `json:"machine"`
	LoadBefore string     `json:"loadBefore"`
	Others     float64    `json:"others"` // share of the processors that others used before the run began
	Rows       []compared `json:"rows"`
	Notes      []string   `json:"notes,omitempty"`

	file string // it was read from
}

// compared is one path: samples of both sides, in the order in which they were taken.
type compared struct {
	Path   string   `json:"path"`
	Unit   string   `json:"unit"`
	Before []sample `json:"before"`
	After  []sample `json:"after"`
	// Goals, as ratios of after to before: the least of the rates, the greatest of the processor times. 0: none.
	Least         float64 `json:"least,omitempty"`
	MostProcessor float64 `json:"mostProcessor,omitempty"`
	Reads         bool    `json:"reads,omitempty"` // P99 is that of reads beside it
}

func (c *compared) add(got [2]sample) {
	c.Before, c.After = append(c.Before, got[0]), append(c.After, got[1])
}

var comparedHeads = []string{
	"path", "before", "after", "ratio", "of each round", "unit", "goal", "verdict", "samples: before; after",
}

// lines are the rows of the table: the rate, the processor time, and what else was measured.
func (c compared) lines() [][]string {
	lines := [][]string{
		c.line(c.Path, c.Unit, func(s sample) float64 { return s.Rate }, atLeast(c.Least)),
		c.line(c.Path+": processor", "ms", sample.processor, atMost(c.MostProcessor)),
	}
	if c.Reads {
		lines = append(lines, c.line(c.Path+": GET p99", "ms", func(s sample) float64 { return s.P99 }, atMost(0)))
	}
	return lines
}

// bound is a goal: the ratio of after to before is at least, or at most, this. 0: none.
type bound struct {
	ratio float64
	most  bool
}

func atLeast(ratio float64) bound { return bound{ratio: ratio} }
func atMost(ratio float64) bound  { return bound{ratio: ratio, most: true} }

func (b bound) text() string {
	switch {
	case b.ratio == 0:
		return "–"
	case b.most:
		return fmt.Sprintf("≤ %.2f ×", b.ratio)
	default:
		return fmt.Sprintf("≥ %.2f ×", b.ratio)
	}
}

func (b bound) verdict(ratio float64) string {
	switch {
	case b.ratio == 0:
		return "reported"
	case ratio > 0 && (b.most && ratio <= b.ratio || !b.most && ratio >= b.ratio):
		return "met"
	default:
		return "missed"
	}
}

func (c compared) line(path, unit string, of func(sample) float64, goal bound) []string {
	before, after := values(c.Before, of), values(c.After, of)
	ratio := quotient(median(after), median(before))
	verdict := goal.verdict(ratio)
	if goal.ratio > 0 && c.disturbed() {
		verdict = "disturbed"
	}
	var rounds []string
	for i := range min(len(before), len(after)) {
		rounds = append(rounds, fmt.Sprintf("%.2f", quotient(after[i], before[i])))
	}
	return []string{
		path, number(median(before)), number(median(after)), fmt.Sprintf("%.2f", ratio), strings.Join(rounds, " "), unit,
		goal.text(), verdict, joined(before) + "; " + joined(after),
	}
}

// disturbed reports whether something happened to a sample that makes it prove nothing.
func (c compared) disturbed() bool {
	return slices.ContainsFunc(slices.Concat(c.Before, c.After), func(s sample) bool { return len(s.Notes) > 0 })
}

func values(samples []sample, of func(sample) float64) []float64 {
	var out []float64
	for _, s := range samples {
		out = append(out, of(s))
	}
	return out
}

func quotient(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

func joined(samples []float64) string {
	var out []string
	for _, s := range samples {
		out = append(out, number(s))
	}
	return strings.Join(out, " ")
}

// table is the whole comparison, with its heads.
func (c *comparison) table() [][]string {
	lines := [][]string{comparedHeads}
	for _, row := range c.Rows {
		lines = append(lines, row.lines()...)
	}
	return lines
}

// remarks say what the samples do not: how often the provider called back, and what went wrong.
func (c *comparison) remarks() []string {
	var out []string
	for _, row := range c.Rows {
		before, after := 0, 0
		for i := range min(len(row.Before), len(row.After)) {
			before, after = before+row.Before[i].Callbacks, after+row.After[i].Callbacks
		}
		if before+after > 0 {
			out = append(out, fmt.Sprintf("%s: %d callbacks were taken in before, %d after", row.Path, before, after))
		}
	}
	return append(out, c.Notes...)
}

func (c *comparison) title() string {
	return fmt.Sprintf("%s → %s, Temporal %s, %s", c.Before, c.After, c.Temporal, c.Begun.UTC().Format("2006-01-02 15:04 MST"))
}

// print writes the table in columns for a terminal, without the samples, which the file has.
func (c *comparison) print(w io.Writer) {
	_, _ = fmt.Fprintf(w, "\n%s\n", c.title()) // a closed terminal must not lose the file; nor below
	lines := c.table()
	shown := len(comparedHeads) - 1
	widths := make([]int, shown)
	for _, line := range lines {
		for i, cell := range line[:shown] {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for _, line := range lines {
		var b strings.Builder
		for i, cell := range line[:shown] {
			b.WriteString(cell + strings.Repeat(" ", widths[i]-len([]rune(cell))+2))
		}
		_, _ = fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
	for _, remark := range c.remarks() {
		_, _ = fmt.Fprintln(w, "- "+remark)
	}
}

// save writes the comparison to dir/<date>-<after>-before-<before>.json; a second one of the day gets the time, too.
func (c *comparison) save(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	document, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return "", err
	}
	name := func(when string) string {
		return filepath.Join(dir, c.Begun.UTC().Format(when)+"-"+c.After+"-before-"+c.Before+".json")
	}
	path := name("2006-01-02")
	if _, err := os.Stat(path); err == nil {
		path = name("2006-01-02T150405")
	}
	return path, os.WriteFile(path, append(document, '\n'), 0o644)
}

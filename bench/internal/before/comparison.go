package before

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"perennial/bench/internal/load"
	"perennial/bench/internal/machine"
	"perennial/bench/internal/result"
	"perennial/bench/internal/sampler"
)

// Comparison has the results of one run of two commits, as stored in bench/results.
type Comparison struct {
	Begun      time.Time       `json:"begun"`
	Seconds    float64         `json:"seconds"`
	Before     string          `json:"before"` // commits
	After      string          `json:"after"`
	Temporal   string          `json:"temporal"` // dev or postgres
	Rounds     int             `json:"rounds"`
	Machine    machine.Machine `json:"machine"`
	LoadBefore string          `json:"loadBefore"`
	Others     float64         `json:"others"` // share of the processors that others used before the run began
	Rows       []Compared      `json:"rows"`
	Notes      []string        `json:"notes,omitempty"`

	file string // it was read from
}

// Compared is one path: samples of both sides, in the order of measurement.
type Compared struct {
	Path   string           `json:"path"`
	Unit   string           `json:"unit"`
	Before []sampler.Sample `json:"before"`
	After  []sampler.Sample `json:"after"`
	// Goals, as ratios of after to before: the minimum of the rates, the maximum of the processor times. 0: none.
	Least         float64 `json:"least,omitempty"`
	MostProcessor float64 `json:"mostProcessor,omitempty"`
	Reads         bool    `json:"reads,omitempty"` // P99 is that of the reads during it
}

func (c *Compared) add(got [2]sampler.Sample) {
	c.Before, c.After = append(c.Before, got[0]), append(c.After, got[1])
}

// Heads are the column heads of a comparison's table.
var Heads = []string{
	"path", "before", "after", "ratio", "of each round", "unit", "goal", "verdict", "samples: before; after",
}

// lines returns the rows of the table: the rate, the processor time, and the other measurements.
func (c Compared) lines() [][]string {
	lines := [][]string{
		c.line(c.Path, c.Unit, func(s sampler.Sample) float64 { return s.Rate }, atLeast(c.Least)),
		c.line(c.Path+": processor", "ms", sampler.Sample.Processor, atMost(c.MostProcessor)),
	}
	if c.Reads {
		lines = append(lines, c.line(c.Path+": GET p99", "ms", func(s sampler.Sample) float64 { return s.P99 }, atMost(0)))
	}
	return lines
}

// bound is a goal: the minimum, or the maximum, of the ratio of after to before. 0: none.
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

func (c Compared) line(path, unit string, of func(sampler.Sample) float64, goal bound) []string {
	before, after := values(c.Before, of), values(c.After, of)
	ratio := quotient(load.Median(after), load.Median(before))
	verdict := goal.verdict(ratio)
	if goal.ratio > 0 && c.disturbed() {
		verdict = "disturbed"
	}
	var rounds []string
	for i := range min(len(before), len(after)) {
		rounds = append(rounds, fmt.Sprintf("%.2f", quotient(after[i], before[i])))
	}
	return []string{
		path, result.Number(load.Median(before)), result.Number(load.Median(after)), fmt.Sprintf("%.2f", ratio), strings.Join(rounds, " "), unit,
		goal.text(), verdict, joined(before) + "; " + joined(after),
	}
}

// disturbed reports whether a disturbance makes a sample useless.
func (c Compared) disturbed() bool {
	return slices.ContainsFunc(slices.Concat(c.Before, c.After), func(s sampler.Sample) bool { return len(s.Notes) > 0 })
}

func values(samples []sampler.Sample, of func(sampler.Sample) float64) []float64 {
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
		out = append(out, result.Number(s))
	}
	return strings.Join(out, " ")
}

// Table returns the whole comparison, with its heads.
func (c *Comparison) Table() [][]string {
	lines := [][]string{Heads}
	for _, row := range c.Rows {
		lines = append(lines, row.lines()...)
	}
	return lines
}

// Remarks returns facts that the samples lack: the number of callbacks, and disturbances.
func (c *Comparison) Remarks() []string {
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

// File is the name of the file that it was read from.
func (c *Comparison) File() string { return c.file }

// Title names both commits, the Temporal server and the time.
func (c *Comparison) Title() string {
	begun := c.Begun.UTC().Format("2006-01-02 15:04 MST")
	return fmt.Sprintf("%s → %s, Temporal %s, %s", c.Before, c.After, c.Temporal, begun)
}

// print writes the table in columns for a terminal, without the samples, which are in the file.
func (c *Comparison) print(w io.Writer) {
	_, _ = fmt.Fprintf(w, "\n%s\n", c.Title()) // a closed terminal must not lose the file; nor below
	lines := c.Table()
	shown := len(Heads) - 1
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
	for _, remark := range c.Remarks() {
		_, _ = fmt.Fprintln(w, "- "+remark)
	}
}

// save writes the comparison to dir/<date>-<after>-before-<before>.json; the name of a second one on a day has the time
// too.
func (c *Comparison) save(dir string) (string, error) {
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

// Read reads all comparisons of a directory, the oldest first.
func Read(dir string) ([]*Comparison, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*-before-*.json"))
	if err != nil {
		return nil, err
	}
	var all []*Comparison
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		c := &Comparison{file: filepath.ToSlash(file)}
		if err := json.Unmarshal(raw, c); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *Comparison) int { return a.Begun.Compare(b.Begun) })
	return all, nil
}

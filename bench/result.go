package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// run is everything one `make bench` found out; it is what lies in bench/results.
type run struct {
	Begun   time.Time `json:"begun"`
	Seconds float64   `json:"seconds"`
	Commit  string    `json:"commit"`
	Scale   string    `json:"scale"`
	Seed    uint64    `json:"seed"`
	Machine machine   `json:"machine"`
	Targets []target  `json:"targets"`

	file string // it was read from
}

// target is one kind of Temporal server.
type target struct {
	Temporal  string   `json:"temporal"` // dev or postgres
	Others    float64  `json:"others"`   // share of the processors that others used before the run began
	Scenarios []result `json:"scenarios"`
}

// result is what one scenario measured.
type result struct {
	Name       string    `json:"name"`
	Rows       []row     `json:"rows"`
	Notes      []string  `json:"notes,omitempty"`
	Seconds    float64   `json:"seconds"`
	LoadBefore string    `json:"loadBefore"` // of the machine, as uptime says it
	Profiles   []profile `json:"profiles,omitempty"`
}

// row is one path: samples of each side, in the order in which they were taken.
type row struct {
	Path   string    `json:"path"`
	Unit   string    `json:"unit"`
	Ours   []float64 `json:"ours"`
	Bare   []float64 `json:"bare,omitempty"`
	Writes []float64 `json:"writes,omitempty"` // bare side without its reads and locks
	Goal   goal      `json:"goal"`
	// Latencies in milliseconds, of the sample nearest the median.
	OursP50 float64 `json:"oursP50,omitempty"`
	OursP99 float64 `json:"oursP99,omitempty"`
	BareP50 float64 `json:"bareP50,omitempty"`
	BareP99 float64 `json:"bareP99,omitempty"`
	// Processor time of one operation in milliseconds, by process, averaged over the samples.
	OursCPU map[string]float64 `json:"oursCPU,omitempty"`
	BareCPU map[string]float64 `json:"bareCPU,omitempty"`
}

// goal is a least ratio of our median to the bare side's, or a greatest value; both zero: only reported.
type goal struct {
	Ratio float64 `json:"ratio,omitempty"`
	Most  float64 `json:"most,omitempty"`
}

func (r row) ratio() float64 {
	if b := median(r.Bare); b > 0 {
		return median(r.Ours) / b
	}
	return 0
}

// implausible is a ratio that no product can have to its own engine without logic: a neighbour hit the bare side.
const implausible = 1.25

func (r row) verdict() string {
	switch {
	case r.Goal.Ratio > 0 && r.ratio() > implausible:
		return "disturbed"
	case r.Goal.Ratio > 0 && r.ratio() >= r.Goal.Ratio, r.Goal.Most > 0 && median(r.Ours) <= r.Goal.Most:
		return "met"
	case r.Goal.Ratio > 0, r.Goal.Most > 0:
		return "missed"
	default:
		return "reported"
	}
}

func (r row) goalText() string {
	switch {
	case r.Goal.Ratio > 0:
		return fmt.Sprintf("≥ %v ×", r.Goal.Ratio)
	case r.Goal.Most > 0:
		return fmt.Sprintf("≤ %s %s", number(r.Goal.Most), r.Unit)
	default:
		return "–"
	}
}

func (r row) cells() []string {
	cells := []string{r.Path, number(median(r.Ours)), "–", "–", "–", r.Unit, r.goalText(), r.verdict()}
	if len(r.Bare) > 0 {
		cells[2] = number(median(r.Bare))
	}
	if r.Goal.Ratio > 0 || r.Goal == (goal{}) && r.Unit == "1/s" && len(r.Bare) > 0 {
		cells[3] = fmt.Sprintf("%.2f", r.ratio())
	}
	if w := median(r.Writes); w > 0 {
		cells[4] = fmt.Sprintf("%.2f", median(r.Ours)/w)
	}
	return cells
}

var heads = []string{"path", "ours", "bare", "ratio", "to writes only", "unit", "goal", "verdict"}

func number(f float64) string {
	switch {
	case f >= 100 || f == float64(int64(f)):
		return fmt.Sprintf("%.0f", f)
	case f >= 10:
		return fmt.Sprintf("%.1f", f)
	default:
		return fmt.Sprintf("%.2f", f)
	}
}

// table prints rows in columns for a terminal.
func table(w io.Writer, rows []row) {
	lines := [][]string{heads}
	for _, r := range rows {
		lines = append(lines, r.cells())
	}
	widths := make([]int, len(heads))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for _, line := range lines {
		var b strings.Builder
		for i, cell := range line {
			b.WriteString(cell + strings.Repeat(" ", widths[i]-len([]rune(cell))+2))
		}
		_, _ = fmt.Fprintln(w, strings.TrimRight(b.String(), " ")) // a closed terminal must not lose the file
	}
}

// save writes the run to dir/<date>-<commit>.json; a second one of the day gets the time, too.
func (r run) save(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	document, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, r.Begun.UTC().Format("2006-01-02")+"-"+r.Commit+".json")
	if _, err := os.Stat(path); err == nil {
		path = filepath.Join(dir, r.Begun.UTC().Format("2006-01-02T150405")+"-"+r.Commit+".json")
	}
	return path, os.WriteFile(path, append(document, '\n'), 0o644)
}

// Package result has the results of a run: it decides whether goals are met, prints tables, and saves and reads files.
package result

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
)

// Run has the results of one `make bench`, as stored in bench/results.
type Run struct {
	Begun   time.Time       `json:"begun"`
	Seconds float64         `json:"seconds"`
	Commit  string          `json:"commit"`
	Scale   string          `json:"scale"`
	Seed    uint64          `json:"seed"`
	Machine machine.Machine `json:"machine"`
	Targets []Target        `json:"targets"`

	file string // it was read from
}

// Target is one kind of Temporal server.
type Target struct {
	Temporal  string   `json:"temporal"` // dev or postgres
	Others    float64  `json:"others"`   // share of the processors that others used before the run began
	Scenarios []Result `json:"scenarios"`
}

// Result is the result of one scenario.
type Result struct {
	Name       string    `json:"name"`
	Rows       []Row     `json:"rows"`
	Notes      []string  `json:"notes,omitempty"`
	Seconds    float64   `json:"seconds"`
	LoadBefore string    `json:"loadBefore"` // of the machine, as uptime prints it
	Profiles   []Profile `json:"profiles,omitempty"`
}

// Row is one path: samples of each side, in the order of measurement.
type Row struct {
	Path   string    `json:"path"`
	Unit   string    `json:"unit"`
	Ours   []float64 `json:"ours"`
	Bare   []float64 `json:"bare,omitempty"`
	Writes []float64 `json:"writes,omitempty"` // bare side without its reads and locks
	Goal   Goal      `json:"goal"`
	// Latencies in milliseconds, of the sample nearest the median.
	OursP50 float64 `json:"oursP50,omitempty"`
	OursP99 float64 `json:"oursP99,omitempty"`
	BareP50 float64 `json:"bareP50,omitempty"`
	BareP99 float64 `json:"bareP99,omitempty"`
	// Processor time of one operation in milliseconds, by process, averaged over the samples.
	OursCPU map[string]float64 `json:"oursCPU,omitempty"`
	BareCPU map[string]float64 `json:"bareCPU,omitempty"`
}

// Goal is a minimum ratio of the product's median to the bare side's, or a maximum value; both zero: only reported.
type Goal struct {
	Ratio float64 `json:"ratio,omitempty"`
	Most  float64 `json:"most,omitempty"`
}

func (r Row) ratio() float64 {
	if b := load.Median(r.Bare); b > 0 {
		return load.Median(r.Ours) / b
	}
	return 0
}

// implausible is a ratio that the product cannot reach against its own engine without logic: something slowed the bare
// side.
const implausible = 1.25

// Verdict returns met, missed, disturbed, or reported where there is no goal.
func (r Row) Verdict() string {
	switch {
	case r.Goal.Ratio > 0 && r.ratio() > implausible:
		return "disturbed"
	case r.Goal.Ratio > 0 && r.ratio() >= r.Goal.Ratio, r.Goal.Most > 0 && load.Median(r.Ours) <= r.Goal.Most:
		return "met"
	case r.Goal.Ratio > 0, r.Goal.Most > 0:
		return "missed"
	default:
		return "reported"
	}
}

func (r Row) goalText() string {
	switch {
	case r.Goal.Ratio > 0:
		return fmt.Sprintf("≥ %v ×", r.Goal.Ratio)
	case r.Goal.Most > 0:
		return fmt.Sprintf("≤ %s %s", Number(r.Goal.Most), r.Unit)
	default:
		return "–"
	}
}

// Cells returns the row's cells for a table under Heads.
func (r Row) Cells() []string {
	cells := []string{r.Path, Number(load.Median(r.Ours)), "–", "–", "–", r.Unit, r.goalText(), r.Verdict()}
	if len(r.Bare) > 0 {
		cells[2] = Number(load.Median(r.Bare))
	}
	if r.Goal.Ratio > 0 || r.Goal == (Goal{}) && r.Unit == "1/s" && len(r.Bare) > 0 {
		cells[3] = fmt.Sprintf("%.2f", r.ratio())
	}
	if w := load.Median(r.Writes); w > 0 {
		cells[4] = fmt.Sprintf("%.2f", load.Median(r.Ours)/w)
	}
	return cells
}

// Heads are the column heads of a table of rows.
var Heads = []string{"path", "ours", "bare", "ratio", "to writes only", "unit", "goal", "verdict"}

// ClientsPath returns the name of a path with a number of clients.
func ClientsPath(path string, clients int) string {
	if clients == 1 {
		return path + ", 1 client"
	}
	return fmt.Sprintf("%s, %d clients", path, clients)
}

// Number returns a figure with its significant digits.
func Number(f float64) string {
	switch {
	case f >= 100 || f == float64(int64(f)):
		return fmt.Sprintf("%.0f", f)
	case f >= 10:
		return fmt.Sprintf("%.1f", f)
	default:
		return fmt.Sprintf("%.2f", f)
	}
}

// Table prints rows in columns for a terminal.
func Table(w io.Writer, rows []Row) {
	lines := [][]string{Heads}
	for _, r := range rows {
		lines = append(lines, r.Cells())
	}
	widths := make([]int, len(Heads))
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

// Save writes the run to dir/<date>-<commit>.json; the name of a second one on a day has the time too.
func (r Run) Save(dir string) (string, error) {
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

// Read reads a file of Save.
func Read(file string) (Run, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return Run{}, err
	}
	r := Run{file: filepath.ToSlash(file)}
	if err := json.Unmarshal(raw, &r); err != nil {
		return Run{}, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// Profiled reports whether the run took profiles, so that its figures are no proof of goals.
func (r Run) Profiled() bool {
	return slices.ContainsFunc(r.Targets, func(t Target) bool {
		return slices.ContainsFunc(t.Scenarios, func(s Result) bool { return s.Profiles != nil })
	})
}

// File returns the name of the result file, for the document.
func (r Run) File() string { return r.file }

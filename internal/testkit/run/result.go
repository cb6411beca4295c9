package main

import (
	"encoding/json"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// event is a line of `go test -json` (go doc test2json).
type event struct {
	Action     string  `json:"Action"`
	Package    string  `json:"Package"`
	ImportPath string  `json:"ImportPath"` // of a package that does not compile
	Test       string  `json:"Test"`
	Elapsed    float64 `json:"Elapsed"` // seconds
	Output     string  `json:"Output"`
}

// result is the result of one package of one part.
type result struct {
	part            part
	pkg             string
	passed, skipped int
	failed          []string // tests at the top level
	// it did not compile, or its process died: the results of the later tests are not known
	broken  bool
	died    bool // it printed the last words of a process that dies
	reached bool // it printed the end of a process that ran all its tests, of which not all passed
	raced   bool // the race detector found something, in whatever test that was printed
	cached  bool
	seconds float64
	output  map[string]*strings.Builder // by test at the top level; "" is the package's own
	begun   map[string]bool             // tests that have not ended
}

func (r *result) ok() bool { return len(r.failed) == 0 && !r.broken }

// text returns the output that a reader of a failure needs. The last words of a process that died are in the output of
// any test that had not ended.
func (r *result) text() string {
	shown := r.failed
	if r.broken || len(shown) == 0 {
		shown = slices.Sorted(maps.Keys(r.output))
	}
	var b strings.Builder
	for _, test := range shown {
		b.WriteString(r.output[test].String())
	}
	return b.String()
}

var (
	// dying begins the last words of a process: also of one that ran into its time limit.
	dying = regexp.MustCompile(`^(panic|fatal error): `)
	// racing matches the race detector's output, and testing's line about it.
	racing = regexp.MustCompile(`WARNING: DATA RACE|race detected during execution of test`)
)

// collector reads events into results.
type collector struct {
	part    part
	results map[string]*result
	ended   func(*result)
	running func(pkg, test string)
}

func (c *collector) of(pkg string) *result {
	pkg, _, _ = strings.Cut(pkg, " [") // "perennial/db [perennial/db.test]"
	r, ok := c.results[pkg]
	if !ok {
		r = &result{part: c.part, pkg: pkg, output: map[string]*strings.Builder{}, begun: map[string]bool{}}
		c.results[pkg] = r
	}
	return r
}

// read reads events until the stream ends; other lines, such as a compiler's errors, are the part's own output.
func (c *collector) read(stream io.Reader) error {
	lines := json.NewDecoder(stream)
	for {
		var e event
		if err := lines.Decode(&e); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		c.take(e)
	}
}

func (c *collector) take(e event) {
	pkg := e.Package
	if pkg == "" {
		pkg = e.ImportPath
	}
	r := c.of(pkg)
	top, _, isBelow := strings.Cut(e.Test, "/")
	switch e.Action {
	case "output", "build-output":
		r.write(top, e.Output)
		r.cached = r.cached || e.Test == "" && strings.Contains(e.Output, "(cached)")
		r.reached = r.reached || e.Output == "FAIL\n"
		r.died = r.died || dying.MatchString(e.Output)
		r.raced = r.raced || racing.MatchString(e.Output)
	case "build-fail":
		r.broken = true
	case "run":
		r.begun[e.Test] = true
		c.running(r.pkg, e.Test)
	case "pass", "skip", "fail":
		if e.Test == "" {
			r.seconds = e.Elapsed
			// `testing` calls the test that panics failed before the process dies: failed tests are no sign that the rest ran.
			r.broken = r.broken || e.Action == "fail" && (len(r.failed) == 0 || r.died || !r.reached || len(r.begun) > 0)
			c.ended(r)
			return
		}
		delete(r.begun, e.Test)
		r.count(e.Action, top, isBelow)
	}
}

// count counts subtests too, as `go test -v` names them; the failure is its top test's.
func (r *result) count(action, top string, below bool) {
	switch action {
	case "pass":
		r.passed++
	case "skip":
		r.skipped++
	case "fail":
		if !slices.Contains(r.failed, top) {
			r.failed = append(r.failed, top)
		}
	}
	if !below && action != "fail" && !slices.Contains(r.failed, top) {
		delete(r.output, top) // it is not needed any more
	}
}

func (r *result) write(test, text string) {
	b, ok := r.output[test]
	if !ok {
		b = &strings.Builder{}
		r.output[test] = b
	}
	b.WriteString(text)
}

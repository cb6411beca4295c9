// Package template renders Liquid templates that strangers wrote: within bounds of size and work, and with no access
// beyond the values that they are given. It does not own those values nor what a template looks like (documents).
package template

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"github.com/osteele/liquid"
	"github.com/osteele/liquid/render"
)

// The bounds of a template: of its source in bytes, of what it writes in bytes, and of its work in bytes of the bodies
// of loops that it goes through. A text that a filter makes is bounded as the source is.
const (
	MaxSource = 128 << 10
	maxOutput = 8 << 20
	maxWork   = 16 << 20
)

// Template is a template that was checked. It may be rendered by several goroutines at a time.
type Template struct{ parsed *liquid.Template }

// Error is a fault of a template, for the person who wrote it.
type Error struct {
	Line int // from 1; 0: not known
	Text string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Text
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Text)
}

// Parse checks the form of a template. Fault: *Error.
func Parse(source string) (*Template, error) {
	if len(source) > MaxSource {
		return nil, &Error{Text: fmt.Sprintf("the template has %d bytes; at most %d are allowed", len(source), MaxSource)}
	}
	parsed, err := engine.ParseString(counted(source))
	if err != nil {
		return nil, &Error{Line: err.LineNumber() + 1, Text: err.Error()}
	}
	return &Template{parsed}, nil
}

// Render renders the template with values. It ends with an *Error where a bound is met or a value does not exist.
func (t *Template) Render(values map[string]any) (out []byte, err error) {
	r := &run{}
	defer func() { // the library panics where a write fails
		if p := recover(); p != nil {
			out, err = nil, &Error{Text: fmt.Sprint(p)}
		}
	}()
	with := maps.Clone(values)
	with[counter] = &r.work
	if err := t.parsed.FRender(r, with); err != nil {
		return nil, &Error{Line: err.LineNumber() + 1, Text: err.Error()}
	}
	return r.out, nil
}

// run is one rendering with what it has used of its bounds.
type run struct {
	out  []byte
	work int
}

var _ io.Writer = (*run)(nil)

var (
	errOutput = errors.New("the template writes too much")
	errWork   = errors.New("the template's loops do too much")
	errText   = errors.New("the template makes a text that is too long")
)

// Write keeps the output.
func (r *run) Write(b []byte) (int, error) {
	if len(r.out)+len(b) > maxOutput {
		return 0, errOutput
	}
	r.out = append(r.out, b...)
	return len(b), nil
}

// counter names the value that holds the work of one rendering. No template can name it: it is no identifier.
const counter = "\x00work"

// refused are tags that no template may have: the first two would read files, and the third panics on a forged loop.
var refused = map[string]string{
	"include": "a template cannot include others",
	"render":  "a template cannot include others",
	"cycle":   "a template cannot use cycle: compare forloop.index instead",
}

// engine parses all templates. Its tags and filters keep the bounds.
var engine = func() *liquid.Engine {
	e := liquid.NewEngine()
	e.StrictVariables()
	e.RegisterTag(tick, count)
	for name, reason := range refused {
		e.RegisterTag(name, func(render.Context) (string, error) { return "", errors.New(reason) })
	}
	e.RegisterFilter("append", bounded(func(a, b string) string { return a + b }))
	e.RegisterFilter("prepend", bounded(func(a, b string) string { return b + a }))
	e.RegisterFilter("replace", func(s, from, to string) (string, error) {
		if len(s)*(len(to)+1) > MaxSource {
			return "", errText
		}
		return strings.ReplaceAll(s, from, to), nil
	})
	return e
}()

// count ends the rendering whose loops have done too much.
func count(c render.Context) (string, error) {
	length, err := strconv.ParseUint(c.TagArgs(), 10, 31) // a template may have the tag, too
	if err != nil {
		return "", err
	}
	work, ok := c.Get(counter).(*int)
	if !ok {
		return "", errWork
	}
	if *work += int(length) + 100; *work > maxWork { //nolint:gosec // 31 bits
		return "", errWork
	}
	return "", nil
}

func bounded(f func(a, b string) string) func(a, b string) (string, error) {
	return func(a, b string) (string, error) {
		if len(a)+len(b) > MaxSource {
			return "", errText
		}
		return f(a, b), nil
	}
}

// tick is a tag of ours that begins the body of each loop and counts its work. Nothing else can end a loop that writes
// nothing.
const tick = "perennial_tick"

// loop matches a tag as the library's scanner does, so that no spelling of it escapes.
var loop = regexp.MustCompile(`\{%-?\s*(?:for|tablerow)\b(?:[^%]|%[^}])*?%\}`)

// counted returns the source with a tick at the start of each loop, on the same line, with the length of what follows:
// at least that of the loop's body.
func counted(source string) string {
	var out []byte
	last := 0
	for _, at := range loop.FindAllStringIndex(source, -1) {
		out = append(out, source[last:at[1]]...)
		out = fmt.Appendf(out, "{%% %s %d %%}", tick, min(len(source)-at[1], 2000))
		last = at[1]
	}
	return string(append(out, source[last:]...))
}

package dev

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"perennial/cmd/perennial/cli"
)

// screen writes the output of dev. On a terminal, lines of progress overwrite each other; elsewhere each is kept.
type screen struct {
	out      io.Writer
	colour   bool
	terminal bool

	mu   sync.Mutex
	open bool // the cursor stands behind a line that the next one may overwrite
}

func newScreen(p *cli.Process) *screen {
	s := &screen{out: p.Stdout}
	if f, ok := p.Stdout.(*os.File); ok {
		info, err := f.Stat()
		s.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	noColour, _ := p.Lookup("NO_COLOR")
	s.colour = s.terminal && noColour == ""
	return s
}

// say prints a line.
func (s *screen) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close()
	_, _ = fmt.Fprintf(s.out, format+"\n", args...) // a closed terminal must not stop a start
}

// fact prints a name and what there is; nothing is nothing.
func (s *screen) fact(name, text string) {
	if text != "" {
		s.say("  %-14s %s", name, text)
	}
}

// doing shows the step that takes time now.
func (s *screen) doing(what string) { _, _ = fmt.Fprintln(s, what) } // Write never fails

// Write takes the progress of devstack, a line at a time.
func (s *screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for line := range strings.Lines(string(text)) {
		line = "  ⟳ " + strings.TrimRight(line, "\n")
		if s.terminal {
			_, _ = fmt.Fprint(s.out, "\r\x1b[K"+line) // a closed terminal must not stop a start
			s.open = true
			continue
		}
		_, _ = fmt.Fprintln(s.out, line) // as above
	}
	return len(text), nil
}

func (s *screen) close() {
	if s.open {
		_, _ = fmt.Fprint(s.out, "\r\x1b[K") // as above
		s.open = false
	}
}

func (s *screen) stopping() { s.doing("stopping") }

// done replaces the progress with a result.
func (s *screen) done(format string, args ...any) {
	tick := "✓"
	if s.colour {
		tick = "\x1b[32m✓\x1b[0m"
	}
	s.say("  "+tick+" "+format, args...)
}

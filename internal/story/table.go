package story

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// table prints steps in aligned columns, each as soon as it has happened.
type table struct {
	out    io.Writer
	colour bool
}

// widths of the columns; the last has no limit.
var widths = []int{11, 35, 8, 19, 19, 0}

// The colours of a terminal.
const (
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

var statusColours = map[string]string{"trialing": yellow, "active": green, "past_due": red,
	"paused": yellow, "canceled": dim}

func (t *table) head() {
	t.line([]string{"date", "what happens", "status", "invoice", "payment", "what comes next"}, func(int, string) string {
		return dim
	})
}

func (t *table) row(now time.Time, told string, f facts, number int64) {
	invoice := f.invoice
	if number != 0 {
		invoice = fmt.Sprintf("#%d %s", number, strings.Replace(f.invoice, " USD", "", 1))
	}
	cells := []string{now.Format("_2 Jan 2006"), told, f.status, invoice, f.payment, f.next}
	t.line(cells, func(column int, text string) string {
		switch {
		case column == 2:
			return statusColours[text]
		case column == 4 && strings.HasPrefix(text, "declined"):
			return red
		}
		return ""
	})
}

// sent prints the events of a step below its action, and their objects below the status.
func (t *table) sent(events []sent) {
	for _, e := range events {
		t.line([]string{"", "→ " + e.kind, e.about}, func(int, string) string { return dim })
	}
}

// line pads by the visible width, so that colours do not disturb the columns.
func (t *table) line(cells []string, colour func(column int, text string) string) {
	var out strings.Builder
	for i, text := range cells {
		padding := max(0, widths[i]-utf8.RuneCountInString(text))
		out.WriteString("  " + t.paint(colour(i, text), text))
		if i < len(cells)-1 {
			out.WriteString(strings.Repeat(" ", padding))
		}
	}
	t.print("%s\n", out.String())
}

func (t *table) wrong(lines []string) {
	for _, line := range lines {
		t.print("    %s %s\n", t.paint(red, "✗"), line)
	}
}

func (t *table) note(format string, args ...any) { t.print("\n  "+format+"\n", args...) }

func (t *table) paint(colour, text string) string {
	if !t.colour || colour == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// print shows; whether the story is true does not depend on who watches.
func (t *table) print(format string, args ...any) { _, _ = fmt.Fprintf(t.out, format, args...) }

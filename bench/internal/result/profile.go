package result

import "strings"

// Profile shows how one process used its processor time while a scenario ran.
type Profile struct {
	Process string `json:"process"`
	Top     string `json:"top"` // of go tool pprof
}

// Short returns its beginning, with names cut to the width of a page.
func (p Profile) Short() string {
	const most, width = 26, 120
	var kept []string
	for line := range strings.Lines(p.Top) {
		if line = strings.TrimRight(line, "\n"); len(line) > width {
			line = line[:width] + "…"
		}
		if kept = append(kept, line); len(kept) == most {
			break
		}
	}
	return strings.Join(kept, "\n")
}

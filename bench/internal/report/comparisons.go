package report

import (
	"cmp"
	"fmt"
	"slices"

	"perennial/bench/internal/before"
)

// pageComparison is the document's section on two commits: each path from its newest run.
type pageComparison struct {
	Title   string
	Table   string
	Remarks []string
}

// newestComparisons returns the newest samples of each path, for each earlier commit and kind of Temporal server.
func newestComparisons(all []*before.Comparison) []pageComparison {
	type subject struct{ before, temporal string }
	var subjects []subject
	bySubject := map[subject][]*before.Comparison{}
	for _, c := range all {
		s := subject{c.Before, c.Temporal}
		if bySubject[s] == nil {
			subjects = append(subjects, s)
		}
		bySubject[s] = append(bySubject[s], c)
	}
	slices.SortFunc(subjects, func(a, b subject) int {
		return cmp.Or(cmp.Compare(a.before, b.before), cmp.Compare(a.temporal, b.temporal))
	})
	var pages []pageComparison
	for _, s := range subjects {
		page := pageComparison{Title: fmt.Sprintf("%s and later, %s", s.before, titleOf(s.temporal))}
		lines := [][]string{before.Heads}
		shown := map[string]bool{}
		for _, c := range slices.Backward(bySubject[s]) {
			fresh := *c
			fresh.Rows = slices.DeleteFunc(slices.Clone(c.Rows), func(r before.Compared) bool { return shown[r.Path] })
			if len(fresh.Rows) == 0 {
				continue
			}
			for _, r := range fresh.Rows {
				shown[r.Path] = true
			}
			lines = append(lines, fresh.Table()[1:]...)
			page.Remarks = append(page.Remarks, fresh.Remarks()...)
			page.Remarks = append(page.Remarks, fmt.Sprintf(
				"[%s](../%s): %s, %d rounds, load before it %s, others used %.0f %% of the processors before the run, took "+
					"%.0f s",
				c.File(), c.File(), c.Title(), c.Rounds, c.LoadBefore, 100*c.Others, c.Seconds))
		}
		page.Table = markdown(lines)
		pages = append(pages, page)
	}
	return pages
}

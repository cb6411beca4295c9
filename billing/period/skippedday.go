package period

import (
	"sort"
	"time"
)

// skippedDays keeps a daily schedule strictly increasing where a country left out a calendar day to change sides of the
// date line (Samoa had no 30 December 2011). Midnight of the missing day and midnight of the next are the same instant
// there, which would make an empty period that is billed. A day that never happened has no period: from it on, away
// from the anchor, points are numbered one further. The result is that correction for boundary n.
//
// Only intervals of one day can collapse so, because no gap is longer. A day that occurred twice is one long period and
// needs no correction; but an anchor before one (the last was in 1969) and a boundary after a skipped day of the same
// zone cancel out here, so that one empty period remains there.
func (s Schedule) skippedDays(n int) int {
	if s.Interval.Unit != Day || s.Interval.Count != 1 || n == 0 {
		return 0
	}
	shift := s.dateLineShift(n)
	if n > 0 && shift > 0 {
		first := sort.Search(n, func(i int) bool { return s.dateLineShift(i+1) > 0 }) + 1
		if s.gridPoint(first).Equal(s.gridPoint(first + 1)) {
			return 1
		}
	}
	// Behind the anchor the search starts one point further out, where the missing day has its double.
	if n < 0 && s.dateLineShift(n-1) < 0 {
		last := -1 - sort.Search(-n, func(i int) bool { return s.dateLineShift(-1-i-1) < 0 })
		if s.gridPoint(last).Equal(s.gridPoint(last + 1)) {
			return -1
		}
	}
	return 0
}

// dateLineShift reports by how many days local dates at grid point n have been moved since the anchor. Clock changes
// and reforms of standard time move a zone by an hour or a few; changing sides moves it by 23 to 25.
func (s Schedule) dateLineShift(n int) int {
	loc := orUTC(s.Location)
	_, here := s.gridPoint(n).In(loc).Zone()
	_, there := within(s.Anchor).In(loc).Zone()
	const halfDay = int(12 * time.Hour / time.Second)
	switch {
	case here-there >= halfDay:
		return 1
	case there-here >= halfDay:
		return -1
	}
	return 0
}

package proration

import "time"

// second counts Unix seconds, the end of a period excluded: the default. A day on which the clocks change has 23 or 25
// hours, as it does on the wall.
type second struct{}

func (second) units(from, to time.Time, _ *time.Location) int64 { return to.Unix() - from.Unix() }

func (s second) used(from, end time.Time, loc *time.Location) int64 { return s.units(from, end, loc) }

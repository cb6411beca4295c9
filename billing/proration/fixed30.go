package proration

import "time"

// fixed30 counts local calendar days in months of 30 days, the end excluded: the 31st counts as the 30th (the
// convention 30E/360 of bonds). A month from the 1st to the 1st has 30 days and a year 360, so that the same number of
// days costs the same in every month. Kill Bill divides so where its invoices have fixed months.
type fixed30 struct{}

func (fixed30) units(from, to time.Time, loc *time.Location) int64 {
	return date30(to, loc) - date30(from, loc)
}

func (f fixed30) used(from, end time.Time, loc *time.Location) int64 { return f.units(from, end, loc) }

// date30 numbers the days; only differences of its numbers are used.
func date30(t time.Time, loc *time.Location) int64 {
	year, month, day := t.In(loc).Date()
	return int64(360*year + 30*int(month) + min(day, 30))
}

package proration

import (
	"time"

	"perennial/billing/fault"
	"perennial/billing/period"
)

// Measure is the unit of time in which a price is divided: a policy of the environment or the plan. A period is divided
// by one measure from its start to its end, or its parts would not sum to the whole.
type Measure string

// The measures. Each has a file of its own, which says whose figures it keeps.
const (
	Second       Measure = "second"
	Day          Measure = "day"
	DayInclusive Measure = "day_inclusive"
	Fixed30      Measure = "fixed_30"
)

// scale counts the units of a measure.
type scale interface {
	// units returns the number of units between two instants, from <= to.
	units(from, to time.Time, loc *time.Location) int64
	// used returns the number of units of a use that ends at an instant without a successor.
	used(from, end time.Time, loc *time.Location) int64
}

var scales = map[Measure]scale{Second: second{}, Day: day{}, DayInclusive: dayInclusive{}, Fixed30: fixed30{}}

// Validate refuses an unknown measure with `proration_measure_unknown`.
func (m Measure) Validate() error {
	if _, known := scales[m]; !known {
		return fault.InvalidParam("prorationMeasure", "proration_measure_unknown",
			"%.30q is not a measure of time. Send `second`, `day`, `day_inclusive` or `fixed_30`.", string(m))
	}
	return nil
}

// Units returns the number of units of the measure between two instants on the local calendar; loc nil is UTC. An
// unknown measure counts seconds, so that every call returns: Validate refuses it where it is set.
func (m Measure) Units(from, to time.Time, loc *time.Location) int64 {
	return m.scale().units(from, to, orUTC(loc))
}

// Span returns a part of a period on the local calendar. Time outside the period is cut off. Fault: period_empty.
func (m Measure) Span(of, part period.Period, loc *time.Location) (Span, error) {
	s, length, err := m.divide(of, orUTC(loc))
	if err != nil {
		return Span{}, err
	}
	span := Span{From: 0, To: length, Length: length}
	if part.Start.After(of.Start) {
		span.From = min(s.units(of.Start, part.Start, orUTC(loc)), length)
	}
	if part.End.Before(of.End) {
		span.To = max(s.units(of.Start, part.End, orUTC(loc)), span.From)
	}
	return span, nil
}

// Rest returns the span from an instant within a period to its end, if another use begins or continues at that instant:
// a change to a price is charged for it, and a change from a price is credited for it. A chain of changes in one period
// costs exactly the sum of the uses of each price, and a change to the same price costs nothing. The end already
// belongs to the next period: a clamped span would hide that a renewal is due. Faults: change_outside_period,
// period_empty.
func (m Measure) Rest(of period.Period, at time.Time, loc *time.Location) (Span, error) {
	if err := within(of, at); err != nil {
		return Span{}, err
	}
	return m.Span(of, period.Period{Start: at, End: of.End}, loc)
}

// Unused is the span that is left of a period if the use ends at an instant within it, and nothing takes its place.
// Faults as for Rest.
func (m Measure) Unused(of period.Period, end time.Time, loc *time.Location) (Span, error) {
	if err := within(of, end); err != nil {
		return Span{}, err
	}
	s, length, err := m.divide(of, orUTC(loc))
	if err != nil {
		return Span{}, err
	}
	return Span{From: min(s.used(of.Start, end, orUTC(loc)), length), To: length, Length: length}, nil
}

// Divides returns the measure that divides a period: seconds for one that is shorter than a unit of m, such as the 31st
// with months of 30 days.
func (m Measure) Divides(of period.Period, loc *time.Location) Measure {
	if _, known := scales[m]; known && m.Units(of.Start, of.End, loc) > 0 {
		return m
	}
	return Second
}

func (m Measure) divide(of period.Period, loc *time.Location) (s scale, length int64, err error) {
	s = m.Divides(of, loc).scale()
	if length = s.units(of.Start, of.End, loc); length < 1 {
		return nil, 0, empty(of)
	}
	return s, length, nil
}

// within refuses an instant outside a period. An empty period is refused for that.
func within(of period.Period, at time.Time) error {
	switch {
	case of.Seconds() < 1:
		return empty(of)
	case !of.Contains(at):
		return fault.New(fault.Invalid, "change_outside_period",
			"The change at %s is outside the period %s. "+
				"Renew the subscription first.", at.UTC().Format(time.RFC3339), of)
	}
	return nil
}

func empty(of period.Period) error {
	return fault.New(fault.Invalid, "period_empty", "The period %s has no second to divide a price by.", of)
}

func (m Measure) scale() scale {
	if s, known := scales[m]; known {
		return s
	}
	return second{}
}

func orUTC(loc *time.Location) *time.Location {
	if loc == nil {
		return time.UTC
	}
	return loc
}

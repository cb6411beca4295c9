package usage

import (
	"maps"
	"slices"
	"sort"
	"time"

	"perennial/billing/money"
)

// Bucket is the running state of an hour and a dimension.
type Bucket struct {
	Hour  time.Time
	Group Group
	State State
}

// Hour is the bucket that a time belongs to.
func Hour(t time.Time) time.Time { return t.UTC().Truncate(time.Hour) }

// Quantity is what the records of a dimension come to in a period, converted.
type Quantity struct {
	Group   Group
	Value   money.Decimal
	Records int64
}

// Totals are the quantities of one period, by group. A period without records has none.
type Totals []Quantity

// SplitHours are the hours that a boundary of the periods divides: their buckets cannot be used, and they are counted
// from records.
func SplitHours(periods []Span) map[time.Time]bool {
	split := map[time.Time]bool{}
	for _, p := range periods {
		for _, boundary := range []time.Time{p.Start, p.End} {
			if hour := Hour(boundary); !hour.Equal(boundary) {
				split[hour] = true
			}
		}
	}
	return split
}

// Series is what buckets and records come to in each of some periods, which follow each other without gaps. Together
// they hold each record once, with its corrections beside it. by names the dimensions to keep apart, of those of the
// metric; the others are added up in the way of the aggregation.
func (m Metric) Series(periods []Span, by []string, buckets []Bucket, records []Measured) []Totals {
	return m.SeriesBy(periods, regrouping(m.GroupBy, by), buckets, records)
}

// SeriesBy is Series by other groups than dimensions: regroup names the one that a dimension belongs to.
func (m Metric) SeriesBy(
	periods []Span, regroup func(Group) Group, buckets []Bucket, records []Measured,
) []Totals {
	within := make([]map[Group]State, len(periods))
	for i := range within {
		within[i] = map[Group]State{}
	}
	before := map[Group]State{} // of all that came before the first period
	stateAt := func(at time.Time, group Group) State {
		period := sort.Search(len(periods), func(i int) bool { return at.Before(periods[i].End) }) // their ends ascend
		switch {
		case period == len(periods):
			return nil
		case !at.Before(periods[period].Start):
			return m.of(within[period], regroup(group))
		case m.Carries():
			return m.of(before, regroup(group))
		}
		return nil
	}
	for _, b := range buckets {
		if s := stateAt(b.Hour, b.Group); s != nil {
			s.Merge(b.State)
		}
	}
	for _, r := range Effective(records) {
		if s := stateAt(r.At, r.Group); s != nil {
			s.Add(r)
		}
	}
	out := make([]Totals, len(periods))
	for i, p := range periods {
		if m.Carries() {
			for group, carried := range before {
				s := m.Aggregation.New()
				s.Merge(carried)
				s.Carry(p.Start)
				s.Merge(m.of(within[i], group))
				m.of(before, group).Merge(within[i][group])
				within[i][group] = s
			}
			for group, s := range within[i] {
				if _, known := before[group]; !known {
					m.of(before, group).Merge(s)
				}
			}
		}
		out[i] = m.totals(p, within[i])
	}
	return out
}

func (m Metric) of(states map[Group]State, group Group) State {
	s := states[group]
	if s == nil {
		s = m.Aggregation.New()
		states[group] = s
	}
	return s
}

func (m Metric) totals(p Span, states map[Group]State) Totals {
	out := make(Totals, 0, len(states))
	for _, group := range slices.Sorted(maps.Keys(states)) {
		s := states[group]
		out = append(out, Quantity{Group: group, Value: m.Conversion.Apply(s.Value(p)), Records: s.Records()})
	}
	return out
}

// regrouping maps the dimensions of a metric to those of them that are kept.
func regrouping(all, kept []string) func(Group) Group {
	if slices.Equal(all, kept) {
		return func(g Group) Group { return g }
	}
	known := map[Group]Group{}
	return func(g Group) Group {
		if short, has := known[g]; has {
			return short
		}
		p, values := Properties{}, g.Values()
		for i, name := range all {
			if i < len(values) && values[i] != nil {
				p[name] = *values[i]
			}
		}
		known[g] = groupOf(kept, p)
		return known[g]
	}
}

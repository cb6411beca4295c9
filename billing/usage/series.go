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

// Hour returns the hour of a time's bucket.
func Hour(t time.Time) time.Time { return t.UTC().Truncate(time.Hour) }

// Quantity is the converted quantity of a dimension's records in a period.
type Quantity struct {
	Group   Group
	Value   money.Decimal
	Records int64
}

// Totals are the quantities of one period, by group. A period without records has none.
type Totals []Quantity

// Sum returns the sum of all groups' quantities.
func (t Totals) Sum() money.Decimal {
	sum := money.Whole(0)
	for _, q := range t {
		sum = sum.Add(q.Value)
	}
	return sum
}

// SplitHours returns the hours that a boundary of the periods divides: their buckets cannot be used, so they are
// counted from records.
func SplitHours(periods []Span) map[time.Time]bool {
	split := map[time.Time]bool{}
	for _, p := range periods {
		for _, boundary := range []time.Time{p.Start, p.End} {
			if hour := Hour(boundary); !hour.Equal(boundary) {
				split[hour] = true
			}
		}
		for hour := Hour(p.End); hour.Before(p.Late); hour = hour.Add(time.Hour) {
			split[hour] = true
		}
	}
	return split
}

// Regroup returns the group of a dimension. An error stops the count: there would be too many groups.
type Regroup func(Group) (Group, error)

// Series returns the totals of buckets and records for each of some periods, which are in the order of time and do not
// overlap. Together they have each record once, with its corrections. by has the dimensions to separate; the
// aggregation adds up the metric's others.
func (m Metric) Series(periods []Span, by []string, buckets []Bucket, records []Measured) []Totals {
	totals, _ := m.SeriesBy(periods, m.Keep(by), buckets, records) // Keep refuses no dimension
	return totals
}

// SeriesBy is Series with other groups than dimensions. Its error is that of regroup.
func (m Metric) SeriesBy(
	periods []Span, regroup Regroup, buckets []Bucket, records []Measured,
) ([]Totals, error) {
	t := m.Tally(periods, regroup)
	if err := t.Take(buckets, records); err != nil {
		return nil, err
	}
	return t.Totals(), nil
}

// Tally counts a series from parts, so that its buckets and records need not all be in memory.
type Tally struct {
	of      Metric
	periods []Span
	regroup Regroup
	within  []map[Group]State // by period
	before  []map[Group]State // of the time before each period and after the last one, if it is carried
}

// Tally begins a series. See Series and SeriesBy.
func (m Metric) Tally(periods []Span, regroup Regroup) *Tally {
	t := &Tally{of: m, periods: periods, regroup: regroup}
	for range periods {
		t.within, t.before = append(t.within, map[Group]State{}), append(t.before, map[Group]State{})
	}
	return t
}

// Take counts a part. A record and its corrections are in the same part. The error is that of regroup.
func (t *Tally) Take(buckets []Bucket, records []Measured) error {
	for _, b := range buckets {
		if s, err := t.state(b.Hour, b.Group); err != nil {
			return err
		} else if s != nil {
			s.Merge(b.State)
		}
	}
	for _, r := range Effective(records) {
		r.At = t.asOf(r.At)
		if s, err := t.state(r.At, r.Group); err != nil {
			return err
		} else if s != nil {
			s.Add(r)
		}
	}
	return nil
}

// asOf returns the time at which a record counts: a late one of the last period counts at its last instant.
func (t *Tally) asOf(at time.Time) time.Time {
	last := t.periods[len(t.periods)-1]
	if !at.Before(last.End) && at.Before(last.Late) {
		return last.End.Add(-time.Microsecond)
	}
	return at
}

// state returns the state that counts a dimension at a time; nil: it counts for no period.
func (t *Tally) state(at time.Time, dimension Group) (State, error) {
	period := sort.Search(len(t.periods), func(i int) bool { return at.Before(t.periods[i].End) }) // their ends are sorted
	if period == len(t.periods) {
		return nil, nil
	}
	states := t.within[period]
	if at.Before(t.periods[period].Start) {
		if !t.of.Carries() {
			return nil, nil
		}
		states = t.before[period]
	}
	group, err := t.regroup(dimension)
	if err != nil {
		return nil, err
	}
	return t.of.of(states, group), nil
}

// Totals returns the totals of the parts, by period.
func (t *Tally) Totals() []Totals {
	out := make([]Totals, len(t.periods))
	carried := map[Group]State{}
	for i, p := range t.periods {
		if !t.of.Carries() {
			out[i] = t.of.totals(p, t.within[i])
			continue
		}
		t.of.merge(carried, t.before[i])
		states := map[Group]State{}
		t.of.merge(states, carried)
		for _, s := range states {
			s.Carry(p.Start)
		}
		t.of.merge(states, t.within[i])
		t.of.merge(carried, t.within[i])
		out[i] = t.of.totals(p, states)
	}
	return out
}

func (m Metric) merge(into, from map[Group]State) {
	for group, s := range from {
		m.of(into, group).Merge(s)
	}
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

// Keep returns the regrouping by some of the metric's dimensions.
func (m Metric) Keep(by []string) Regroup {
	if slices.Equal(m.GroupBy, by) {
		return func(g Group) (Group, error) { return g, nil }
	}
	known := map[Group]Group{}
	return func(g Group) (Group, error) {
		if short, has := known[g]; has {
			return short, nil
		}
		p, values := Properties{}, g.Values()
		for i, name := range m.GroupBy {
			if i < len(values) && values[i] != nil {
				p[name] = *values[i]
			}
		}
		known[g] = groupOf(by, p)
		return known[g], nil
	}
}

package metered

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/billing/usage"
)

// Span is a time [Start, End) of a period with the same prices.
type Span struct {
	Start, End time.Time
	// Late is the end of the time in which records after the End count as of the end; zero: none do. Only the last span of
	// an ended subscription has it.
	Late  time.Time
	Share Share
	// PeriodLength is the length of the whole period, over which averages are weighted; 0: the span is the whole period.
	PeriodLength time.Duration
	Prices       *Prices // nil: usage is free
}

func (s Span) components() []Component { return s.Prices.list().Components }

// counted returns the span as a period of a series. If a period is divided, each part is counted separately:
//
//   - Sums and counts of the parts add up to those of the whole.
//   - So does a weighted_sum, which is divided by the length of the whole period.
//   - A max, a last, a unique_count and a latest_per_key do not, nor does a sum that carries over. They are levels:
//     each part has its own, and a user that is present in two parts counts in both.
//
// A rounding conversion rounds in each part.
func (s Span) counted() usage.Span {
	return usage.Span{Start: s.Start, End: s.End, Late: s.Late, Weight: s.PeriodLength}
}

// Question is the question for the quantities of a metric version by lots, in periods that are in the order of time and
// do not overlap. All spans and components that count in the same way share one.
type Question struct {
	Component Component // one of the asking components: all have the same metric version and lots
	Periods   []usage.Span
	spans     []int // the spans to answer, in their order
	places    []int // the indexes of their periods
	shares    []Share
	tallies   []map[usage.Group]*rating.Tally // by period; nil: transactions do not answer the question
	uncounted error                           // why it has no answer
}

// Questions returns the counts that the segments of spans from one on need; earlier spans count only for cumulated
// components with the same id. The spans are in the order of time and do not overlap; there may be gaps.
func Questions(spans []Span, from int) ([]Question, error) {
	for i, s := range spans {
		if !s.Start.Before(s.End) || i > 0 && s.Start.Before(spans[i-1].End) {
			return nil, fmt.Errorf("metered: span %d, from %s to %s, is empty or before the end of another", i, s.Start, s.End)
		}
	}
	var all []Question
	places := map[string]int{}
	for i := from; i < len(spans); i++ {
		for _, c := range spans[i].components() {
			if c.Fixed {
				continue
			}
			place, known := places[c.question()]
			if !known {
				place = len(all)
				places[c.question()], all = place, append(all, Question{Component: c})
			}
			if q := &all[place]; !slices.Contains(q.spans, i) {
				q.spans = append(q.spans, i)
			}
		}
	}
	for i := range all {
		all[i].divide(spans)
	}
	return all, nil
}

// question returns a text that is equal for components that count in the same way and need the same periods.
func (c Component) question() string {
	type lots struct {
		Where map[string]string `json:"where"`
		By    []string          `json:"by"`
		Each  rating.Price      `json:"each,omitzero"` // if transactions are counted for it
	}
	ways, each := make([]lots, len(c.Rates)), c.byTransaction()
	for i, rate := range c.Rates {
		ways[i] = lots{Where: rate.Where, By: rate.By}
		if each {
			ways[i].Each = rate.Price
		}
	}
	text, _ := json.Marshal(ways) // strings, lists and maps of them
	if c.Cumulated {
		return c.MetricVersionID + " " + c.ID + " " + string(text)
	}
	return c.MetricVersionID + " " + string(text)
}

// Digest identifies the question for a purpose, such as an invoice, so that an interrupted count of it can be
// continued: equal digests count the same records in the same way.
func (q Question) Digest(of string) []byte {
	text, _ := json.Marshal([]any{of, q.Component.question(), q.Periods, q.shares}) // strings, numbers and times
	sum := sha256.Sum256(text)
	return sum[:]
}

// divide sets the periods: one for each span to answer and, for a cumulated component, one for each earlier time in
// which the component applied without a gap. Usage in a gap belongs to another price or to none, and moves no tier of
// this one. Earlier spans are joined because each boundary within an hour requires a count from records.
func (q *Question) divide(spans []Span) {
	earlier := false // the last period has only earlier spans
	for i := range spans[:q.spans[len(q.spans)-1]+1] {
		span, last := spans[i], len(q.Periods)-1
		switch {
		case slices.Contains(q.spans, i):
			q.places = append(q.places, len(q.Periods))
			q.Periods, q.shares, earlier = append(q.Periods, span.counted()), append(q.shares, span.Share), false
		case !q.Component.Cumulated ||
			!slices.ContainsFunc(span.components(), func(c Component) bool { return c.ID == q.Component.ID }):
		case earlier && q.Periods[last].End.Equal(span.Start):
			q.Periods[last].End = span.End
		default:
			q.Periods, earlier = append(q.Periods, usage.Span{Start: span.Start, End: span.End}), true
		}
	}
}

// Segments returns a segment for each span from one on. answers are those to its Questions, in their order, with the
// totals of each period.
func Segments(spans []Span, from int, questions []Question, answers [][]usage.Totals) []Segment {
	places := map[string]int{}
	befores := make([][]usage.Totals, len(questions))
	for i, q := range questions {
		places[q.Component.question()] = i
		if q.Component.Cumulated && q.uncounted == nil {
			befores[i] = accumulated(answers[i])
		}
	}
	segments := make([]Segment, 0, len(spans)-from)
	for i := from; i < len(spans); i++ {
		span := spans[i]
		segment := Segment{Start: span.Start, Share: span.Share, Commitment: span.Prices.list().Commitment,
			Minimum: span.Prices.list().Minimum}
		for _, c := range span.components() {
			if c.Fixed {
				units := usage.Quantity{Group: Lot{}.group(), Value: money.Whole(c.Units)}
				segment.Usage = append(segment.Usage, Used{Component: c, Level: true, Quantities: usage.Totals{units}})
				continue
			}
			place := places[c.question()]
			q := questions[place]
			period := q.places[slices.Index(q.spans, i)]
			used := Used{Component: c, Uncounted: q.uncounted}
			if q.uncounted != nil {
				segment.Usage = append(segment.Usage, used)
				continue
			}
			used.Quantities = answers[place][period]
			if c.Cumulated {
				used.Before = befores[place][period]
			}
			if q.tallies != nil {
				used.Tallies = q.tallies[period]
			}
			segment.Usage = append(segment.Usage, used)
		}
		segments = append(segments, segment)
	}
	return segments
}

// accumulated returns, for each period, the sums of all earlier periods.
func accumulated(periods []usage.Totals) []usage.Totals {
	befores := make([]usage.Totals, len(periods))
	sums := map[usage.Group]usage.Quantity{}
	for i, totals := range periods {
		for _, group := range slices.Sorted(maps.Keys(sums)) {
			befores[i] = append(befores[i], sums[group])
		}
		for _, q := range totals {
			sum, known := sums[q.Group]
			if !known {
				sum = usage.Quantity{Group: q.Group, Value: money.Whole(0)}
			}
			sum.Value, sum.Records = sum.Value.Add(q.Value), sum.Records+q.Records
			sums[q.Group] = sum
		}
	}
	return befores
}

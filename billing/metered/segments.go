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

// Span is a time [Start, End) of a period in which the same prices counted.
type Span struct {
	Start, End time.Time
	// Late is up to when records behind the End were taken, which count as of the end; zero: none were. Only the last span
	// of a subscription that has ended has it.
	Late  time.Time
	Share Share
	// PeriodLength is the length of the whole period, over which averages are weighted; 0: the span is all of it.
	PeriodLength time.Duration
	Prices       *Prices // nil: usage cost nothing
}

func (s Span) components() []Component { return s.Prices.list().Components }

// counted returns the span as a period of a series. Where a period is cut, each part counts by itself:
//
//   - A sum and a count of the parts add up to those of the whole.
//   - So does a weighted_sum, which is divided by the length of the whole period.
//   - A max, a last, a unique_count and a latest_per_key do not, nor does a sum that carries over. They are levels:
//     each part has its own, and a user that is present in two parts counts in both.
//
// A conversion that rounds does so in each part.
func (s Span) counted() usage.Span {
	return usage.Span{Start: s.Start, End: s.End, Late: s.Late, Weight: s.PeriodLength}
}

// Question asks what a version of a metric comes to by lots, in periods that are in the order of time and do not
// overlap. One question is for all spans and all components that count in the same way.
type Question struct {
	Component Component // one of those that ask: its metric version and its lots are those of all
	Periods   []usage.Span
	spans     []int // of those that are answered, in their order
	places    []int // of their periods
	shares    []Share
	tallies   []map[usage.Group]*rating.Tally // by period; nil: the question is not answered by transactions
	uncounted error                           // why it has no answer
}

// Questions returns what has to be counted for the segments of all spans from one on; those before it count only for
// cumulated components with the same id. The spans are in the order of time and do not overlap; there may be gaps.
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
		Each  rating.Price      `json:"each,omitzero"` // where transactions are counted for it
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

// Digest identifies what the question asks for something, such as an invoice, so that a count of it that ended early
// can be gone on with: two that are equal count the same records in the same way.
func (q Question) Digest(of string) []byte {
	text, _ := json.Marshal([]any{of, q.Component.question(), q.Periods, q.shares}) // strings, numbers and times
	sum := sha256.Sum256(text)
	return sum[:]
}

// divide sets the periods: one for each span that is answered and, of a cumulated component, one for each time before
// it in which the component was in force without a gap. Usage of a gap belongs to another price or to none, and moves
// no tier of this one. Earlier spans are joined because each boundary within an hour has it counted from records.
func (q *Question) divide(spans []Span) {
	earlier := false // the last period is of spans that are not answered
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

// Segments returns a segment for each span from one on, made of the answers to its Questions, which are in their order
// and have the totals of each period.
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

// accumulated returns, for each period, the sums of all periods before it.
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

package metered

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"

	"perennial/billing/fault"
	"perennial/billing/rating"
	"perennial/billing/usage"
)

// byTransaction reports whether a price of the component depends on each record, so that aggregates cannot answer it.
func (c Component) byTransaction() bool {
	return slices.ContainsFunc(c.Rates, func(r Rate) bool { return r.Price.ByTransaction() })
}

// ByTransaction reports whether records (Counter) answer the question, instead of aggregates.
func (q Question) ByTransaction() bool { return q.Component.byTransaction() }

// Counter answers a question from its records, one by one.
type Counter struct {
	of       usage.Metric
	question *Question
	lots     *Lots
	records  []int // by period
}

// Counter begins to answer the question from records of the metric.
func (q *Question) Counter(of usage.Metric) *Counter {
	q.tallies = make([]map[usage.Group]*rating.Tally, len(q.Periods))
	for i := range q.tallies {
		q.tallies[i] = map[usage.Group]*rating.Tally{}
	}
	return &Counter{of, q, q.Component.Lots(of), make([]int, len(q.Periods))}
}

// Take counts the next records, in the order of time. A record and its corrections come together. Each record that is
// not fully reversed is a transaction of its rest. Faults: metered_transactions_too_many, metered_lots_too_many.
func (c *Counter) Take(records []usage.Measured) error {
	periods := c.question.Periods
	for _, r := range usage.Effective(records) {
		i := sort.Search(len(periods), func(n int) bool { return r.At.Before(periods[n].Until()) }) // they are sorted
		if i == len(periods) || r.At.Before(periods[i].Start) {
			continue
		}
		if c.records[i]++; c.records[i] > rating.MaxTransactions {
			return fault.New(fault.Conflict, "metered_transactions_too_many",
				"The metric %q has more than %d records in a period, which a price with `transactions` looks at one by one. "+
					"Price their sum.", c.question.Component.MetricName, rating.MaxTransactions)
		}
		group, err := c.lots.Of(r.Group)
		if err != nil {
			return err
		}
		tally := c.question.tallies[i][group]
		if tally == nil {
			tally = c.price(group, i).Tally()
			c.question.tallies[i][group] = tally
		}
		tally.Add(c.of.Conversion.Apply(r.Value))
	}
	return nil
}

// price returns the price of a lot for its share of a period; usage without a rate is free.
func (c *Counter) price(group usage.Group, period int) rating.Price {
	lot := lotOf(group)
	if lot.Rate == unrated {
		return rating.Price{}
	}
	return scaled(c.question.Component.Rates[lot.Rate].Price, c.question.shares[period])
}

// keptCounter is the saved progress of a Counter.
type keptCounter struct {
	Records []int                             `json:"records"`
	Tallies []map[usage.Group]json.RawMessage `json:"tallies"`
}

// States returns the number of tallies.
func (c *Counter) States() (n int) {
	for _, tallies := range c.question.tallies {
		n += len(tallies)
	}
	return n
}

// Keep returns the progress, so that another Counter of the same question can continue.
func (c *Counter) Keep() ([]byte, error) {
	k := keptCounter{Records: c.records}
	for _, tallies := range c.question.tallies {
		kept := make(map[usage.Group]json.RawMessage, len(tallies))
		for group, t := range tallies {
			kept[group] = t.Keep()
		}
		k.Tallies = append(k.Tallies, kept)
	}
	return json.Marshal(k)
}

// Resume replaces the progress by the one that Keep returned.
func (c *Counter) Resume(kept []byte) error {
	var k keptCounter
	if err := json.Unmarshal(kept, &k); err != nil {
		return err
	}
	if len(k.Records) != len(c.records) || len(k.Tallies) != len(c.records) {
		return fmt.Errorf("metered: a count of %d periods cannot go on with one of %d", len(c.records), len(k.Records))
	}
	copy(c.records, k.Records)
	for i, tallies := range k.Tallies {
		clear(c.question.tallies[i])
		for group, text := range tallies {
			t, err := c.price(group, i).Resume(text)
			if err != nil {
				return err
			}
			c.question.tallies[i][group] = t
		}
		c.lots.Resume(slices.Collect(maps.Keys(tallies)))
	}
	return nil
}

// Totals returns the totals of the records, by period: the answer to the question.
func (c *Counter) Totals() []usage.Totals {
	all := make([]usage.Totals, len(c.question.tallies))
	for i, tallies := range c.question.tallies {
		for _, group := range slices.Sorted(maps.Keys(tallies)) {
			t := tallies[group]
			all[i] = append(all[i], usage.Quantity{Group: group, Value: t.Quantity(), Records: t.Count()})
		}
	}
	return all
}

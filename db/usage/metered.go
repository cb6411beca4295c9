package usage

import (
	"context"
	"fmt"

	"perennial/billing/metered"
	"perennial/billing/usage"
)

// MeteredSegments counts a subscription's usage in each of its spans from one on, by the span's metered prices. spans
// has all spans of the subscription, in the order of time and without overlaps: earlier ones count for cumulated
// prices. It locks nothing, and writes only pages, which Tx.DropPages removes. A price whose records cannot be counted
// (metered.Uncountable) is Uncounted in its segments.
func (l *Log) MeteredSegments(
	ctx context.Context, environmentID, subscriptionID string, spans []metered.Span, from int, by Counting,
) ([]metered.Segment, error) {
	questions, err := metered.Questions(spans, from)
	if err != nil {
		return nil, err
	}
	var versions []string
	for _, q := range questions {
		versions = append(versions, q.Component.MetricVersionID)
	}
	metrics, err := Reader{l.reads}.MetricsByVersion(ctx, environmentID, versions)
	if err != nil {
		return nil, err
	}
	answers := make([][]usage.Totals, len(questions))
	for i, q := range questions {
		of, known := metrics[q.Component.MetricVersionID]
		if !known { // versions are never deleted
			return nil, fmt.Errorf("db: metered price %s: no metric version %q", q.Component.ID, q.Component.MetricVersionID)
		}
		if q.ByTransaction() {
			answers[i], err = l.transactions(ctx, environmentID, subscriptionID, of, &questions[i], by)
		} else {
			answers[i], err = l.lots(ctx, environmentID, subscriptionID, of, &questions[i], by)
		}
		if metered.Uncountable(err) {
			questions[i].LeaveOut(err)
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	segments := metered.Segments(spans, from, questions, answers)
	for _, s := range segments {
		for i := range s.Usage {
			if s.Usage[i].Fixed {
				continue
			}
			s.Usage[i].Level = metrics[s.Usage[i].MetricVersionID].Levels()
		}
	}
	return segments, nil
}

// lots answers a question from aggregates and the records that are not in them.
func (l *Log) lots(
	ctx context.Context, environmentID, subscriptionID string, of usage.Metric, q *metered.Question, by Counting,
) ([]usage.Totals, error) {
	lots := q.Component.Lots(of)
	sums := lotSums{of.Tally(q.Periods, lots.Of), lots}
	p := l.pages(environmentID, subscriptionID, q, by, sums)
	err := l.series(ctx, seriesPart{
		environmentID: environmentID, subscriptionID: subscriptionID, of: of, tally: sums.Tally, rows: p.rows(),
		undivided: addsUp(of) && q.Component.Undivided(),
	}, q.Periods, p.turn)
	if err != nil {
		return nil, err
	}
	return sums.Totals(), nil
}

// lotSums is a tally of lots that can be saved and continued.
type lotSums struct {
	*usage.Tally
	lots *metered.Lots
}

func (s lotSums) Resume(kept []byte) error {
	named, err := s.Tally.Resume(kept)
	s.lots.Resume(named)
	return err
}

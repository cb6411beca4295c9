package usage_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/usage"
	"perennial/internal/testkit/peercases"
)

// asMetric decodes the input of an exclusion.
func asMetric(c peercases.Case) (in peerWindowed, ok bool) {
	return in, json.Unmarshal(c.Input, &in) == nil
}

// withinDays reports levels that change within a day, which the peer counts as a whole day.
func withinDays(c peercases.Case) bool {
	in, ok := asMetric(c)
	midnight := func(at time.Time) bool { return at.Equal(at.UTC().Truncate(24 * time.Hour)) }
	span := in.span()
	return ok && (!midnight(span.Start) || !midnight(span.End) ||
		slices.ContainsFunc(in.Events, func(e peerEvent) bool {
			return !midnight(e.Timestamp) && !e.Timestamp.Before(span.Start) && e.Timestamp.Before(span.End)
		}))
}

// lastsBeyond reports levels with days outside the period. The peer counts them all.
func lastsBeyond(c peercases.Case) bool {
	in, ok := asMetric(c)
	return ok && in.Persisted > 0 && slices.ContainsFunc(in.Events, func(e peerEvent) bool {
		return e.Timestamp.Before(in.From) || e.Timestamp.AddDate(0, 0, in.Persisted).After(in.span().End)
	})
}

func ofMinutes(c peercases.Case) bool {
	in, ok := asMetric(c)
	return ok && in.Window == "minute"
}

// endings end levels after their days, as our callers do.
func (p peerMetric) endings(t *testing.T, records []usage.Record) (out []usage.Record) {
	t.Helper()
	if p.Persisted == 0 {
		return nil
	}
	for _, r := range records {
		r.ID, r.At, r.Properties = r.ID+"-end", r.At.AddDate(0, 0, p.Persisted), maps.Clone(r.Properties)
		r.Properties[valueProperty] = money.Whole(0).Sub(decimal(t, r.Properties[valueProperty])).String()
		out = append(out, r)
	}
	return out
}

// level returns the sum of the levels, at any time and end.
func (p peerMetric) level(t *testing.T) money.Decimal {
	t.Helper()
	p.Persisted = 0
	m := p.metric()
	m.Aggregation, m.CarriesOver = usage.Sum, true
	sums := m.Series([]usage.Span{p.span()}, nil, nil, p.measured(t))[0]
	if len(sums) == 0 {
		return money.Whole(0)
	}
	return sums[0].Value
}

// same compares at the decimals of the case, or within its tolerance.
func (want peerResult) same(t *testing.T, wanted string, got money.Decimal) {
	t.Helper()
	w := decimal(t, wanted)
	if want.Tolerance != nil {
		off := got.Sub(w)
		if off.Sign() < 0 {
			off = money.Whole(0).Sub(off)
		}
		require.LessOrEqual(t, off.Cmp(decimal(t, *want.Tolerance)), 0, "%s is not %s", got, w)
		return
	}
	if want.Decimals != nil {
		how, known := map[string]money.Rounding{
			"": money.RoundHalfUp, "ceil": money.RoundUp, "floor": money.RoundDown,
		}[want.Rounding]
		require.True(t, known, "rounding %q", want.Rounding)
		w, got = w.RoundTo(*want.Decimals, how), got.RoundTo(*want.Decimals, how)
	}
	require.Equal(t, w.String(), got.String())
}

// checkProratedValues checks the contribution of each record to the mean level of the period.
func checkProratedValues(t *testing.T, in peerMetric, want struct {
	Values   []string `json:"values"`
	Decimals *int32   `json:"decimals"`
}) {
	m, span := in.metric(), in.span()
	var got []money.Decimal
	for _, one := range in.measured(t) {
		if totals := m.Series([]usage.Span{span}, nil, nil, []usage.Measured{one})[0]; len(totals) > 0 {
			got = append(got, totals[0].Value)
		}
	}
	require.Len(t, got, len(want.Values))
	for i, w := range want.Values {
		peerResult{Decimals: want.Decimals}.same(t, w, got[i])
	}
}

package proration_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/proration"
	"perennial/internal/testkit/peercases"
)

func TestPeerCasesOfProration(t *testing.T) {
	t.Parallel()
	peercases.Suite{
		Category: "b_proration",
		Readers: map[string]peercases.Reader{
			"period_share":       peercases.NewReader(checkPeriodShare),
			"remaining_fraction": peercases.NewReader(checkRemainingFraction),
			"credit_cap":         peercases.NewReader(checkCreditCap),
		},
		Excluded: []peercases.Exclusion{
			{Flag: "peer-specific", Reason: "a decision of that peer alone"},
			{Rule: "lago-day-inclusive", Reason: "whole days, both ends count; ours counts seconds, the end exclusive"},
			{Rule: "kb-day-cycles", Reason: "whole days in cycles; ours counts seconds of one period"},
			{Rule: "kb-day-ratio9", Reason: "a ratio of days rounded to 9 decimals; ours is never rounded before the amount"},
			{Rule: "kb-fixed-30-day", Reason: "every month has 30 days; ours have the calendar's"},
			{Rule: "fp-calendar-days", Reason: "counts dates; ours counts seconds"},
			{Rule: "fp-day-both-inclusive", Reason: "whole days, both ends count; ours counts seconds, the end exclusive"},
			{Rule: "fp-second-minus1", Reason: "counts to one second before the end; ours counts the last second too"},
			{Rule: "no-proration", Reason: "a change within a period is always prorated; period_end defers it instead"},
			{Kind: "remaining_fraction", When: countsOtherUnits, Reason: "counts in another unit of time; ours counts seconds"},
		},
	}.Run(t)
}

func countsOtherUnits(c peercases.Case) bool {
	var in struct{ Strategy string }
	return json.Unmarshal(c.Input, &in) != nil || in.Strategy != "second"
}

type span struct{ Start, End time.Time }

// amount reads exact major units.
func amount(t *testing.T, s string, c money.Currency) money.Minor {
	t.Helper()
	d, _, err := apd.NewFromString(s)
	require.NoError(t, err)
	m, err := money.RoundDecimal(d, c)
	require.NoError(t, err)
	return m
}

type periodShareInput struct {
	Amount      string
	Currency    money.Currency
	Service     span
	FullService span `json:"full_service"`
}

type periodShareResult struct {
	Amount      *string
	LineOmitted bool `json:"line_omitted"`
}

// checkPeriodShare holds money.Part against a share that the peer rounds by itself. Where the service begins with the
// whole, or ends with it, cumulative rounding gives the same (but for an exact tie at the end); in between it may
// differ by one minor unit, which is the price of parts that sum to the whole.
func checkPeriodShare(t *testing.T, in periodShareInput, want periodShareResult) {
	full := in.FullService
	length := full.End.Unix() - full.Start.Unix()
	from, to := in.Service.Start.Unix()-full.Start.Unix(), in.Service.End.Unix()-full.Start.Unix()
	total := amount(t, in.Amount, in.Currency)
	got := money.Part(total, from, to, length)
	var expected money.Minor
	if want.Amount != nil {
		expected = amount(t, *want.Amount, in.Currency)
	} else {
		require.True(t, want.LineOmitted)
	}
	if from > 0 && to < length {
		require.LessOrEqual(t, max(expected-got, got-expected), money.Minor(1))
		return
	}
	require.Equal(t, expected, got)
	if from > 0 {
		rest, err := proration.Rest(total, period.Period(full), in.Service.Start)
		require.NoError(t, err)
		require.Equal(t, expected, rest)
	}
}

type remainingFractionInput struct {
	Strategy string    // countsOtherUnits decides about it
	Start    time.Time `json:"period_start"`
	End      time.Time `json:"period_end"`
	At       time.Time `json:"effective_at"`
	Amount   string
}

type remainingFractionResult struct{ Amount, Coefficient string }

// checkRemainingFraction asks at 8 decimals, so it counts in units of a hundred-millionth. From the end of the
// period on nothing is left, and ours says that the next one has begun.
func checkRemainingFraction(t *testing.T, in remainingFractionInput, want remainingFractionResult) {
	units := func(s string, decimals int32) money.Minor {
		d, _, err := apd.NewFromString(s)
		require.NoError(t, err)
		d.Exponent += decimals
		n, err := d.Int64()
		require.NoError(t, err)
		return money.Minor(n)
	}
	whole := period.Period{Start: in.Start, End: in.End}
	rest, err := proration.Rest(units(in.Amount, 8), whole, in.At)
	if !in.At.Before(in.End) {
		require.ErrorContains(t, err, "change_outside_period")
	} else {
		require.NoError(t, err)
	}
	require.Equal(t, units(want.Amount, 8), rest)
	if want.Coefficient != "" {
		rest, err = proration.Rest(units("1", 16), whole, in.At)
		require.NoError(t, err)
		require.Equal(t, units(want.Coefficient, 16), rest)
	}
}

type creditCapInput struct {
	Potential string `json:"potential_credit"`
	Paid      string `json:"amount_paid"`
	Previous  string `json:"previous_credits"`
}

func checkCreditCap(t *testing.T, in creditCapInput, want struct{ Credit string }) {
	billed := amount(t, in.Paid, "USD") - amount(t, in.Previous, "USD")
	require.Equal(t, amount(t, want.Credit, "USD"), proration.Credit(amount(t, in.Potential, "USD"), billed))
}

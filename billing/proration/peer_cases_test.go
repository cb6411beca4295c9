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

// TestPeerCasesOfProration holds each measure against the peers that count so. Where a peer names the last day or the
// last second of a period, the case's end is moved behind it: our periods exclude their end.
func TestPeerCasesOfProration(t *testing.T) {
	t.Parallel()
	readers := map[string]peercases.Reader{
		"period_share":        peercases.NewReader(checkPeriodShare),
		"credit_cap":          peercases.NewReader(checkCreditCap),
		"calendar_days":       peercases.NewCaseReader(checkCalendarDays),
		"fixed_month_days":    peercases.NewReader(checkFixedMonthDays),
		"ratio":               peercases.NewReader(checkRatio),
		"cycles":              peercases.NewCaseReader(checkCycles),
		"stub_charge":         peercases.NewCaseReader(checkStubCharge),
		"repair_credit":       peercases.NewCaseReader(checkRepairCredit),
		"pause_credit":        peercases.NewCaseReader(checkPauseCredit),
		"period_fee":          peercases.NewReader(checkPeriodFee),
		"period_invoice":      peercases.NewReader(checkPeriodInvoice),
		"termination_credit":  peercases.NewReader(checkTerminationCredit),
		"prorated_commitment": peercases.NewReader(checkCommitment),
		"prorated_minimum":    peercases.NewReader(checkMinimum),
		"remaining_fraction":  peercases.NewReader(checkRemainingFraction),
		"change_net":          peercases.NewCaseReader(checkChangeOfSegments),
	}
	for _, rule := range []string{"fp-day-both-inclusive", "fp-second-minus1"} {
		for _, kind := range []string{"change_net", "add_item", "remove_item", "add_and_remove", "add_two_items"} {
			readers[rule+"/"+kind] = peercases.NewCaseReader(checkChange)
		}
	}
	peercases.Suite{
		Category: "b_proration",
		Readers:  readers,
		Excluded: []peercases.Exclusion{
			{Flag: "peer-specific", Reason: "a decision of that peer alone"},
			{Kind: "cancel_credit", Reason: "says how long, but not when"},
			{Flag: "tolerance", Reason: "the peer accepts a difference of a whole unit"},
			{
				Rule:   "no-proration",
				Reason: "the peer bills the new price at once; ours, without proration, from the next period on",
			},
			{When: notProrated, Reason: "without proration only one item that is added or removed is known here"},
			{Rule: "kb-fixed-30-day", When: otherMonth, Reason: "months of 28 days: ours are of 30, or the calendar's"},
			{Kind: "cycles", When: expectsError, Reason: "an end before the start is refused where the end is set"},
		},
	}.Run(t)
}

// notProrated finds changes that divide no time, except those that checkUnprorated makes.
func notProrated(c peercases.Case) bool {
	var in changeInput
	if json.Unmarshal(c.Input, &in) != nil || !in.unprorated() {
		return false
	}
	return c.Kind != "add_item" && c.Kind != "remove_item"
}

func otherMonth(c peercases.Case) bool {
	var in struct {
		Days int `json:"fixed_days_in_month"`
	}
	return json.Unmarshal(c.Input, &in) == nil && in.Days != 0 && in.Days != 30
}

func expectsError(c peercases.Case) bool {
	var want struct{ Error string }
	return json.Unmarshal(c.Expected, &want) == nil && want.Error != ""
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

// checkPeriodShare compares money.Part with a share that the peer rounds alone. Where the service begins or ends with
// the whole, cumulative rounding gives the same (except for an exact tie at the end). In between it may differ by one
// minor unit, which is the price of parts that sum to the whole.
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
		left, err := restOf(total, period.Period(full), in.Service.Start)
		require.NoError(t, err)
		require.Equal(t, expected, left)
	}
}

type remainingFractionInput struct {
	Strategy proration.Measure
	Start    time.Time `json:"period_start"`
	End      time.Time `json:"period_end"`
	At       time.Time `json:"effective_at"`
	Amount   string
}

type remainingFractionResult struct{ Amount, Coefficient string }

// checkRemainingFraction compares 8 decimals, so it counts in units of a hundred-millionth. The peer's days include the
// day of the end. From the end of the period on the peer has nothing left, and ours returns the fault that the next one
// has begun.
func checkRemainingFraction(t *testing.T, in remainingFractionInput, want remainingFractionResult) {
	units := func(s string, decimals int32) money.Minor {
		d, _, err := apd.NewFromString(s)
		require.NoError(t, err)
		d.Exponent += decimals
		n, err := d.Int64()
		require.NoError(t, err)
		return money.Minor(n)
	}
	require.NoError(t, in.Strategy.Validate())
	if in.Strategy == proration.Day {
		in.End = in.End.AddDate(0, 0, 1)
	}
	whole := period.Period{Start: in.Start, End: in.End}
	rest, err := in.Strategy.Rest(whole, in.At, nil)
	if !in.At.Before(in.End) {
		require.ErrorContains(t, err, "change_outside_period")
		rest = proration.Span{Length: 1}
	} else {
		require.NoError(t, err)
	}
	require.Equal(t, units(want.Amount, 8), rest.Of(units(in.Amount, 8)))
	if want.Coefficient != "" {
		require.Equal(t, units(want.Coefficient, 16), rest.Of(units("1", 16)))
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

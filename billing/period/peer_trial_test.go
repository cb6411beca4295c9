package period_test

import (
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/period"
	"perennial/internal/testkit/peercases"
)

func TestPeerCasesOfTrials(t *testing.T) {
	t.Parallel()
	peercases.Suite{
		Category: "f_trials",
		Readers: map[string]peercases.Reader{
			"trial_end":         peercases.NewReader(checkTrialEnd),
			"trial_then_bill":   peercases.NewReader(checkTrialThenBill),
			"fee_after_trial":   peercases.NewReader(checkFeeAfterTrial),
			"trial_billing":     peercases.NewReader(checkTrialBilling),
			"trial_state":       peercases.NewReader(checkTrialState),
			"trial_end_payment": peercases.NewReader(checkTrialEndPayment),
		},
		Excluded: []peercases.Exclusion{
			{Kind: "fee_after_trial", Flag: "peer-specific", Reason: "a decision of that peer alone"},
			{Rule: "zero-invoice-at-trial-start", Reason: "a trial of ours has no invoice"},
			{Kind: "trial_billing", When: otherBilling, Reason: "periods from an anchor of ours begin where the trial ends"},
			{Kind: "trial_billing", When: countsHours, Reason: "a day of a trial has 24 hours; ours are local calendar days"},
			{Kind: "trial_state", When: asksStatus, Reason: "a request sets no status: the trial decides about it"},
			{
				Rule: "fp-payment-behavior", When: otherBehavior,
				Reason: "the first invoice decides about the status; ours is active, and an app reads paidThrough",
			},
		},
	}.Run(t)
}

type trialInput struct {
	Start         string
	Timezone      string
	TrialDays     int     `json:"trial_days"`
	Override      *int    `json:"override_trial_days"`
	GivenTrialEnd *string `json:"given_trial_end"`
}

// end returns start plus local calendar days; nil without a trial. The trial of the subscription overrides that of its
// plan.
func (in trialInput) end(t *testing.T) *time.Time {
	t.Helper()
	loc, days := zone(t, in.Timezone), in.TrialDays
	if in.Override != nil {
		days = *in.Override
	}
	start := instant(t, in.Start, loc)
	end := period.AddDays(start, loc, days)
	if in.GivenTrialEnd != nil {
		end = instant(t, *in.GivenTrialEnd, loc)
	}
	if !end.After(start) {
		return nil
	}
	return &end
}

type trialEndResult struct {
	TrialStart *string `json:"trial_start"`
	TrialEnd   *string `json:"trial_end"`
}

func checkTrialEnd(t *testing.T, in trialInput, want trialEndResult) {
	end, loc := in.end(t), zone(t, in.Timezone)
	if want.TrialStart != nil { // a trial of ours begins with the subscription
		requireInstant(t, *want.TrialStart, instant(t, in.Start, loc), loc)
	}
	if want.TrialEnd == nil {
		require.Nil(t, end)
		return
	}
	require.NotNil(t, end)
	requireInstant(t, *want.TrialEnd, *end, loc)
}

type trialThenBillInput struct {
	trialInput
	Interval string
	Price    string
}

type trialThenBillResult struct {
	TrialEnd    string `json:"trial_end"`
	FirstCharge struct {
		Start  string `json:"period_start"`
		End    string `json:"period_end"`
		Amount string
	} `json:"first_charge"`
}

func checkTrialThenBill(t *testing.T, in trialThenBillInput, want trialThenBillResult) {
	loc, end := zone(t, in.Timezone), in.end(t)
	require.NotNil(t, end)
	if want.TrialEnd != "" {
		requireInstant(t, want.TrialEnd, *end, loc)
	}
	first := period.Schedule{Anchor: *end, Location: loc, Interval: interval(t, in.Interval, 1)}.Period(0)
	requireInstant(t, want.FirstCharge.Start, first.Start, loc)
	requireInstant(t, want.FirstCharge.End, first.End, loc)
	if in.Price != "" && want.FirstCharge.Amount != "" { // the period is whole, so it costs the whole price
		require.Zero(t, decimal(t, in.Price).Cmp(decimal(t, want.FirstCharge.Amount)), "the first charge is prorated")
	}
}

func decimal(t *testing.T, s string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(s)
	require.True(t, ok, "decimal %q", s)
	return r
}

package period_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/internal/peercases"
	"perennial/billing/period"
)

func TestPeerCasesOfTrials(t *testing.T) {
	t.Parallel()
	peercases.Suite{
		Category: "f_trials",
		Checks: map[string]func(*testing.T, peercases.Case){
			"trial_end":       checkTrialEnd,
			"trial_then_bill": checkTrialThenBill,
		},
		Excluded: []peercases.Exclusion{
			{Flag: "peer-specific", Reason: "a decision of that peer alone"},
			{Rule: "lago-day-inclusive", Reason: "the first paid period of ours starts whole where the trial ends"},
			{Rule: "trial-window-is-period", Reason: "a state of the subscription, which is not a question of the calendar"},
			{Rule: "zero-invoice-at-trial-start", Reason: "a trial of ours has no invoice"},
			{Rule: "fp-payment-behavior", Reason: "a state of the subscription, which is not a question of the calendar"},
		},
	}.Run(t)
}

type trialInput struct {
	Start         string
	Timezone      string
	Interval      string
	TrialDays     int     `json:"trial_days"`
	Override      *int    `json:"override_trial_days"`
	GivenTrialEnd *string `json:"given_trial_end"`
}

// end is start plus local calendar days; nil without a trial. The trial of the subscription overrides that of its plan.
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

func checkTrialEnd(t *testing.T, c peercases.Case) {
	var in trialInput
	var want struct {
		TrialEnd *string `json:"trial_end"`
	}
	c.Read(t, &in, &want)
	end := in.end(t)
	if want.TrialEnd == nil {
		require.Nil(t, end)
		return
	}
	require.NotNil(t, end)
	requireInstant(t, *want.TrialEnd, *end, zone(t, in.Timezone))
}

func checkTrialThenBill(t *testing.T, c peercases.Case) {
	var in trialInput
	var want struct {
		TrialEnd    string `json:"trial_end"`
		FirstCharge struct {
			Start string `json:"period_start"`
			End   string `json:"period_end"`
		} `json:"first_charge"`
	}
	c.Read(t, &in, &want)
	loc, end := zone(t, in.Timezone), in.end(t)
	require.NotNil(t, end)
	if want.TrialEnd != "" {
		requireInstant(t, want.TrialEnd, *end, loc)
	}
	first := period.Schedule{Anchor: *end, Location: loc, Interval: interval(t, in.Interval, 1)}.Period(0)
	requireInstant(t, want.FirstCharge.Start, first.Start, loc)
	requireInstant(t, want.FirstCharge.End, first.End, loc)
}

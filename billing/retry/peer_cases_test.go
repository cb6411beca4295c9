package retry_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/retry"
	"perennial/internal/testkit/peercases"
)

func TestPeerCasesOfDunning(t *testing.T) {
	t.Parallel()
	peercases.Suite{
		Category: "g_dunning",
		Readers: map[string]peercases.Reader{
			"payment_retries": peercases.NewReader(checkPaymentRetries),
		},
		Excluded: []peercases.Exclusion{
			{Rule: "days-since-earliest-unpaid", Reason: "there is one state of arrears, reached by attempts and not by days"},
			{Rule: "equals-or-exceeds", Reason: "there is one state of arrears, reached by attempts and not by days"},
			{Rule: "unpaid-summary", Reason: "a report, not a retry"},
			{Rule: "lago-campaign", Reason: "no campaigns over several invoices: one invoice is collected at a time"},
			{Rule: "net-days", Reason: "invoices are due at once"},
			{Rule: "standard-webhooks-example", Reason: "deliveries of webhooks have a schedule of their own"},
			{Kind: "retry_dates", Reason: "retries after a list of days; ours follow a base and a factor"},
			{When: notGeometric, Reason: "retries after a list of days that no base and factor give"},
		},
	}.Run(t)
}

// policyOf is the policy whose gaps are these days, if there is one.
func policyOf(days []int) (retry.Policy, bool) {
	p := retry.Policy{Factor: 1, Retries: len(days)}
	if len(days) == 0 {
		p.Base = retry.Default().Base
		return p, true
	}
	p.Base = time.Duration(days[0]) * 24 * time.Hour
	if len(days) > 1 && days[0] > 0 {
		p.Factor = days[1] / days[0]
	}
	if p.Validate() != nil {
		return p, false
	}
	for i, day := range days {
		if p.Gap(i+1) != time.Duration(day)*24*time.Hour {
			return p, false
		}
	}
	return p, true
}

func notGeometric(c peercases.Case) bool {
	var in struct {
		RetryDays []int `json:"retry_days"`
	}
	if json.Unmarshal(c.Input, &in) != nil {
		return false
	}
	_, expressible := policyOf(in.RetryDays)
	return !expressible
}

type paymentRetriesInput struct {
	RetryDays []int `json:"retry_days"`
	Outcomes  []string
}

type paymentRetriesResult struct {
	Attempts int
	States   []string `json:"attempt_states"`
}

// checkPaymentRetries plays the outcomes: a failure is retried while the policy has a gap left for it.
func checkPaymentRetries(t *testing.T, in paymentRetriesInput, want paymentRetriesResult) {
	policy, ok := policyOf(in.RetryDays)
	require.True(t, ok)
	start := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	at := start
	var states []string
	for _, outcome := range in.Outcomes {
		if outcome == "success" {
			states = append(states, "SUCCESS")
			break
		}
		next := len(states) + 1
		if next > policy.Retries {
			states = append(states, "ABORTED")
			break
		}
		states = append(states, "RETRIED")
		due := policy.At(at, next, "", time.Time{})
		require.Equal(t, time.Duration(in.RetryDays[next-1])*24*time.Hour, due.Sub(at))
		at = due
	}
	require.Len(t, states, want.Attempts)
	if want.States != nil {
		require.Equal(t, want.States, states)
	}
}

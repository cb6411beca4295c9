package retry_test

import (
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
			"payment_retries":   peercases.NewReader(checkPaymentRetries),
			"retry_dates":       peercases.NewReader(checkRetryDates),
			"overdue_timeline":  peercases.NewReader(checkOverdueTimeline),
			"overdue_state":     peercases.NewReader(checkOverdueState),
			"overdue_condition": peercases.NewReader(checkOverdueCondition),
			"unpaid_summary":    peercases.NewReader(checkUnpaidSummary),
			"dunning_due":       peercases.NewReader(checkDunningDue),
			"payment_due":       peercases.NewReader(checkPaymentDue),
			"webhook_response":  peercases.NewReader(checkWebhookResponse),

			"webhook_retry_schedule": peercases.NewReader(checkWebhookSchedule),
		},
		Excluded: []peercases.Exclusion{
			{
				Kind:   "dunning_timeline",
				Reason: "no demands that are repeated for all invoices together: each is retried by itself",
			},
			{Kind: "webhook_response", When: otherSuccess, Reason: "only the status 200 is a success"},
			{
				Kind: "webhook_response", When: changesEndpoint,
				Reason: "activities/delivery checks what slows or disables an endpoint",
			},
		},
	}.Run(t)
}

// policyOf is the policy whose gaps are these days.
func policyOf(t *testing.T, days []int) retry.Policy {
	t.Helper()
	gaps := make([]time.Duration, len(days))
	for i, n := range days {
		gaps[i] = time.Duration(n) * day
	}
	p := retry.List(gaps...)
	require.NoError(t, p.Validate())
	return p
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
	policy := policyOf(t, in.RetryDays)
	start := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	at := start
	var states []string
	for _, outcome := range in.Outcomes {
		if outcome == "unknown" { // the provider is asked for the outcome; a send without an answer is never repeated
			require.Len(t, states, want.Attempts-1, "no attempt follows an unknown outcome")
			if want.States != nil {
				require.Len(t, want.States, want.Attempts)
				require.NotEqual(t, "RETRIED", want.States[want.Attempts-1])
			}
			return
		}
		if outcome == "success" {
			states = append(states, "SUCCESS")
			break
		}
		require.Equal(t, "fail", outcome, "an outcome that is not known")
		next := len(states) + 1
		if !policy.Allows(next, "") {
			states = append(states, "ABORTED")
			break
		}
		states = append(states, "RETRIED")
		due := policy.At(retry.Failure{At: at}, next, "")
		require.Equal(t, time.Duration(in.RetryDays[next-1])*day, due.Sub(at))
		at = due
	}
	require.Len(t, states, want.Attempts)
	if want.States != nil {
		require.Equal(t, want.States, states)
	}
}

type retryDatesInput struct {
	RetryDays    []int  `json:"retry_days"`
	FirstAttempt string `json:"first_attempt"`
}

type retryDatesResult struct {
	Dates []string
}

// checkRetryDates counts each delay from the attempt before it.
func checkRetryDates(t *testing.T, in retryDatesInput, want retryDatesResult) {
	policy := policyOf(t, in.RetryDays)
	at, err := time.Parse(time.DateOnly, in.FirstAttempt)
	require.NoError(t, err)
	var dates []string
	for n := 1; policy.Allows(n, ""); n++ {
		at = policy.At(retry.Failure{At: at}, n, "")
		dates = append(dates, at.Format(time.DateOnly))
	}
	require.Equal(t, want.Dates, dates)
}

package dunning_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/dunning"
	"perennial/billing/fault"
)

// Requests and records of moving have the same form: what is absent has the defaults, and a list without gaps means no
// retry, not the default ones.
func TestDunning_Policy(t *testing.T) {
	t.Parallel()
	read := func(text string) (dunning.Policy, error) {
		var form dunning.Dunning
		require.NoError(t, json.Unmarshal([]byte(text), &form), text)
		return form.Policy()
	}
	for text, want := range map[string][]time.Duration{
		`{}`:                     {24 * time.Hour, 48 * time.Hour, 96 * time.Hour},
		`{"retryGapDays":[]}`:    nil,
		`{"retryGapDays":[3,5]}`: {72 * time.Hour, 120 * time.Hour},
		`{"retryCount":0}`:       nil,
	} {
		p, err := read(text)
		require.NoError(t, err, text)
		var gaps []time.Duration
		for n := range p.Retry.Retries {
			gaps = append(gaps, p.Retry.Gap(n+1))
		}
		require.Equal(t, want, gaps, text)
		again, err := dunning.Form(p).Policy()
		require.NoError(t, err, text)
		require.Equal(t, p.Retry.Retries, again.Retry.Retries, text)
	}
	for text, want := range map[string]dunning.Reminders{
		`{"reminders":"all"}`: {}, `{"reminders":"none"}`: {None: true}, `{"reminderAttempts":[1,4]}`: {Attempts: []int{1, 4}},
	} {
		p, err := read(text)
		require.NoError(t, err, text)
		require.Equal(t, want, p.Reminders)
		again, err := dunning.Form(p).Policy()
		require.NoError(t, err, text)
		require.Equal(t, want, again.Reminders)
	}
	for text, want := range map[string][2]string{
		`{"reminderAttempts":[]}`:                          {"dunning.reminderAttempts", "reminders_invalid"},
		`{"reminders":"some"}`:                             {"dunning.reminders", "reminders_invalid"},
		`{"reminderAttempts":[12]}`:                        {"dunning.reminderAttempts", "reminders_invalid"},
		`{"retryGapDays":[1],"retryFactor":2}`:             {"dunning.retryGapDays", "fields_exclusive"},
		`{"retryGapDays":[0]}`:                             {"dunning.retryGapDays", "retry_policy_invalid"},
		`{"retryGapDays":[367]}`:                           {"dunning.retryGapDays", "retry_policy_invalid"},
		`{"retryFactor":0}`:                                {"dunning.retryFactor", "retry_policy_invalid"},
		`{"retryBaseSeconds":1}`:                           {"dunning.retryBaseSeconds", "retry_policy_invalid"},
		`{"retryCount":11}`:                                {"dunning.retryCount", "retry_policy_invalid"},
		`{"retryJitterSeconds":3601}`:                      {"dunning.retryJitterSeconds", "retry_policy_invalid"},
		`{"minimumAmounts":[{"currency":"EUR"}]}`:          {"dunning.minimumAmounts", "minimum_amount_invalid"},
		`{"finalAction":"ignore"}`:                         {"dunning.finalAction", "final_action_unknown"},
		`{"failureRules":[{"failureCode":"DECLINED"}]}`:    {"dunning.failureRules", "retry_policy_invalid"},
		`{"finalAction":"cancel","cancelAfterDays":10000}`: {"dunning.cancelAfterDays", "cancel_after_days_out_of_range"},
	} {
		_, err := read(text)
		require.Equal(t, want, [2]string{fault.From(err).Param, fault.From(err).Code}, text)
	}
}

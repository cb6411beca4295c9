package retry_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/dunning"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/overdue"
	"perennial/billing/plan"
	"perennial/billing/retry"
	"perennial/billing/subscription"
)

// campaignInput is a campaign that demands overdue amounts, with the number of its attempts.
type campaignInput struct {
	Thresholds  map[string]money.Minor
	Overdue     map[string]money.Minor
	Attempts    map[string]int // made before
	MaxAttempts int            `json:"max_attempts"`          // absent: more than were made
	DaysBetween int            `json:"days_between_attempts"` // absent: enough have passed
	LastAgo     *int64         `json:"last_attempt_seconds_ago"`
	Excluded    bool           // the customer
	OwnCampaign bool           `json:"own_campaign"` // of the customer, in place of the one of all
}

// checkDunningDue has an invoice for the overdue amount in each currency, whose first attempt has failed. The thresholds
// of a campaign are the amounts of a state of a customer-wide policy, in a currency that has one the minimum of a dunning
// policy too; its attempts are retries.
func checkDunningDue(t *testing.T, in campaignInput, want struct {
	Attempt  []string // the currencies
	Attempts map[string]int
}) {
	due := []string{}
	for currency, amount := range in.Overdue {
		threshold, has := in.Thresholds[currency]
		demanded := has && demands(t, overdue.Amount{Currency: money.Currency(currency), Amount: threshold}, in.Overdue)
		policy := in.policy(t, in.Attempts[currency])
		if has && !in.Excluded {
			require.Equal(t, demanded, asked(t, policy, money.Currency(currency), amount) != 0)
		}
		if !demanded {
			continue
		}
		state, starts := in.retried(t, policy, in.Attempts[currency])
		if starts {
			due = append(due, currency)
		}
		if n, asserted := want.Attempts[currency]; asserted {
			require.Equal(t, n, state.Automatic-1, currency)
		}
	}
	require.ElementsMatch(t, want.Attempt, due)
}

// gap is the time between attempts.
func (in campaignInput) gap() time.Duration { return time.Duration(max(in.DaysBetween, 1)) * day }

// policy returns the policy for an invoice after a number of retries.
func (in campaignInput) policy(t *testing.T, before int) dunning.Policy {
	t.Helper()
	most := in.MaxAttempts
	if most == 0 {
		most = before + 1
	}
	policy := dunning.Default()
	policy.Retry = retry.List(slices.Repeat([]time.Duration{in.gap()}, most)...)
	for currency, amount := range in.Thresholds {
		policy.Minimums = append(policy.Minimums, dunning.Minimum{Currency: money.Currency(currency), Amount: amount})
	}
	require.NoError(t, policy.Validate())
	settings := subscription.Settings{Dunning: policy}
	var own *dunning.Policy
	switch {
	case in.OwnCampaign:
		settings.Dunning, own = dunning.Policy{}, &policy
	case in.Excluded: // a policy of the customer without retries
		none := dunning.Default()
		none.Retry = retry.List()
		require.NoError(t, none.Validate())
		own = &none
	}
	return settings.For(plan.Plan{}, own).Dunning
}

// asked returns the amount due of an invoice for an amount under a policy.
func asked(t *testing.T, p dunning.Policy, c money.Currency, amount money.Minor) money.Minor {
	t.Helper()
	draft := invoice.Draft{Lines: []invoice.Line{{Kind: invoice.OneOff, Quantity: "1", Amount: amount}}}
	issued, err := draft.Issue(invoice.Issuing{Currency: c, Limits: p.Raise(money.Limits{}, c), Now: time.Now()})
	require.NoError(t, err)
	return issued.Invoice.AmountDue
}

// retried plays the attempts of one invoice up to now, and reports whether another one starts.
func (in campaignInput) retried(t *testing.T, policy dunning.Policy, before int) (collection.State, bool) {
	t.Helper()
	terms := collection.Terms{Retry: policy.Retry}
	at := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	state := collection.State{Phase: collection.Waiting}
	next := func(kind collection.Kind) collection.Effect {
		t.Helper()
		var effect collection.Effect
		var err error
		state, effect, err = collection.Next(state, collection.Input{Kind: kind, Now: at}, terms)
		require.NoError(t, err)
		return effect
	}
	require.Equal(t, collection.StartAttempt, next(collection.Begin))
	next(collection.AttemptFailed)
	for range before {
		at = state.RetryAt
		require.Equal(t, collection.StartAttempt, next(collection.RetryDue))
		next(collection.AttemptFailed)
	}
	if in.LastAgo != nil {
		at = at.Add(time.Duration(*in.LastAgo) * time.Second)
	} else {
		at = at.Add(in.gap())
	}
	if state.Phase != collection.Scheduled || at.Before(state.RetryAt) {
		return state, false
	}
	return state, next(collection.RetryDue) == collection.StartAttempt
}

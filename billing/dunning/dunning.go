// Package dunning owns the policy for invoices that cannot be collected: the schedule of retries, by failure code where
// that matters, the attempts that remind the customer, the effect on the subscription after the last of them, and the
// least amount that is collected. It does not own when a single retry is due (retry), nor how the subscription gets
// from one state to the next (subscribing).
package dunning

import (
	"slices"

	"perennial/billing/answer"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/retry"
)

// Action is the effect of the last failed retry.
type Action string

// The actions. With each the subscription is past due.
const (
	PastDue Action = "past_due" // nothing more: it is past due until it is paid
	Cancel  Action = "cancel"   // it is canceled after CancelAfterDays in that status
	Pause   Action = "pause"    // its collection pauses: no invoice and no attempt until it is resumed or paid
)

// MaxCancelAfterDays is the longest time in past_due that ends in a cancellation; longer is never.
const MaxCancelAfterDays = 365

// Policy is chosen for an environment; a plan may have one of its own.
type Policy struct {
	Retry           retry.Policy
	Final           Action
	CancelAfterDays int // with Cancel: 1 to MaxCancelAfterDays, local calendar days; else 0
	// Minimums are the smallest amounts that are asked for, one a currency at most: an invoice for less carries it to the
	// customer's balance, so that small amounts cost no fees of their own.
	Minimums []Minimum
	// TryOtherMethods: retries take turns among the customer's payment methods, see collection.State.Turn.
	TryOtherMethods bool
	Reminders       Reminders
}

// Minimum is the smallest amount in a currency that is asked for, in minor units: 1 to money.MaxMinor.
type Minimum struct {
	Currency money.Currency
	Amount   money.Minor
}

// MaxMinimums bounds the minimums of a policy.
const MaxMinimums = 20

// Raise returns a provider's limits in a currency with the policy's minimum as the least minimum. A currency without
// one keeps the provider's.
func (p Policy) Raise(limits money.Limits, c money.Currency) money.Limits {
	for _, m := range p.Minimums {
		if m.Currency == c {
			limits.Minimum = max(limits.Minimum, m.Amount)
		}
	}
	return limits
}

// Default is the interface specification's: three retries, one, two and four days apart, then past due.
func Default() Policy { return Policy{Retry: retry.Default(), Final: PastDue} }

// CancelAfter sets the final action by a number of days in past_due; 0 never cancels.
func (p *Policy) CancelAfter(days int) {
	p.Final, p.CancelAfterDays = PastDue, days
	if days != 0 {
		p.Final = Cancel
	}
}

// Validate returns a fault for the first field that no policy can have: retry_policy_invalid, failure_code_unknown,
// final_action_unknown, cancel_after_days_out_of_range, minimum_amount_invalid, currency_unknown,
// reminders_invalid.
func (p Policy) Validate() error {
	if err := p.Retry.Validate(); err != nil {
		return err
	}
	for _, r := range p.Retry.Rules {
		if !slices.Contains(answer.FailureCodes(), answer.FailureCode(r.Code)) {
			return fault.InvalidParam("rules", "failure_code_unknown",
				"%.40q is not a failure code. Send one of %s.", r.Code, answer.FailureCodes())
		}
	}
	if !slices.Contains([]Action{PastDue, Cancel, Pause}, p.Final) {
		return fault.InvalidParam("finalAction", "final_action_unknown",
			"`finalAction` cannot be %.40q. Send `%s`, `%s` or `%s`.", p.Final, PastDue, Cancel, Pause)
	}
	days := fault.InvalidParam("cancelAfterDays", "cancel_after_days_out_of_range",
		"The days in past_due before a cancellation must be 1 to %d.", MaxCancelAfterDays)
	switch {
	case p.Final == Cancel && (p.CancelAfterDays < 1 || p.CancelAfterDays > MaxCancelAfterDays):
		return days
	case p.Final != Cancel && p.CancelAfterDays != 0:
		return fault.InvalidParam("cancelAfterDays", "cancel_after_days_out_of_range",
			"Days in past_due before a cancellation need the final action `%s`.", Cancel)
	}
	if err := p.Reminders.validate(); err != nil {
		return err
	}
	return p.validateMinimums()
}

func (p Policy) validateMinimums() error {
	if len(p.Minimums) > MaxMinimums {
		return fault.InvalidParam("minimums", "minimum_amount_invalid",
			"A policy has at most %d minimum amounts.", MaxMinimums)
	}
	seen := map[money.Currency]bool{}
	for _, m := range p.Minimums {
		if _, err := money.ParseCurrency(string(m.Currency)); err != nil {
			return fault.From(err).In("minimums")
		}
		if seen[m.Currency] {
			return fault.InvalidParam("minimums", "minimum_amount_invalid",
				"There are two minimum amounts in %s. Send one for each currency.", m.Currency)
		}
		if m.Amount < 1 || m.Amount > money.MaxMinor {
			return fault.InvalidParam("minimums", "minimum_amount_invalid",
				"A minimum amount must be 1 to %d minor units. Omit it where there is none.", int64(money.MaxMinor))
		}
		seen[m.Currency] = true
	}
	return nil
}

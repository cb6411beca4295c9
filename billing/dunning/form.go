package dunning

import (
	"time"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/retry"
)

// Dunning is the policy as requests, answers and records of moving have it, which all read it here. The gaps between
// attempts are a list of days, or follow a base and a factor. In a request, absent fields have the defaults; the list
// and the base exclude each other.
type Dunning struct {
	RetryGapDays       []int           `json:"retryGapDays,omitempty" maxItems:"10" example:"[1,2,4]" doc:"Days from each failed attempt to its retry. An empty list: no retries. Send this, or retryBaseSeconds, retryFactor and retryCount."`
	RetryBaseSeconds   *int64          `json:"retryBaseSeconds,omitempty" minimum:"60" maximum:"2592000" example:"86400" doc:"Seconds from the first failed attempt to its retry. Default: 86400."`
	RetryFactor        *int            `json:"retryFactor,omitempty" minimum:"1" maximum:"10" example:"2" doc:"How many times longer each gap is than the one before it. Default: 2."`
	RetryCount         *int            `json:"retryCount,omitempty" minimum:"0" maximum:"10" example:"3" doc:"The number of retries. Default: 3."`
	RetryJitterSeconds *int64          `json:"retryJitterSeconds,omitempty" minimum:"0" maximum:"3600" example:"3600" doc:"The longest random delay of a retry, which spreads load. Never across the end of a period, and none on a test clock. Default: 3600."`
	FailureRules       []FailureRule   `json:"failureRules,omitempty" maxItems:"5" doc:"What is different after certain failures. Default: nothing."`
	FinalAction        string          `json:"finalAction,omitempty" enum:"past_due,cancel,pause" example:"past_due" doc:"After the last retry has failed, the subscription is past_due; cancel: it is canceled after cancelAfterDays in that status, at once and without a refund; pause: nothing is billed or collected until collection is resumed or the invoice is paid. Default: past_due."`
	CancelAfterDays    int             `json:"cancelAfterDays,omitempty" minimum:"1" maximum:"365" example:"30" doc:"With finalAction cancel: local calendar days in past_due."`
	TryOtherMethods    bool            `json:"tryOtherMethods,omitempty" doc:"true: retries take turns among the customer's payment methods: the one that the subscription names or the default first, then the others, oldest first. failureRules are about the method that failed, and do not hold another one back. Default: false."`
	Reminders          string          `json:"reminders,omitempty" enum:"all,none" example:"all" doc:"Whether a failed attempt sends the customer an email of the kind payment_failed, where the email settings have it. Default: all."`
	ReminderAttempts   []int           `json:"reminderAttempts,omitempty" minItems:"1" maxItems:"11" example:"[1,4]" doc:"Only the failures of these attempts send one, by the attemptNumber of payment.failed: 1 is the first attempt. Default: all attempts."`
	MinimumAmounts     []MinimumAmount `json:"minimumAmounts,omitempty" maxItems:"20" doc:"The smallest amounts that are asked for. An invoice for less is paid, carries the amount to the customer's balance (carriedForward), and a later invoice asks for it. A currency that is not listed has no minimum but the payment provider's. Default: none."`
}

// MinimumAmount is the smallest amount in a currency that is asked for.
type MinimumAmount struct {
	Currency string `json:"currency" example:"EUR"`
	Amount   int64  `json:"amount" minimum:"1" example:"500" doc:"In minor units."`
}

// FailureRule has the differences after failures with one code.
type FailureRule struct {
	FailureCode string `json:"failureCode" enum:"INSUFFICIENT_FUNDS,INVALID_ACCOUNT,DECLINED,DAILY_LIMIT,ACCOUNT_BLOCKED" example:"INSUFFICIENT_FUNDS"`
	NoRetry     bool   `json:"noRetry,omitempty" doc:"true: such a failure ends the retries, and the final action follows. Send this or dayOfMonth."`
	DayOfMonth  int    `json:"dayOfMonth,omitempty" minimum:"1" maximum:"31" example:"25" doc:"After its gap, the retry waits for this day of the month, or for the last day of a shorter one, in the time zone of the subscription."`
}

// Form returns a policy as a request would set it.
func Form(p Policy) Dunning {
	jitter := int64(p.Retry.MaxJitter / time.Second)
	out := Dunning{RetryJitterSeconds: &jitter, FinalAction: string(p.Final), CancelAfterDays: p.CancelAfterDays,
		TryOtherMethods: p.TryOtherMethods, ReminderAttempts: p.Reminders.Attempts}
	if p.Reminders.None {
		out.Reminders = noReminders
	}
	for _, r := range p.Retry.Rules {
		out.FailureRules = append(out.FailureRules, FailureRule{
			FailureCode: r.Code, NoRetry: r.Never, DayOfMonth: r.DayOfMonth,
		})
	}
	for _, m := range p.Minimums {
		out.MinimumAmounts = append(out.MinimumAmounts, MinimumAmount{string(m.Currency), int64(m.Amount)})
	}
	if len(p.Retry.Gaps) > 0 {
		for _, gap := range p.Retry.Gaps {
			out.RetryGapDays = append(out.RetryGapDays, int(gap/day))
		}
		return out
	}
	base := int64(p.Retry.Base / time.Second)
	out.RetryBaseSeconds, out.RetryFactor, out.RetryCount = &base, &p.Retry.Factor, &p.Retry.Retries
	return out
}

// noReminders as reminders switches them off.
const noReminders = "none"

const (
	day        = 24 * time.Hour
	maxGapDays = 366 // the limits of the rules, in days
)

// Policy returns the policy that the form asks for. Faults: fields_exclusive, retry_policy_invalid; the rules judge the
// rest.
func (d Dunning) Policy() (Policy, error) {
	p := Default()
	if d.RetryGapDays != nil {
		if d.RetryBaseSeconds != nil || d.RetryFactor != nil || d.RetryCount != nil {
			return p, fault.InvalidParam("dunning.retryGapDays", "fields_exclusive",
				"Send `retryGapDays`, or `retryBaseSeconds`, `retryFactor` and `retryCount`, not both.")
		}
		var gaps []time.Duration
		for _, days := range d.RetryGapDays {
			if days < 1 || days > maxGapDays {
				return p, fault.InvalidParam("dunning.retryGapDays", "retry_policy_invalid",
					"Each gap must be 1 to %d days.", maxGapDays)
			}
			gaps = append(gaps, time.Duration(days)*day)
		}
		p.Retry = retry.List(gaps...)
	}
	if d.RetryBaseSeconds != nil {
		p.Retry.Base = time.Duration(*d.RetryBaseSeconds) * time.Second
	}
	if d.RetryFactor != nil {
		p.Retry.Factor = *d.RetryFactor
	}
	if d.RetryCount != nil {
		p.Retry.Retries = *d.RetryCount
	}
	if d.RetryJitterSeconds != nil {
		p.Retry.MaxJitter = time.Duration(*d.RetryJitterSeconds) * time.Second
	}
	for _, r := range d.FailureRules {
		p.Retry.Rules = append(p.Retry.Rules, retry.Rule{Code: r.FailureCode, Never: r.NoRetry, DayOfMonth: r.DayOfMonth})
	}
	for _, m := range d.MinimumAmounts {
		p.Minimums = append(p.Minimums, Minimum{Currency: money.Currency(m.Currency), Amount: money.Minor(m.Amount)})
	}
	if d.FinalAction != "" {
		p.Final = Action(d.FinalAction)
	}
	switch d.Reminders {
	case "", "all", noReminders:
	default:
		return p, fault.InvalidParam("dunning.reminders", "reminders_invalid",
			"`reminders` cannot be %.40q. Send `all` or `none`.", d.Reminders)
	}
	if d.ReminderAttempts != nil && len(d.ReminderAttempts) == 0 {
		return p, fault.InvalidParam("dunning.reminderAttempts", "reminders_invalid",
			"`reminderAttempts` names no attempt. Omit it for all of them, or send `reminders` `none`.")
	}
	p.CancelAfterDays, p.TryOtherMethods = d.CancelAfterDays, d.TryOtherMethods
	p.Reminders = Reminders{None: d.Reminders == noReminders, Attempts: d.ReminderAttempts}
	return p, inForm(p.Validate())
}

// formFields maps the fields that the rules refuse to their names in requests.
var formFields = map[string]string{
	"base": "retryBaseSeconds", "factor": "retryFactor", "retries": "retryCount", "gaps": "retryGapDays",
	"maxJitter": "retryJitterSeconds", "rules": "failureRules", "minimums": "minimumAmounts",
}

// inForm names the field of the request that a refusal of the rules is about.
func inForm(err error) error {
	if err == nil {
		return nil
	}
	f := fault.From(err)
	if name, ok := formFields[f.Param]; ok {
		return f.In("dunning." + name)
	}
	return f.In("dunning." + f.Param)
}

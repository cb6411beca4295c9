package moving

import (
	"time"

	"perennial/billing/dunning"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/retry"
)

// Dunning is a dunning policy in a record, with the fields of the API. Absent fields have the defaults.
type Dunning struct {
	RetryGapDays       []int           `json:"retryGapDays,omitempty"` // in place of the three below
	RetryBaseSeconds   *int64          `json:"retryBaseSeconds,omitempty"`
	RetryFactor        *int            `json:"retryFactor,omitempty"`
	RetryCount         *int            `json:"retryCount,omitempty"`
	RetryJitterSeconds *int64          `json:"retryJitterSeconds,omitempty"`
	FailureRules       []FailureRule   `json:"failureRules,omitempty"`
	FinalAction        dunning.Action  `json:"finalAction,omitempty"`
	CancelAfterDays    int             `json:"cancelAfterDays,omitempty"`
	TryOtherMethods    bool            `json:"tryOtherMethods,omitempty"`
	MinimumAmounts     []MinimumAmount `json:"minimumAmounts,omitempty"`
}

// FailureRule has the differences after failures with one code.
type FailureRule struct {
	FailureCode string `json:"failureCode"`
	NoRetry     bool   `json:"noRetry,omitempty"`
	DayOfMonth  int    `json:"dayOfMonth,omitempty"`
}

// MinimumAmount is the smallest amount in a currency that is asked for, in minor units.
type MinimumAmount struct {
	Currency money.Currency `json:"currency"`
	Amount   money.Minor    `json:"amount"`
}

const day = 24 * time.Hour

// DunningOf returns the form of a policy; nil: there is none.
func DunningOf(p *dunning.Policy) *Dunning {
	if p == nil {
		return nil
	}
	jitter := int64(p.Retry.MaxJitter / time.Second)
	d := Dunning{
		RetryJitterSeconds: &jitter, FinalAction: p.Final, CancelAfterDays: p.CancelAfterDays,
		TryOtherMethods: p.TryOtherMethods,
	}
	for _, r := range p.Retry.Rules {
		d.FailureRules = append(d.FailureRules, FailureRule{FailureCode: r.Code, NoRetry: r.Never, DayOfMonth: r.DayOfMonth})
	}
	for _, m := range p.Minimums {
		d.MinimumAmounts = append(d.MinimumAmounts, MinimumAmount(m))
	}
	if len(p.Retry.Gaps) > 0 {
		for _, gap := range p.Retry.Gaps {
			d.RetryGapDays = append(d.RetryGapDays, int(gap/day))
		}
		return &d
	}
	base, factor, count := int64(p.Retry.Base/time.Second), p.Retry.Factor, p.Retry.Retries
	d.RetryBaseSeconds, d.RetryFactor, d.RetryCount = &base, &factor, &count
	return &d
}

// Policy returns the policy of the form. Faults: fields_exclusive, those of dunning.Policy.
func (d Dunning) Policy() (dunning.Policy, error) {
	p := dunning.Default()
	if len(d.RetryGapDays) > 0 {
		if d.RetryBaseSeconds != nil || d.RetryFactor != nil || d.RetryCount != nil {
			return p, fault.InvalidParam("dunning.retryGapDays", "fields_exclusive",
				"Send `retryGapDays`, or `retryBaseSeconds`, `retryFactor` and `retryCount`, not both.")
		}
		gaps := make([]time.Duration, len(d.RetryGapDays))
		for i, days := range d.RetryGapDays {
			gaps[i] = time.Duration(days) * day
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
		p.Minimums = append(p.Minimums, dunning.Minimum(m))
	}
	if d.FinalAction != "" {
		p.Final = d.FinalAction
	}
	p.CancelAfterDays, p.TryOtherMethods = d.CancelAfterDays, d.TryOtherMethods
	if err := p.Validate(); err != nil {
		return p, fault.From(err).Within("dunning")
	}
	return p, nil
}

// Policy returns the customer's own policy; nil: none. Faults: those of Dunning.Policy.
func (c Customer) Policy() (*dunning.Policy, error) {
	if c.Dunning == nil {
		return nil, nil
	}
	p, err := c.Dunning.Policy()
	return &p, err
}

package contract

import (
	"time"

	"perennial/billing/fault"
)

// Refusal is a command's "no" as a value: a refusal is an answer, not a failure of the activity.
type Refusal struct {
	Kind   string `json:"kind"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Param  string `json:"param,omitempty"`
	// RetryAfter: the refusal passes by itself and was not remembered; the same command may be asked again.
	RetryAfter time.Duration `json:"retryAfter,omitempty"`
}

// RefusalOf is a fault as a value; nil: none.
func RefusalOf(f *fault.Error) *Refusal {
	if f == nil {
		return nil
	}
	return &Refusal{Kind: string(f.Kind), Code: f.Code, Detail: f.Detail, Param: f.Param, RetryAfter: f.RetryAfter}
}

// Err is the refusal as a fault again; nil: none.
func (r *Refusal) Err() error {
	if r == nil {
		return nil
	}
	return fault.New(fault.Kind(r.Kind), r.Code, "%s", r.Detail).In(r.Param).After(r.RetryAfter)
}

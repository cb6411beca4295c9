package moving

import (
	"fmt"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/overdue"
)

// OverduePolicy is the policy for customers with several unpaid invoices, as requests, answers and records have it.
type OverduePolicy struct {
	States []OverdueState `json:"states" maxItems:"8" doc:"From the mildest to the most severe: each does at least what the one before it does. The last one whose conditions hold counts. Empty: there is no policy."`
}

// OverdueState is what follows from what a customer owes. At least one condition is set: days, invoices or amounts. An
// invoice that is sent is overdue from dueAt on; one that is charged automatically once its first attempt has failed,
// and then since its issue.
type OverdueState struct {
	Name          string          `json:"name" maxLength:"40" example:"blocked" doc:"Unique in the policy: small letters, digits and _."`
	Match         string          `json:"match,omitempty" enum:"all,any" example:"any" doc:"all: all conditions that are set must hold. any: one of them. Default: all."`
	Days          int             `json:"days,omitempty" minimum:"1" maximum:"3650" example:"14" doc:"The oldest overdue invoice has been overdue for so many times 24 hours."`
	Invoices      int             `json:"invoices,omitempty" minimum:"1" maximum:"1000" example:"3" doc:"So many invoices are overdue."`
	Amounts       []OverdueAmount `json:"amounts,omitempty" maxItems:"20" doc:"In one of the currencies, so much is overdue or more. Sums of other currencies do not count."`
	Access        string          `json:"access,omitempty" enum:"keep,deny" example:"deny" doc:"deny: no subscription gives the customer access (customer_overdue). Default: keep."`
	Subscriptions string          `json:"subscriptions,omitempty" enum:"keep,cancel" example:"keep" doc:"cancel: the subscriptions that the customer has when the state begins are canceled at once, without a refund. They do not come back with a payment. Default: keep."`
	NeedsPerson   bool            `json:"needsPerson,omitempty" doc:"true: a person should look at the customer: the event and the list of customers say so. Default: false."`
}

// OverdueAmount is a sum in a currency.
type OverdueAmount struct {
	Currency string `json:"currency" example:"EUR"`
	Amount   int64  `json:"amount" minimum:"1" example:"50000" doc:"In minor units."`
}

// The values of OverdueState.
const (
	allConditions = "all"
	anyCondition  = "any"
	keep          = "keep"
	deny          = "deny"
	cancel        = "cancel"
)

// OverdueOf returns the form of a policy.
func OverdueOf(p overdue.Policy) OverduePolicy {
	out := OverduePolicy{States: make([]OverdueState, len(p.States))}
	for i, s := range p.States {
		state := OverdueState{
			Name: s.Name, Match: allConditions, Days: s.Days, Invoices: s.Invoices, Access: keep, Subscriptions: keep,
			NeedsPerson: s.NeedsPerson,
		}
		if len(s.Amounts) > 0 {
			state.Amounts = OverdueAmounts(s.Amounts)
		}
		if s.Any {
			state.Match = anyCondition
		}
		if s.DenyAccess {
			state.Access = deny
		}
		if s.Cancel {
			state.Subscriptions = cancel
		}
		out.States[i] = state
	}
	return out
}

// Policy returns the policy of a request, which the rules judge.
func (p OverduePolicy) Policy() (out overdue.Policy) {
	for _, s := range p.States {
		state := overdue.State{
			Name: s.Name, Any: s.Match == anyCondition, Days: s.Days, Invoices: s.Invoices, DenyAccess: s.Access == deny,
			Cancel: s.Subscriptions == cancel, NeedsPerson: s.NeedsPerson,
		}
		for _, a := range s.Amounts {
			state.Amounts = append(state.Amounts,
				overdue.Amount{Currency: money.Currency(a.Currency), Amount: money.Minor(a.Amount)})
		}
		out.States = append(out.States, state)
	}
	return out
}

// OverdueAmounts returns the form of sums by currency.
func OverdueAmounts(amounts []overdue.Amount) []OverdueAmount {
	out := make([]OverdueAmount, len(amounts))
	for i, a := range amounts {
		out[i] = OverdueAmount{string(a.Currency), int64(a.Amount)}
	}
	return out
}

// read returns the policy of a record; nil: it has none. Requests are checked before they are read. Fault:
// overdue_policy_invalid; the rules judge the rest.
func (p *OverduePolicy) read() (*overdue.Policy, error) {
	if p == nil {
		return nil, nil
	}
	for i, s := range p.States {
		for _, word := range []struct{ field, is, least, most string }{
			{"match", s.Match, allConditions, anyCondition}, {"access", s.Access, keep, deny},
			{"subscriptions", s.Subscriptions, keep, cancel},
		} {
			if word.is != "" && word.is != word.least && word.is != word.most {
				return nil, fault.InvalidParam(fmt.Sprintf("overduePolicy.states[%d].%s", i, word.field),
					"overdue_policy_invalid", "`%s` must be `%s` or `%s`.", word.field, word.least, word.most)
			}
		}
	}
	policy := p.Policy()
	return &policy, nil
}

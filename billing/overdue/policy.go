// Package overdue owns the policy for a customer with several unpaid invoices: which state the customer is in by the
// age, the number and the sum of what is overdue, and what follows from it. It does not own how a single invoice is
// collected (collection, dunning), nor how a subscription is canceled (subscribing).
package overdue

import (
	"fmt"
	"regexp"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// The bounds of a policy.
const (
	MaxStates   = 8
	MaxAmounts  = 20
	MaxDays     = 3650
	MaxInvoices = 1000
)

// Policy is chosen for an environment; a customer may have one of its own. Without states nobody is ever overdue.
type Policy struct {
	States []State // from the mildest to the most severe; the last one that holds counts
}

// State is what follows once its conditions hold. At least one condition is set; a zero one is not.
type State struct {
	Name string // unique in the policy
	// Any: one of the conditions is enough. Otherwise all of them must hold.
	Any      bool
	Days     int      // the oldest overdue invoice is so many times 24 hours old
	Invoices int      // so many invoices are overdue
	Amounts  []Amount // in one of the currencies, so much is overdue
	// DenyAccess: no subscription gives the customer access.
	DenyAccess bool
	// Cancel: the subscriptions that the customer has when the state begins are canceled.
	Cancel bool
	// NeedsPerson: a person should look at the customer.
	NeedsPerson bool
}

// Amount is a sum in one currency, in minor units.
type Amount struct {
	Currency money.Currency
	Amount   money.Minor
}

// IsZero reports whether the policy has no states.
func (p Policy) IsZero() bool { return len(p.States) == 0 }

var name = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// field is the name of a policy in settings, customers and their records.
const field = "overduePolicy"

// Validate returns a fault for the first field that no policy can have: overdue_policy_invalid, currency_unknown.
func (p Policy) Validate() error {
	if len(p.States) > MaxStates {
		return invalid(field+".states", "A policy has at most %d states.", MaxStates)
	}
	seen := map[string]bool{}
	for i, s := range p.States {
		at := fmt.Sprintf("%s.states[%d]", field, i)
		switch {
		case !name.MatchString(s.Name):
			return invalid(at+".name", "The name of a state has small letters, digits and _, at most 40, and begins with a letter.")
		case seen[s.Name]:
			return invalid(at+".name", "There are two states %s. Give each its own name.", s.Name)
		}
		seen[s.Name] = true
		if err := s.validate(at); err != nil {
			return err
		}
		if i > 0 && p.States[i-1].exceeds(s) {
			return invalid(at, "The state %s does less than %s before it. List the states from the mildest to the most severe.",
				s.Name, p.States[i-1].Name)
		}
	}
	return nil
}

func (s State) validate(at string) error {
	switch {
	case s.Days < 0 || s.Days > MaxDays:
		return invalid(at+".days", "The days must be 1 to %d. Omit them where the age does not matter.", MaxDays)
	case s.Invoices < 0 || s.Invoices > MaxInvoices:
		return invalid(at+".invoices", "The number of invoices must be 1 to %d. Omit it where it does not matter.", MaxInvoices)
	case len(s.Amounts) > MaxAmounts:
		return invalid(at+".amounts", "A state has at most %d amounts.", MaxAmounts)
	case s.Days == 0 && s.Invoices == 0 && len(s.Amounts) == 0:
		return invalid(at, "The state %s has no condition. Send `days`, `invoices` or `amounts`.", s.Name)
	}
	seen := map[money.Currency]bool{}
	for _, a := range s.Amounts {
		if _, err := money.ParseCurrency(string(a.Currency)); err != nil {
			return fault.From(err).In(at + ".amounts")
		}
		if seen[a.Currency] {
			return invalid(at+".amounts", "There are two amounts in %s. Send one for each currency.", a.Currency)
		}
		seen[a.Currency] = true
		if a.Amount < 1 || a.Amount > money.MaxMinor {
			return invalid(at+".amounts", "An amount must be 1 to %d minor units.", int64(money.MaxMinor))
		}
	}
	return nil
}

// exceeds reports whether s has a consequence that other lacks. A customer who pays a part must not lose more by it, so
// that consequences only grow along the list.
func (s State) exceeds(other State) bool {
	return s.DenyAccess && !other.DenyAccess || s.Cancel && !other.Cancel || s.NeedsPerson && !other.NeedsPerson
}

func invalid(param, detail string, args ...any) error {
	return fault.InvalidParam(param, "overdue_policy_invalid", detail, args...)
}

package overdue

import (
	"slices"
	"time"
)

const day = 24 * time.Hour

// Standing is the state that a customer is in, as the last decision found it. The zero value: nothing is overdue enough
// for a state.
type Standing struct {
	State string    // the name; empty: none
	Since time.Time // when the customer entered it
	Sums            // what was overdue at the last decision; zero without a state
	// What follows from the state, as the policy had it then.
	AccessDenied bool
	NeedsPerson  bool
	// Canceling: the subscriptions that the customer had at Since are to be canceled, and not all are yet.
	Canceling bool
	// NextAt is the next time at which age alone leads to a more severe state; zero: it never does.
	NextAt time.Time
}

// DueAt returns the next time at which the standing asks for work; zero: never.
func (s Standing) DueAt() time.Time {
	if s.Canceling {
		return s.Since
	}
	return s.NextAt
}

// Equal reports whether two standings are the same.
func (s Standing) Equal(other Standing) bool {
	return s.State == other.State && s.Since.Equal(other.Since) && s.Invoices == other.Invoices &&
		s.Oldest.Equal(other.Oldest) && slices.Equal(s.Amounts, other.Amounts) &&
		s.AccessDenied == other.AccessDenied && s.NeedsPerson == other.NeedsPerson && s.Canceling == other.Canceling &&
		s.NextAt.Equal(other.NextAt)
}

// Review returns the standing of a customer with these debts, who was in another one before. The most severe state
// whose conditions hold counts. It cancels subscriptions only when it begins and is more severe than the one before: a
// part that is paid never cancels, and nothing is canceled twice for one state. A state that the policy does not have
// any more counts as milder than all. A milder state, or none, ends a cancellation that is not finished.
func (p Policy) Review(was Standing, debts Debts, now time.Time) Standing {
	sums := debts.At(now)
	at := p.index(sums, now)
	next := Standing{NextAt: p.nextAt(debts, at, now)}
	if at < 0 {
		return next
	}
	state := p.States[at]
	next.State, next.Since, next.Sums = state.Name, now, sums
	next.AccessDenied, next.NeedsPerson = state.DenyAccess, state.NeedsPerson
	if was.State == state.Name {
		next.Since, next.Canceling = was.Since, was.Canceling && state.Cancel
		return next
	}
	former := slices.IndexFunc(p.States, func(s State) bool { return s.Name == was.State })
	next.Canceling = state.Cancel && at > former
	return next
}

// index returns the index of the most severe state whose conditions hold; -1: none.
func (p Policy) index(sums Sums, now time.Time) int {
	for i, state := range slices.Backward(p.States) {
		if state.holds(sums, now) {
			return i
		}
	}
	return -1
}

// holds reports whether the conditions hold. Without an overdue invoice none does.
func (s State) holds(sums Sums, now time.Time) bool {
	if sums.Invoices == 0 {
		return false
	}
	var given, met int
	condition := func(set, holds bool) {
		if set {
			given++
		}
		if set && holds {
			met++
		}
	}
	condition(s.Days > 0, !now.Before(sums.Oldest.Add(time.Duration(s.Days)*day)))
	condition(s.Invoices > 0, sums.Invoices >= s.Invoices)
	condition(len(s.Amounts) > 0, slices.ContainsFunc(s.Amounts, func(a Amount) bool {
		return sums.In(a.Currency) >= a.Amount
	}))
	if s.Any {
		return met > 0
	}
	return given > 0 && met == given
}

// nextAt returns the first time after now at which a state more severe than the one with index at holds, if the debts
// stay; zero: never. Without payments, time only makes debts older and adds to those that count: the most severe state
// that holds only gets more severe. So the first time among those at which anything changes is found by halving.
func (p Policy) nextAt(debts Debts, at int, now time.Time) time.Time {
	var times []time.Time
	add := func(t time.Time) {
		if t.After(now) {
			times = append(times, t)
		}
	}
	for _, debt := range debts {
		add(debt.Since)
		for _, state := range p.States {
			add(debt.Since.Add(time.Duration(state.Days) * day))
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	i, _ := slices.BinarySearchFunc(times, at, func(t time.Time, at int) int {
		if p.index(debts.At(t), t) > at {
			return 1
		}
		return -1
	})
	if i == len(times) {
		return time.Time{}
	}
	return times[i]
}

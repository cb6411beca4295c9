package core

import (
	"encoding/json"
	"fmt"
	"time"

	"perennial/billing/overdue"
)

// storedOverdue is an overdue policy as its column holds it. Fields are added, never renamed.
type storedOverdue struct {
	States []storedOverdueState `json:"states"`
}

type storedOverdueState struct {
	Name        string        `json:"name"`
	Any         bool          `json:"any,omitempty"`
	Days        int           `json:"days,omitempty"`
	Invoices    int           `json:"invoices,omitempty"`
	Amounts     []storedLeast `json:"amounts,omitempty"`
	DenyAccess  bool          `json:"denyAccess,omitempty"`
	Cancel      bool          `json:"cancel,omitempty"`
	NeedsPerson bool          `json:"needsPerson,omitempty"`
}

// storedStanding is a customer's standing as its column holds it: in a state, or null.
type storedStanding struct {
	State        string        `json:"state"`
	Since        time.Time     `json:"since"`
	Invoices     int           `json:"invoices"`
	Oldest       time.Time     `json:"oldest"`
	Amounts      []storedLeast `json:"amounts"`
	AccessDenied bool          `json:"accessDenied,omitempty"`
	NeedsPerson  bool          `json:"needsPerson,omitempty"`
	Canceling    bool          `json:"canceling,omitempty"`
	NextAt       *time.Time    `json:"nextAt,omitempty"`
}

// OverdueToDB writes a policy; nil is null.
func OverdueToDB(p *overdue.Policy) []byte {
	if p == nil {
		return nil
	}
	stored := storedOverdue{States: make([]storedOverdueState, len(p.States))}
	for i, s := range p.States {
		stored.States[i] = storedOverdueState{
			Name: s.Name, Any: s.Any, Days: s.Days, Invoices: s.Invoices, Amounts: storedAmounts(s.Amounts),
			DenyAccess: s.DenyAccess, Cancel: s.Cancel, NeedsPerson: s.NeedsPerson,
		}
	}
	return marshaled("an overdue policy", stored)
}

// OverdueFromDB reads a policy. An invalid one, which only manual SQL can write, has no states: it must not keep an
// environment from being billed.
func OverdueFromDB(raw []byte) *overdue.Policy {
	if raw == nil {
		return nil
	}
	var stored storedOverdue
	var p overdue.Policy
	if json.Unmarshal(raw, &stored) != nil {
		return &p
	}
	for _, s := range stored.States {
		p.States = append(p.States, overdue.State{
			Name: s.Name, Any: s.Any, Days: s.Days, Invoices: s.Invoices, Amounts: amountsFrom(s.Amounts),
			DenyAccess: s.DenyAccess, Cancel: s.Cancel, NeedsPerson: s.NeedsPerson,
		})
	}
	return &p
}

// StandingToDB writes a standing; one without a state is null.
func StandingToDB(s overdue.Standing) []byte {
	if s.State == "" {
		return nil
	}
	return marshaled("a standing", storedStanding{
		State: s.State, Since: s.Since.UTC(), Invoices: s.Invoices, Oldest: s.Oldest.UTC(), Amounts: storedAmounts(s.Amounts),
		AccessDenied: s.AccessDenied, NeedsPerson: s.NeedsPerson, Canceling: s.Canceling, NextAt: NullTime(s.NextAt.UTC()),
	})
}

// StandingFromDB reads a standing. dueAt is the customer's time of review, which is the next time of one without a
// state. An invalid standing counts as none.
func StandingFromDB(raw []byte, dueAt *time.Time) overdue.Standing {
	var stored storedStanding
	if raw == nil || json.Unmarshal(raw, &stored) != nil {
		return overdue.Standing{NextAt: Value(dueAt)}
	}
	return overdue.Standing{
		State: stored.State, Since: stored.Since,
		Sums:         overdue.Sums{Invoices: stored.Invoices, Oldest: stored.Oldest, Amounts: amountsFrom(stored.Amounts)},
		AccessDenied: stored.AccessDenied, NeedsPerson: stored.NeedsPerson, Canceling: stored.Canceling,
		NextAt: Value(stored.NextAt),
	}
}

func storedAmounts(amounts []overdue.Amount) (out []storedLeast) {
	for _, a := range amounts {
		out = append(out, storedLeast(a))
	}
	return out
}

func amountsFrom(stored []storedLeast) (out []overdue.Amount) {
	for _, a := range stored {
		out = append(out, overdue.Amount(a))
	}
	return out
}

func marshaled(what string, v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Errorf("db: %s: %w", what, err)) // texts, numbers and times only
	}
	return raw
}

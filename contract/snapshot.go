package contract

import (
	"fmt"
	"time"

	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/subscription"
)

// Snapshot is what a subscription workflow knows of its subscription: ids, codes and times. Every activity returns a
// new one.
type Snapshot struct {
	Revision   int64               `json:"revision"`
	Status     subscription.Status `json:"status"`
	CustomerID string              `json:"customerId"`
	PlanID     string              `json:"planId"`
	// NextAction and NextAt: the next automatic action and its time, in the subscription's own time.
	NextAction subscription.Action `json:"nextAction"`
	NextAt     time.Time           `json:"nextAt"`
	// BesideAction and BesideAt, while NextAction is the rating of usage: the next action that is performed meanwhile.
	BesideAction subscription.Action `json:"besideAction,omitempty"`
	BesideAt     time.Time           `json:"besideAt,omitzero"`
	// Unrated is the reason why the usage of a draft could not be rated, in words with a code and times; empty: none
	// failed.
	Unrated string `json:"unrated,omitempty"`
	// Live is the attempt in progress, if any.
	Live *Attempt `json:"live,omitempty"`
	// InReview is a pending charge that waits for a person, if one does: no workflow follows it, but operators must see
	// it.
	InReview string `json:"inReview,omitempty"`
	// ClockNow is the time of the customer's test clock; zero: real time.
	ClockNow time.Time `json:"clockNow"`
	// PeriodEnd and Period, the index of the next one to open, let the workflow count the boundaries that passed.
	PeriodEnd time.Time `json:"periodEnd"`
	Period    int       `json:"period"`
	// Finished: canceled and nothing pending; the workflow ends.
	Finished bool `json:"finished"`
	// Unfinished: more is due than one activity does; ask again.
	Unfinished bool `json:"unfinished,omitempty"`
	// Absent: the database does not have the subscription (any more), and nothing else is set. The workflow ends.
	Absent bool `json:"absent,omitempty"`
}

// Attempt is a pending charge that the workflow resolves.
type Attempt struct {
	TransactionID string `json:"transactionId"`
	// CheckAt is the time to ask the provider (again), in real time; zero: now.
	CheckAt time.Time `json:"checkAt"`
	// Sent: the provider was asked at least once, so that the UI shows a check, not a charge.
	Sent bool `json:"sent"`
	// ConfirmBy is the time by which its payer may confirm it; zero: the payer was not asked.
	ConfirmBy time.Time `json:"confirmBy,omitzero"`
	// Held is the reason why it is not sent yet; zero: nothing holds it.
	Held Held `json:"held,omitzero"`
}

// Held says why no account can take a payment and how that ends, in words with ids of accounts; and since when the
// payment waits.
type Held struct {
	Why   string    `json:"why"`
	Since time.Time `json:"since"`
}

// HeldOf returns what holds a payment back; zero: nothing does. The failure reason of a held payment is written by
// routing, from ids and our own words. A provider's words may be personal, and never get here.
func HeldOf(t payment.Transaction) Held {
	if t.HeldBack.At.IsZero() || t.Status != payment.Pending {
		return Held{}
	}
	return Held{t.FailureReason, t.SendDueAt}
}

// SnapshotOf returns the snapshot of a subscription for its workflow.
func SnapshotOf(state lifecycle.State, unfinished bool) Snapshot {
	s := state.Subscription
	out := Snapshot{
		Revision: s.Revision, Status: s.Status, CustomerID: s.CustomerID, PlanID: s.PlanID,
		NextAction: s.NextAction, NextAt: s.NextActionAt, PeriodEnd: s.CurrentPeriod.End, Period: s.NextPeriod,
		ClockNow: state.ClockNow, Finished: !s.FinishedAt.IsZero(), Unfinished: unfinished,
	}
	if s.NextAction == subscription.ActionBillUsage {
		out.BesideAction, out.BesideAt = state.Performable()
	}
	if draft := state.Unrated(); draft != nil {
		f := draft.UsageFailure
		out.Unrated = fmt.Sprintf("%s of %s, %d times since %s; tried again at %s", f.Code, draft.ID, f.Times,
			f.Since.UTC().Format(time.RFC3339), f.RetryAt.UTC().Format(time.RFC3339))
	}
	if t := state.Attempt(); t != nil {
		out.Live = &Attempt{
			TransactionID: t.ID, CheckAt: t.NextCheckAt, Sent: !t.FirstSentAt.IsZero(), Held: HeldOf(*t),
			ConfirmBy: t.Action.ExpiresAt,
		}
		if t.Checks == 0 && t.NotFoundCount == 0 && !out.Live.Sent {
			out.Live.CheckAt = time.Time{} // not tried yet: now; the time of its check is the reconciler's
		}
	}
	if t := state.InReview(); t != nil {
		out.InReview = t.ID
	}
	return out
}

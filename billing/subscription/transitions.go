package subscription

import (
	"time"

	"perennial/billing/fault"
)

// Trigger is a command or an occurrence in a subscription's life.
type Trigger string

// The commands.
const (
	CancelNow         Trigger = "cancel_now"
	CancelAtPeriodEnd Trigger = "cancel_at_period_end"
	Reactivate        Trigger = "reactivate"
	ChangePlan        Trigger = "change_plan"
	PayInvoice        Trigger = "pay"
)

// The occurrences.
const (
	PeriodDue        Trigger = "period_due"        // the next period's start has come
	PaymentSettled   Trigger = "payment_settled"   // one of its invoices was paid
	RetriesExhausted Trigger = "retries_exhausted" // the last automatic attempt of an invoice failed
	PastDueExpired   Trigger = "past_due_expired"  // past due for as long as the environment allows
)

// The refusals. Those that pass by themselves say when to ask again.
var (
	ErrCanceled        = fault.New(fault.Conflict, "subscription_canceled", "the subscription is canceled, which is final; create a new one")
	ErrNotPastDue      = fault.New(fault.Conflict, "subscription_not_past_due", "the subscription is not past due")
	ErrInTrial         = fault.New(fault.Conflict, "subscription_in_trial", "the subscription is in its trial and has no unpaid invoice")
	ErrNotScheduled    = fault.New(fault.Conflict, "cancellation_not_scheduled", "no cancellation is scheduled, so there is nothing to undo")
	ErrNothingOpen     = fault.New(fault.Conflict, "nothing_to_pay", "the subscription has no open invoice, so nothing is due; the next one comes with its next period")
	ErrPlanUnchanged   = fault.New(fault.Conflict, "plan_unchanged", "the subscription is on this plan already; choose another").In("planId")
	ErrPlanInactive    = fault.New(fault.Conflict, "plan_inactive", "this plan is no longer offered; choose another").In("planId")
	ErrCurrency        = fault.New(fault.Conflict, "currency_mismatch", "a subscription keeps its currency: choose a plan in the same one, or cancel and subscribe anew").In("planId")
	ErrPaymentPending  = fault.New(fault.Conflict, "payment_in_progress", "a payment of the current period is in progress; change the plan when it has succeeded or failed, or with effective=period_end").After(5 * time.Second)
	ErrPeriodNotDue    = fault.New(fault.Conflict, "period_not_due", "the next period has not begun")
	ErrRenewalDue      = fault.New(fault.Conflict, "renewal_due", "the current period has ended and its renewal is under way; change the plan when it is done, in a few seconds").After(5 * time.Second)
	ErrPastDueNotEnded = fault.New(fault.Conflict, "past_due_not_ended", "the subscription may stay past due for longer")
)

// transitions says which trigger may happen in which status, and to which statuses it may lead. What is absent is
// refused with the error of refusals. A past-due subscription whose newer invoice needed no money stays past due. Canceled has no row that leads out: payment_settled keeps it canceled.
var transitions = map[Status]map[Trigger][]Status{
	Trialing: {
		CancelNow: {Canceled}, CancelAtPeriodEnd: {Trialing}, Reactivate: {Trialing}, ChangePlan: {Trialing},
		PeriodDue: {Active, Canceled},
	},
	Active: {
		CancelNow: {Canceled}, CancelAtPeriodEnd: {Active}, Reactivate: {Active}, ChangePlan: {Active}, PayInvoice: {Active},
		PeriodDue: {Active, Canceled}, PaymentSettled: {Active}, RetriesExhausted: {PastDue},
	},
	PastDue: {
		CancelNow: {Canceled}, CancelAtPeriodEnd: {PastDue}, Reactivate: {PastDue}, ChangePlan: {PastDue}, PayInvoice: {PastDue},
		PeriodDue: {PastDue, Canceled}, PaymentSettled: {Active, PastDue}, RetriesExhausted: {PastDue}, PastDueExpired: {Canceled},
	},
	Canceled: {
		PayInvoice: {Canceled}, PaymentSettled: {Canceled},
	},
}

// refusals are the reasons for what transitions leaves out.
var refusals = map[Status]map[Trigger]error{
	Trialing: {PayInvoice: ErrInTrial, PaymentSettled: ErrInTrial, RetriesExhausted: ErrInTrial, PastDueExpired: ErrNotPastDue},
	Active:   {PastDueExpired: ErrNotPastDue},
}

// permit answers nil where trigger may happen in status, else the reason why not.
func permit(status Status, trigger Trigger) error {
	if _, ok := transitions[status][trigger]; ok {
		return nil
	}
	if err, ok := refusals[status][trigger]; ok {
		return err
	}
	return ErrCanceled
}

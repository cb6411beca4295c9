package subscription

import (
	"time"

	"perennial/billing/collection"
	"perennial/billing/fault"
)

// input is a command or an occurrence in a subscription's life.
type input string

// The commands.
const (
	cancelNow         input = "cancel_now"
	cancelAtPeriodEnd input = "cancel_at_period_end"
	reactivate        input = "reactivate"
	changePlan        input = "change_plan"
	payInvoice        input = "pay"
)

// The occurrences.
const (
	periodDue        input = "period_due"        // the next period's start has come
	paymentSettled   input = "payment_settled"   // one of its invoices was paid
	retriesExhausted input = "retries_exhausted" // the last automatic attempt of an invoice failed
	pastDueExpired   input = "past_due_expired"  // past due for as long as the environment allows

	invoiceWrittenOff input = "invoice_written_off" // a person voided one of its invoices, or marked it uncollectible
)

// The refusals. Those that pass by themselves say when to ask again.
var (
	ErrCanceled        = fault.New(fault.Conflict, "subscription_canceled", "the subscription is canceled, which is final; create a new one")
	ErrNotPastDue      = fault.New(fault.Conflict, "subscription_not_past_due", "the subscription is not past due")
	ErrInTrial         = fault.New(fault.Conflict, "subscription_in_trial", "the subscription is in its trial and has no unpaid invoice")
	ErrNotScheduled    = fault.New(fault.Conflict, "cancellation_not_scheduled", "no cancellation is scheduled, so there is nothing to undo")
	ErrNothingOpen     = fault.New(fault.Conflict, "nothing_to_pay", "the subscription has no open invoice, so there is nothing to pay")
	ErrPlanUnchanged   = fault.New(fault.Conflict, "plan_unchanged", "the subscription is on this plan already; choose another").In("planId")
	ErrPlanInactive    = fault.New(fault.Conflict, "plan_inactive", "this plan is no longer offered; choose another").In("planId")
	ErrCurrency        = fault.New(fault.Conflict, "currency_mismatch", "a subscription keeps its currency: choose a plan in the same one, or cancel and subscribe anew").In("planId")
	ErrPaymentPending  = fault.New(fault.Conflict, "payment_in_progress", "a payment of the current period is in progress; change the plan when it has succeeded or failed, or with effective=period_end").After(collection.PaymentTakes)
	ErrPeriodNotDue    = fault.New(fault.Conflict, "period_not_due", "the next period has not begun")
	ErrRenewalDue      = fault.New(fault.Conflict, "renewal_due", "the current period has ended and its renewal is under way; change the plan when it is done, in a few seconds").After(5 * time.Second)
	ErrPastDueNotEnded = fault.New(fault.Conflict, "past_due_not_ended", "the subscription may stay past due for longer")
)

// transitions says which input may happen in which status, and to which statuses it may lead. What is absent is
// refused with the error of refusals. A past-due subscription whose newer invoice needed no money stays past due. Canceled has no row that leads out: payment_settled keeps it canceled.
var transitions = map[Status]map[input][]Status{
	Trialing: {
		cancelNow: {Canceled}, cancelAtPeriodEnd: {Trialing}, reactivate: {Trialing}, changePlan: {Trialing},
		periodDue: {Active, Canceled}, invoiceWrittenOff: {Trialing},
	},
	Active: {
		cancelNow: {Canceled}, cancelAtPeriodEnd: {Active}, reactivate: {Active}, changePlan: {Active}, payInvoice: {Active},
		periodDue: {Active, Canceled}, paymentSettled: {Active}, retriesExhausted: {PastDue}, invoiceWrittenOff: {Active},
	},
	PastDue: {
		cancelNow: {Canceled}, cancelAtPeriodEnd: {PastDue}, reactivate: {PastDue}, changePlan: {PastDue}, payInvoice: {PastDue},
		periodDue: {PastDue, Canceled}, paymentSettled: {Active, PastDue}, retriesExhausted: {PastDue}, pastDueExpired: {Canceled}, invoiceWrittenOff: {Active, PastDue},
	},
	Canceled: {
		payInvoice: {Canceled}, paymentSettled: {Canceled}, invoiceWrittenOff: {Canceled},
	},
}

// refusals are the reasons for what transitions leaves out.
var refusals = map[Status]map[input]error{
	Trialing: {payInvoice: ErrInTrial, paymentSettled: ErrInTrial, retriesExhausted: ErrInTrial, pastDueExpired: ErrNotPastDue},
	Active:   {pastDueExpired: ErrNotPastDue},
}

// permit answers nil where in may happen in status, else the reason why not.
func permit(status Status, in input) error {
	if _, ok := transitions[status][in]; ok {
		return nil
	}
	if err, ok := refusals[status][in]; ok {
		return err
	}
	return ErrCanceled
}

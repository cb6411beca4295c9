package subscribing

import (
	"time"

	"perennial/billing/collection"
	"perennial/billing/fault"
	"perennial/billing/subscription"
)

//go:generate go test . -run ^TestStatesDocument$ -count=1 -update

// input is a command or an occurrence in a subscription's life.
type input string

// The commands.
const (
	cancelNow         input = "cancel_now"
	cancelAtPeriodEnd input = "cancel_at_period_end"
	reactivate        input = "reactivate"
	changePlan        input = "change_plan"
	moveTrialEnd      input = "move_trial_end"
	moveAnchor        input = "move_anchor"
	payInvoice        input = "pay"
	resumeCollection  input = "resume_collection"
	pause             input = "pause"
	redeemCoupon      input = "redeem_coupon"
	removeCoupon      input = "remove_coupon"
)

// The occurrences.
const (
	periodDue        input = "period_due"        // the next period's start has been reached
	trialEnding      input = "trial_ending"      // the trial ends soon
	renewalNear      input = "renewal_near"      // a renewal that the payer must confirm comes soon
	paymentSettled   input = "payment_settled"   // one of its invoices was paid
	retriesExhausted input = "retries_exhausted" // the last automatic attempt of an invoice failed
	pastDueExpired   input = "past_due_expired"  // past due for the time that the environment allows
	resume           input = "resume"            // the pause ends: by a command, at its time or by a payment method

	incompleteExpired input = "incomplete_expired"  // its first invoice was not paid in time
	changeExpired     input = "change_expired"      // the invoice of a change that waits was not paid in time
	invoiceWrittenOff input = "invoice_written_off" // a person voided one of its invoices, or marked it uncollectible
)

// The statuses, by the names that the tables below use.
const (
	trialing = subscription.Trialing
	active   = subscription.Active
	pastDue  = subscription.PastDue
	paused   = subscription.Paused
	canceled = subscription.Canceled

	incomplete = subscription.Incomplete
)

// The refusals. Temporary ones have a time to retry after.
var (
	ErrCanceled = fault.New(fault.Conflict, "subscription_canceled",
		"The subscription is canceled, which is final. Create a new one.")
	ErrNotPastDue = fault.New(fault.Conflict, "subscription_not_past_due", "The subscription is not past due.")
	ErrPastDue    = fault.New(fault.Conflict, "subscription_past_due",
		"The subscription is past due, so that no renewal is announced.")
	ErrInTrial = fault.New(fault.Conflict, "subscription_in_trial",
		"The subscription is in its trial and has no unpaid invoice.")
	ErrNotInTrial = fault.New(fault.Conflict, "subscription_not_in_trial",
		"The subscription is not in a trial whose end is still to be announced.")
	ErrNotScheduled = fault.New(fault.Conflict, "cancellation_not_scheduled",
		"No cancellation is scheduled, so there is nothing to undo.")
	ErrNothingOpen = fault.New(fault.Conflict, "nothing_to_pay",
		"The subscription has no open invoice, so there is nothing to pay.")
	ErrPlanUnchanged = fault.New(fault.Conflict, "plan_unchanged",
		"The subscription is already on this plan. Choose another plan.").In("planId")
	ErrQuantityUnchanged = fault.New(fault.Conflict, "quantity_unchanged",
		"The subscription already has this quantity. Send another quantity.").In("quantity")
	ErrPaymentPending = fault.New(fault.Conflict, "payment_in_progress",
		"A payment of the current period is in progress. Change the subscription after it has succeeded or failed, "+
			"or send `effective: \"period_end\"`.").After(collection.PaymentTakes)
	ErrPeriodNotDue = fault.New(fault.Conflict, "period_not_due", "The subscription's next period has not begun.")
	ErrRenewalDue   = fault.New(fault.Conflict, "renewal_due",
		"The current period has ended and its renewal is in progress. "+
			"Repeat the request in a few seconds.").After(5 * time.Second)
	ErrCollectionNotPaused = fault.New(fault.Conflict, "collection_not_paused",
		"The subscription's collection is not paused.")
	ErrPastDueNotEnded = fault.New(fault.Conflict, "past_due_not_ended",
		"The subscription's time in past_due has not ended.")
)

// transitions has the inputs that each status allows, and the statuses that they may lead to. All others are refused
// with the error of refusals. A past-due subscription whose newer invoice needed no money stays past due. A paused one
// has no open invoice, but an invoice that a person gave up may be paid late. Canceled leads to no other status:
// payment_settled keeps it canceled.
var transitions = map[subscription.Status]map[input][]subscription.Status{
	trialing: {
		cancelNow: {canceled}, cancelAtPeriodEnd: {trialing}, reactivate: {trialing}, changePlan: {trialing},
		moveTrialEnd: {trialing}, redeemCoupon: {trialing}, removeCoupon: {trialing},
		periodDue: {active, paused, canceled}, trialEnding: {trialing}, renewalNear: {trialing},
		invoiceWrittenOff: {trialing},
	},
	active: {
		cancelNow: {canceled}, cancelAtPeriodEnd: {active}, reactivate: {active}, changePlan: {active},
		payInvoice: {active}, redeemCoupon: {active}, removeCoupon: {active}, pause: {paused}, moveAnchor: {active},
		periodDue: {active, canceled}, paymentSettled: {active}, retriesExhausted: {pastDue},
		renewalNear: {active}, invoiceWrittenOff: {active}, changeExpired: {active},
	},
	pastDue: {
		cancelNow: {canceled}, cancelAtPeriodEnd: {pastDue}, reactivate: {pastDue}, changePlan: {pastDue},
		payInvoice: {pastDue}, resumeCollection: {pastDue}, redeemCoupon: {pastDue}, removeCoupon: {pastDue},
		moveAnchor: {pastDue}, periodDue: {pastDue, canceled}, paymentSettled: {active, pastDue}, retriesExhausted: {pastDue},
		pastDueExpired: {canceled}, invoiceWrittenOff: {active, pastDue},
	},
	paused: {
		cancelNow: {canceled}, cancelAtPeriodEnd: {canceled}, pause: {paused}, resume: {active, pastDue},
		payInvoice: {paused}, redeemCoupon: {paused}, removeCoupon: {paused},
		paymentSettled: {paused}, retriesExhausted: {paused}, invoiceWrittenOff: {paused},
	},
	incomplete: {
		cancelNow: {canceled}, payInvoice: {incomplete}, paymentSettled: {active},
		retriesExhausted: {incomplete}, incompleteExpired: {canceled, incomplete}, invoiceWrittenOff: {incomplete},
	},
	canceled: {
		payInvoice: {canceled}, paymentSettled: {canceled}, invoiceWrittenOff: {canceled},
	},
}

// refusals has the errors of the inputs that transitions leaves out.
var refusals = map[subscription.Status]map[input]error{
	trialing: {
		payInvoice: ErrInTrial, paymentSettled: ErrInTrial, retriesExhausted: ErrInTrial, pastDueExpired: ErrNotPastDue,
		resumeCollection: ErrCollectionNotPaused, pause: ErrTrialNotPaused, resume: ErrNotPaused,
		moveAnchor: ErrAnchorInTrial, incompleteExpired: ErrNotIncomplete, changeExpired: ErrChangeNotPending,
	},
	active: {
		incompleteExpired: ErrNotIncomplete,
		pastDueExpired:    ErrNotPastDue, trialEnding: ErrNotInTrial, resumeCollection: ErrCollectionNotPaused,
		moveTrialEnd: ErrTrialOver, resume: ErrNotPaused,
	},
	pastDue: {
		incompleteExpired: ErrNotIncomplete, changeExpired: ErrChangeNotPending,
		trialEnding: ErrNotInTrial, renewalNear: ErrPastDue, moveTrialEnd: ErrTrialOver, pause: ErrInvoiceOpen,
		resume: ErrNotPaused,
	},
	incomplete: {
		cancelAtPeriodEnd: ErrIncomplete, reactivate: ErrNotScheduled, changePlan: ErrIncomplete,
		moveTrialEnd: ErrTrialOver, moveAnchor: ErrIncomplete, resumeCollection: ErrCollectionNotPaused,
		pause: ErrIncomplete, redeemCoupon: ErrIncomplete, removeCoupon: ErrIncomplete, trialEnding: ErrNotInTrial,
		periodDue: ErrIncomplete, renewalNear: ErrIncomplete, pastDueExpired: ErrNotPastDue, resume: ErrNotPaused,
		changeExpired: ErrChangeNotPending,
	},
	paused: {
		reactivate: ErrNotScheduled, changePlan: ErrPaused, moveTrialEnd: ErrTrialOver, moveAnchor: ErrPaused,
		resumeCollection: ErrCollectionNotPaused, periodDue: ErrPaused, trialEnding: ErrNotInTrial, renewalNear: ErrPaused,
		pastDueExpired: ErrNotPastDue, incompleteExpired: ErrNotIncomplete, changeExpired: ErrChangeNotPending,
	},
}

// permit returns nil where status allows in, and the refusal otherwise.
func permit(status subscription.Status, in input) error {
	if _, ok := transitions[status][in]; ok {
		return nil
	}
	if err, ok := refusals[status][in]; ok {
		return err
	}
	return ErrCanceled
}

// Package subscription owns the subscription: its statuses, its calendar, its plan, add-ons, coupons and scheduled
// changes, and the settings of its environment. Package costing owns the cost of a period, subscribing the effects of
// commands and occurrences, and db the storage.
package subscription

import (
	"time"

	"perennial/billing/invoice"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/proration"
	"perennial/billing/terms"
)

// Status of a subscription. All but Paused and Incomplete are from the interface specification.
type Status string

// The statuses. No transition leaves Canceled.
const (
	Trialing Status = "trialing"
	Active   Status = "active"
	PastDue  Status = "past_due"
	Paused   Status = "paused" // nothing is billed until it resumes; not in the interface specification (ADR 46)
	Canceled Status = "canceled"
	// Incomplete: its first invoice is not paid, and it ends if that takes too long. Only a subscription with PendPayment
	// becomes it; not in the interface specification (ADR 78).
	Incomplete Status = "incomplete"
)

// Action names the next automatic action of a subscription; operators read it in the Temporal UI.
type Action string

// The actions.
const (
	ActionNone        Action = "none"         // only commands change it
	ActionBegin       Action = "begin"        // the first period starts now
	ActionTrialNotice Action = "trial_notice" // the end of the trial is announced
	ActionTrialEnd    Action = "trial_end"    // the first paid period starts
	// ActionRenewalReminder: a renewal that the payer must confirm is announced.
	ActionRenewalReminder Action = "renewal_reminder"
	ActionScheduledChange Action = "scheduled_change" // a change takes effect at its date
	ActionRenewal         Action = "renewal"          // the next period starts
	ActionCancel          Action = "cancel"           // cancellation at period end
	ActionPaymentRetry    Action = "payment_retry"    // the next automatic attempt
	ActionInvoiceOverdue  Action = "invoice_overdue"  // the time to pay a sent invoice ends
	ActionFinalize        Action = "finalize_invoice" // the grace of a draft invoice ends
	ActionBillUsage       Action = "bill_usage"       // the same, and the usage that the invoice bills is rated
	ActionPastDueEnd      Action = "past_due_cancel"  // past due for too long
	ActionIncompleteEnd   Action = "incomplete_end"   // the first invoice was not paid in time
	// ActionPendingChangeEnd: the invoice of a change that waits for its payment was not paid in time.
	ActionPendingChangeEnd Action = "pending_change_end"
	ActionResume           Action = "resume" // the pause ends
)

// Subscription is one subscription, as it is stored. Zero times mean "none". All times are virtual on a test clock.
type Subscription struct {
	ID          string
	CustomerID  string
	PlanID      string
	PlanVersion int
	Status      Status
	Currency    money.Currency
	TimeZone    string // IANA
	AnchorAt    time.Time
	// Interval is the length of its periods: that of its plan, or of an add-on with a shorter one.
	Interval period.Interval
	// PlanInterval is the interval of its plan where that is longer than Interval; zero: the same.
	PlanInterval  period.Interval
	TrialEndsAt   time.Time
	TrialNoticeAt time.Time // announces the trial's end; zero: it was announced, or there is no trial
	// IncompleteUntil is the time at which it ends if its first invoice is still unpaid; zero: it is not Incomplete, nor
	// was it when it ended.
	IncompleteUntil time.Time
	AttemptsOnce    bool // of an Incomplete one: it ends as soon as its first attempt has failed
	// RemindedFor is the start of the last period whose renewal was announced; zero: none was.
	RemindedFor   time.Time
	CurrentPeriod period.Period
	// PeriodIndex counts the opened periods, so that it identifies them for ever: 0 before the first, then from 1. A
	// change of interval opens one too. Invoices and lines carry it.
	PeriodIndex int
	// RenewedIndex is the index of the first period that bills an own period which still runs: the lines of earlier ones
	// are for time that is over. It moves where the schedule opens a period, not with a change of interval.
	RenewedIndex int
	// RenewedFrom is the start of the first of these own periods: see BeganElsewhere.
	RenewedFrom time.Time
	// ProrationMeasure divides the current period, as chosen when it was opened. Empty: proration.Second.
	ProrationMeasure proration.Measure
	// UnproratedIndex is the index of a period that bills other items than the subscription has, because a change within
	// it was not prorated; 0: none.
	UnproratedIndex int
	// FreeIndex is the index of a period that was billed when it cost nothing, so that no invoice shows it; 0: none, or a
	// build from before opened it.
	FreeIndex int
	// PaidElsewhereIndex is the index of the period that was paid in the system that the subscription was imported from;
	// 0: none.
	PaidElsewhereIndex int
	// MeteredSince is the start of the open segment, since which the metered prices of its plan count. Zero: it has none.
	MeteredSince time.Time
	// LateUsageUntil is the time until which a later invoice may bill late records of closed segments; zero: it may not.
	LateUsageUntil time.Time
	// UsageThresholds replace those of its plan; nil: the plan's apply.
	UsageThresholds *UsageThresholds
	PendingLines    []invoice.Line // prorations that the next invoice bills
	// NextPeriod is the index from the anchor of the next period to open, which starts at Boundary(NextPeriod).
	NextPeriod          int
	PaidThrough         time.Time
	PaidFor             *PaidFor // what gives access while a change is not paid; nil: the present plan and add-ons
	ActivatedAt         time.Time
	PendingPlanID       string
	PendingPlanVersion  int
	Quantity            int64   // units of its plan's prices that are not flat
	PendingQuantity     int64   // from the next period on; 0: the same
	AddOns              AddOns  // with the currency of its plan
	PendingAddOns       *AddOns // from the next period on; nil: the same
	Items               []Item  // of the prices of its plan and its add-ons, in their order
	Discounts           Discounts
	EndedDiscounts      Discounts // that lines of own periods which still run were billed with
	Scheduled           ScheduledChanges
	PendingChange       *PendingChange // that waits for its payment; nil: none
	CancelAtPeriodEnd   bool
	CancelReason        string
	CanceledAt          time.Time
	PastDueAt           time.Time
	CollectingInvoiceID string
	CollectionPausedAt  time.Time // only while past due: it has no automatic billing or collection
	PausedAt            time.Time // only while paused; the current period ended at this time
	ResumesAt           time.Time // only while paused: the automatic end of the pause; zero: none
	PauseReason         PauseReason
	TestClockID         string
	Terms               terms.Terms // of its invoices
	PaymentMethodID     string      // of its customer, by which it is charged; empty: the customer's default
	Metadata            metadata.Pairs
	MethodChangedAt     time.Time
	NextAction          Action
	NextActionAt        time.Time
	FinishedAt          time.Time
	Revision            int64
	CreatedAt           time.Time
	UpdatedAt           time.Time
}

// CollectionPaused reports whether the collection of its invoices is paused. The status Paused is another thing.
func (s Subscription) CollectionPaused() bool { return !s.CollectionPausedAt.IsZero() }

// Spans reports whether decisions depend on an invoice: it was issued in the current period, in an earlier one that a
// change of interval cut short, or since an item began that is billed by a longer interval.
func (s Subscription) Spans(inv invoice.Invoice) bool { return inv.PeriodIndex >= s.RenewedIndex }

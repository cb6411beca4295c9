// Package subscription owns what a subscription is: its statuses, its calendar, its plan, add-ons, coupons and
// scheduled changes, and the settings of its environment. It does not own what a period of it costs (costing), what
// commands and occurrences lead to (subscribing), nor storage (db).
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
	// Incomplete: its first invoice is not paid, and it ends where that takes too long. Only one that was created with
	// PendPayment is; not in the interface specification (ADR 78).
	Incomplete Status = "incomplete"
)

// Action names what a subscription waits for; operators read it in the Temporal UI.
type Action string

// The actions.
const (
	ActionNone        Action = "none"         // nothing but commands
	ActionBegin       Action = "begin"        // the first period starts now
	ActionTrialNotice Action = "trial_notice" // the end of the trial is announced
	ActionTrialEnd    Action = "trial_end"    // the first paid period starts
	// ActionRenewalReminder: a renewal that asks the payer is announced.
	ActionRenewalReminder Action = "renewal_reminder"
	ActionScheduledChange Action = "scheduled_change" // a change takes effect at its date
	ActionRenewal         Action = "renewal"          // the next period starts
	ActionCancel          Action = "cancel"           // cancellation at period end
	ActionPaymentRetry    Action = "payment_retry"    // the next automatic attempt
	ActionInvoiceOverdue  Action = "invoice_overdue"  // the time to pay an invoice that was sent ends
	ActionFinalize        Action = "finalize_invoice" // the grace of an invoice in draft ends
	ActionBillUsage       Action = "bill_usage"       // the same, and the usage that the invoice bills is rated
	ActionPastDueEnd      Action = "past_due_cancel"  // past due for too long
	ActionIncompleteEnd   Action = "incomplete_end"   // the first invoice was not paid in time
	ActionResume          Action = "resume"           // the pause ends
)

// Subscription is the truth about one subscription. Zero times mean "none". All times are virtual on a test clock.
type Subscription struct {
	ID            string
	CustomerID    string
	PlanID        string
	PlanVersion   int
	Status        Status
	Currency      money.Currency
	TimeZone      string // IANA
	AnchorAt      time.Time
	Interval      period.Interval
	TrialEndsAt   time.Time
	TrialNoticeAt time.Time // when the trial's end will be announced; zero: it was, or there is no trial
	// IncompleteUntil is when it ends if its first invoice is not paid by then; zero: it is not Incomplete, nor was it
	// when it ended.
	IncompleteUntil time.Time
	// RemindedFor is the start of the period whose renewal was announced last; zero: none was.
	RemindedFor   time.Time
	CurrentPeriod period.Period
	// PeriodIndex counts the periods that were opened, so that it tells them apart for ever: 0 before the first, then from
	// 1. A change of interval opens one too. Invoices and lines carry it.
	PeriodIndex int
	// RenewedIndex is the index of the period that the schedule opened last. A change of interval leaves it behind.
	RenewedIndex int
	// RenewedFrom is where that period starts; only builds from before the index read it.
	RenewedFrom time.Time
	// ProrationMeasure divides the current period: what was chosen when it was opened. Empty: proration.Second.
	ProrationMeasure proration.Measure
	// UnproratedIndex is the index of a period that bills other items than the subscription has, because a change within
	// it was not prorated; 0: none does.
	UnproratedIndex int
	// PaidElsewhereIndex is the index of the period that was paid in the system that the subscription was imported from;
	// 0: none was.
	PaidElsewhereIndex int
	// MeteredSince is since when the metered prices of its plan count: the start of the segment that goes on. Zero:
	// none do.
	MeteredSince time.Time
	// LateUsageUntil is until when records of closed segments may come, whose usage a later invoice bills; zero: none may.
	LateUsageUntil time.Time
	// UsageThresholds are in place of those of its plan; nil: the plan's count.
	UsageThresholds *UsageThresholds
	PendingLines    []invoice.Line // prorations that the next invoice bills, whenever that is
	// index from the anchor of the next period to open; it starts at Boundary(NextPeriod)
	NextPeriod          int
	PaidThrough         time.Time
	ActivatedAt         time.Time
	PendingPlanID       string
	PendingPlanVersion  int
	Quantity            int64   // units of its plan's prices that are not flat
	PendingQuantity     int64   // from the next period on; 0: the same
	AddOns              AddOns  // beside its plan, with its interval and currency
	PendingAddOns       *AddOns // from the next period on; nil: the same
	Items               []Item  // of the prices of its plan and its add-ons, in their order
	Discounts           Discounts
	Scheduled           ScheduledChanges
	CancelAtPeriodEnd   bool
	CancelReason        string
	CanceledAt          time.Time
	PastDueAt           time.Time
	CollectingInvoiceID string
	CollectionPausedAt  time.Time // only while past due: nothing is billed or collected automatically
	PausedAt            time.Time // only while paused; the current period ended then
	ResumesAt           time.Time // only while paused: when the pause ends automatically; zero: it does not
	PauseReason         PauseReason
	TestClockID         string
	Terms               terms.Terms // of the invoices that it issues
	Metadata            metadata.Pairs
	MethodChangedAt     time.Time
	NextAction          Action
	NextActionAt        time.Time
	FinishedAt          time.Time
	Revision            int64
	CreatedAt           time.Time
	UpdatedAt           time.Time
}

// CollectionPaused reports whether the collection of its invoices is paused, which is another thing than the status
// Paused.
func (s Subscription) CollectionPaused() bool { return !s.CollectionPausedAt.IsZero() }

// Spans reports whether decisions depend on an invoice: it was issued in the current period, or in one before it that a
// change of interval cut short.
func (s Subscription) Spans(inv invoice.Invoice) bool { return inv.PeriodIndex >= s.RenewedIndex }

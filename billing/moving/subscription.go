package moving

import (
	"cmp"
	"time"
	"unicode/utf8"

	"perennial/billing/cardnumber"
	"perennial/billing/costing"
	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/billing/terms"
)

// Subscription is a record of one. Zero times are left out.
type Subscription struct {
	ID                 string              `json:"id"`                    // external
	Customer           string              `json:"customer"`              // external id, or the id of a customer here
	Plan               string              `json:"plan"`                  // id, key or name of a plan here
	PlanVersion        int                 `json:"planVersion,omitempty"` // 0: the newest
	Currency           money.Currency      `json:"currency,omitempty"`    // empty: the plan's own
	Quantity           int64               `json:"quantity,omitempty"`    // 0: one
	AddOns             []AddOn             `json:"addOns,omitempty"`
	Status             subscription.Status `json:"status"`
	Anchor             Time                `json:"anchor,omitzero"` // zero: the start of the current period
	CurrentPeriodStart Time                `json:"currentPeriodStart,omitzero"`
	CurrentPeriodEnd   Time                `json:"currentPeriodEnd,omitzero"`
	TrialEndsAt        Time                `json:"trialEndsAt,omitzero"`
	PaidThrough        Time                `json:"paidThrough,omitzero"` // zero: the end of the current period
	TimeZone           string              `json:"timeZone,omitempty"`   // IANA; empty: the environment's
	CancelAtPeriodEnd  bool                `json:"cancelAtPeriodEnd,omitempty"`
	CancelReason       string              `json:"cancelReason,omitempty"`
	PendingPlan        string              `json:"pendingPlan,omitempty"` // from the next period on
	PendingPlanVersion int                 `json:"pendingPlanVersion,omitempty"`
	PendingQuantity    int64               `json:"pendingQuantity,omitempty"`
	CollectionMethod   terms.Method        `json:"collectionMethod,omitempty"`
	NetDays            int                 `json:"netDays,omitempty"`
	PendingAddOns      *[]AddOn            `json:"pendingAddOns,omitempty"` // nil: they stay
	Metadata           metadata.Pairs      `json:"metadata,omitempty"`
	CreatedAt          Time                `json:"createdAt,omitzero"` // zero: now

	// PaymentMethod is the external id of a record of its customer's payment method, or the id of one here; empty: the
	// default.
	PaymentMethod    string            `json:"paymentMethod,omitempty"`
	Coupons          []Coupon          `json:"coupons,omitempty"`
	ScheduledChanges []ScheduledChange `json:"scheduledChanges,omitempty"`

	// UsageThresholds are its own; nil: those of the plan count.
	UsageThresholds *subscription.UsageThresholds `json:"usageThresholds,omitempty"`

	// Of a paused one.
	PausedAt    Time                     `json:"pausedAt,omitzero"`     // zero: now
	ResumesAt   Time                     `json:"resumesAt,omitzero"`    // zero: when a command resumes it
	PauseReason subscription.PauseReason `json:"pauseReason,omitempty"` // empty: subscription.PauseRequested
}

// Terms returns the terms of its invoices.
func (r Subscription) Terms() terms.Terms {
	return terms.Terms{Method: r.CollectionMethod, NetDays: r.NetDays}
}

// AddOn is an add-on of a record.
type AddOn struct {
	Plan        string `json:"plan"`                  // id, key or name of an add-on here
	PlanVersion int    `json:"planVersion,omitempty"` // 0: the newest
	Quantity    int64  `json:"quantity,omitempty"`    // 0: one
}

// Setting has the context in which a record is read: ids, plans as they are sold in its currency, and the time.
type Setting struct {
	ID, CustomerID string
	Plan           plan.Plan
	Pending        *plan.Plan // of PendingPlan; nil: it stays
	AddOns         []subscription.Chosen
	PendingAddOns  *[]subscription.Chosen // of PendingAddOns; nil: they stay
	Coupons        []discount.Coupon      // of Coupons, in their order
	Planned        []Planned              // of ScheduledChanges, in their order
	// PaymentMethodID is of PaymentMethod.
	PaymentMethodID string
	Settings        subscription.Settings // of the environment
	Now             time.Time
	ItemID          func(s subscription.Subscription, priceID string) string
	ChangeID        func() string // a new id of a scheduled change
}

// Begin returns the subscription that a record describes, in the middle of its period. That period was paid in the
// other system: nothing is billed for it, and the next boundary from the anchor is the first that is billed here. A
// trial ends here. The next period of a paused subscription begins when it resumes. Faults: import_status_unsupported,
// import_time_missing, import_time_invalid, import_period_over, import_period_not_begun, import_period_mismatch,
// import_anchor_mismatch, import_pause_invalid, import_paid_beyond_period, plan_is_add_on, those of subscription.Sell,
// add_ons_other_interval, usage_interval_mismatch, currency_mismatch, quantity_out_of_range, amount_too_large, those of
// terms.Terms.Validate and of metered.CheckThresholdForms, of redeem and of schedule, time_zone_unknown,
// import_text_too_long, card_number_refused and those of metadata.
func (r Subscription) Begin(in Setting) (subscription.Subscription, error) {
	now := in.Now.UTC().Truncate(time.Second)
	s := subscription.Subscription{
		ID: in.ID, CustomerID: in.CustomerID, PlanID: in.Plan.ID, PlanVersion: in.Plan.Version, Status: r.Status,
		Quantity: cmp.Or(r.Quantity, 1), Currency: in.Plan.Currency,
		TimeZone: cmp.Or(r.TimeZone, in.Settings.TimeZone), TrialEndsAt: r.TrialEndsAt.Time,
		PendingQuantity:   r.PendingQuantity,
		CancelAtPeriodEnd: r.CancelAtPeriodEnd, CancelReason: r.CancelReason, Metadata: r.Metadata, Terms: r.Terms(),
		UsageThresholds: r.UsageThresholds, PaymentMethodID: in.PaymentMethodID,
		CreatedAt: cmp.Or(r.CreatedAt.Time, now), Revision: 1,
	}
	s.CountBy(subscription.Shortest(in.Plan, subscription.PlansOf(in.AddOns)), in.Plan.Interval)
	s.UpdatedAt = s.CreatedAt
	if in.Pending != nil {
		s.PendingPlanID, s.PendingPlanVersion = in.Pending.ID, in.Pending.Version
	}
	if err := r.check(in, now); err != nil {
		return subscription.Subscription{}, err
	}
	location, err := period.LoadLocation(s.TimeZone)
	if err != nil {
		return subscription.Subscription{}, err
	}
	switch s.Status {
	case subscription.Trialing:
		err = r.trial(&s, location, now)
	case subscription.Paused:
		err = r.paused(&s, location, now)
	default:
		s.ProrationMeasure = cmp.Or(in.Plan.ProrationMeasure, in.Settings.ProrationMeasure)
		err = r.running(&s, location, now)
	}
	if err != nil {
		return subscription.Subscription{}, err
	}
	if err := in.sell(&s); err != nil {
		return subscription.Subscription{}, err
	}
	if in.Bills(s).Costs() {
		s.PaidElsewhereIndex = s.PeriodIndex
	}
	if metering.Counts(s, in.Plan, in.Known()) { // earlier usage was billed in the other system
		s.MeteredSince = now
	}
	s = subscribing.With(s, costing.Facts{Plan: in.Plan, AddOns: in.Known(),
		ItemID: func(priceID string) string { return in.ItemID(s, priceID) }}).Itemized()
	if err := r.redeem(&s, in); err != nil {
		return subscription.Subscription{}, err
	}
	if err := r.schedule(&s, in, now); err != nil {
		return subscription.Subscription{}, err
	}
	s.NextAction, s.NextActionAt = s.Next(nil, subscription.Settings{})
	return s, nil
}

// maxReason bounds the reason of a cancellation, in characters, as the API does.
const maxReason = 500

// check checks the rules for records with any calendar.
func (r Subscription) check(in Setting, now time.Time) error {
	for _, t := range r.times() {
		if !t.at.IsZero() && (t.at.Before(earliest) || !t.at.Before(latest)) {
			return fault.InvalidParam(t.field, "import_time_invalid",
				"`%s` must be in the years 1970 to 9998.", t.field)
		}
	}
	if r.CreatedAt.After(now) {
		return fault.InvalidParam("createdAt", "import_time_invalid", "`createdAt` must not be in the future.")
	}
	if r.Status != subscription.Paused && (!r.PausedAt.Time.IsZero() || !r.ResumesAt.Time.IsZero() || r.PauseReason != "") {
		return fault.InvalidParam("pausedAt", "import_pause_invalid",
			"Only a subscription of the status `paused` has `pausedAt`, `resumesAt` and `pauseReason`. Send that status, or omit "+
				"them.")
	}
	if err := checkQuantities(r); err != nil {
		return err
	}
	if err := r.Terms().Validate(); err != nil {
		return err
	}
	if r.UsageThresholds != nil { // as in a change of plan, unreachable thresholds are kept
		if err := metered.CheckThresholdForms(*r.UsageThresholds); err != nil {
			return err
		}
	}
	if in.Pending != nil {
		if err := subscription.CheckCurrency(*in.Pending, in.Plan.Currency); err != nil {
			return fault.From(err).In("pendingPlan")
		}
	}
	if utf8.RuneCountInString(r.CancelReason) > maxReason {
		return fault.InvalidParam("cancelReason", "import_text_too_long",
			"`cancelReason` must have at most %d characters.", maxReason)
	}
	if err := cardnumber.Check("cancelReason", r.CancelReason); err != nil {
		return err
	}
	return r.Metadata.Check()
}

var (
	earliest = time.Unix(0, 0)
	latest   = period.Latest.AddDate(-1, 0, 0)
)

// times returns the times of the record, by field.
func (r Subscription) times() [8]struct {
	field string
	at    time.Time
} {
	return [8]struct {
		field string
		at    time.Time
	}{
		{"anchor", r.Anchor.Time}, {"currentPeriodStart", r.CurrentPeriodStart.Time},
		{"currentPeriodEnd", r.CurrentPeriodEnd.Time},
		{"trialEndsAt", r.TrialEndsAt.Time}, {"paidThrough", r.PaidThrough.Time}, {"createdAt", r.CreatedAt.Time},
		{"pausedAt", r.PausedAt.Time}, {"resumesAt", r.ResumesAt.Time},
	}
}

func checkQuantities(r Subscription) error {
	for _, of := range []struct {
		field    string
		quantity int64
	}{{"quantity", cmp.Or(r.Quantity, 1)}, {"pendingQuantity", cmp.Or(r.PendingQuantity, r.Quantity, 1)}} {
		if err := subscription.CheckQuantity(of.quantity); err != nil {
			return fault.From(err).In(of.field)
		}
	}
	return nil
}

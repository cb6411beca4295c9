package subscription

import (
	"cmp"
	"time"

	"perennial/billing/discount"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/terms"
)

// NewInput is what a customer asks for. TrialDays nil: the plan's trial; 0: none. Quantity 0: one. Now is the
// customer's time.
type NewInput struct {
	ID          string
	CustomerID  string
	Quantity    int64
	AddOns      []Chosen
	TrialDays   *int
	TimeZone    string
	TestClockID string
	Metadata    metadata.Pairs
	Terms       terms.Terms
	Coupon      *discount.Coupon // redeemed for it; nil: none
	// StartsAt is when the subscription began, in the past: its periods are counted from then. Zero: now.
	StartsAt  time.Time
	Backdated BackdatedBilling // with StartsAt
	// Anchor is the instant from which periods are counted, after the start: the first period ends there. Zero: the start.
	Anchor    time.Time
	Proration ProrationBehavior // with Anchor; NoProration: the time up to it is free
	Now       time.Time
}

// Create begins a subscription: in its trial, or active with a first period that is billed at once. The plan and the
// add-ons are as they are sold in the currency that it gets. Faults: plan_is_add_on, plan_inactive, those of Sell,
// quantity_out_of_range, amount_too_large, trial_days_out_of_range, trial_backdated, fields_exclusive,
// starts_at_out_of_range, billing_anchor_out_of_range, time_zone_unknown, those of discount.Coupon.Redeem.
func Create(p plan.Plan, in NewInput) (Subscription, []event.Event, error) {
	if err := subscribable(p); err != nil {
		return Subscription{}, nil, err
	}
	if err := in.Terms.Validate(); err != nil {
		return Subscription{}, nil, err
	}
	quantity := cmp.Or(in.Quantity, 1)
	if err := CheckQuantity(quantity); err != nil {
		return Subscription{}, nil, err
	}
	addOns, err := AddOns{}.choose(Facts{}.addOn, in.AddOns, p)
	if err != nil {
		return Subscription{}, nil, err
	}
	total := target{plan: p, quantity: quantity, addOns: addOns}
	every, err := (Facts{AddOns: PlansOf(in.AddOns)}).first(total)
	if err != nil {
		return Subscription{}, nil, fault.From(err).In("quantity")
	}
	days, err := in.trialDays(p)
	if err != nil {
		return Subscription{}, nil, err
	}
	location, err := period.LoadLocation(in.TimeZone)
	if err != nil {
		return Subscription{}, nil, err
	}
	now := in.Now.UTC().Truncate(time.Second) // the API speaks whole seconds; so do boundaries
	s := Subscription{
		ID: in.ID, CustomerID: in.CustomerID, PlanID: p.ID, PlanVersion: p.Version, Quantity: quantity, AddOns: addOns,
		Currency: p.Currency,
		TimeZone: in.TimeZone, Interval: p.Interval, TestClockID: in.TestClockID, Metadata: in.Metadata, Terms: in.Terms,
		CreatedAt: now, UpdatedAt: now, Revision: 1,
	}
	if in.Coupon != nil {
		if err := s.redeem(*in.Coupon, now); err != nil {
			return Subscription{}, nil, err
		}
	}
	s.Status = Active
	if days > 0 {
		s.Status = Trialing
		s.TrialEndsAt = period.AddDays(now, location, days)
		s.AnchorAt = s.TrialEndsAt
		s.CurrentPeriod = period.Period{Start: now, End: s.TrialEndsAt}
		s.TrialNoticeAt = period.AddDays(s.TrialEndsAt, location, -trialNoticeDays)
	} else if err := in.start(&s, in.prices(p), every); err != nil {
		return Subscription{}, nil, err
	}
	created := event.SubscriptionCreated{Subscription: s.announced(), Status: string(s.Status), PlanID: s.PlanID}
	events := []event.Event{event.New(created, now)}
	if s.Status == Trialing && !now.Before(s.TrialNoticeAt) {
		noticed := With(s, Facts{}).announceTrialEnd(now)
		s, events = noticed.Subscription, append(events, noticed.Events...)
	}
	s.NextAction, s.NextActionAt = s.Next(nil, Settings{})
	return s, events, nil
}

// offered refuses a plan that the subscription cannot change to. Faults: those of subscribable, currency_mismatch.
func (s Situation) offered(p plan.Plan) error {
	if err := subscribable(p); err != nil {
		return err
	}
	return CheckCurrency(p, s.Currency)
}

// subscribable refuses what nobody can begin to subscribe to. Faults: plan_is_add_on, plan_inactive.
func subscribable(p plan.Plan) error {
	switch {
	case p.AddOn:
		return ErrPlanIsAddOn
	case !p.Active:
		return ErrPlanInactive
	default:
		return nil
	}
}

// trialDays is how long the trial is; 0: there is none, as for a start in the past, whose trial is over. Faults:
// trial_backdated, fields_exclusive, trial_days_out_of_range.
func (in NewInput) trialDays(p plan.Plan) (days int, err error) {
	switch {
	case !in.StartsAt.IsZero() && in.TrialDays != nil && *in.TrialDays > 0:
		return 0, fault.InvalidParam("trialDays", "trial_backdated",
			"A subscription that began in the past has no trial. Send `startsAt` or `trialDays`.")
	case !in.StartsAt.IsZero():
		return 0, nil
	case in.TrialDays != nil:
		days = *in.TrialDays
	default:
		days = p.TrialDays
	}
	if days > 0 && !in.Anchor.IsZero() {
		return 0, fault.InvalidParam("billingAnchor", "fields_exclusive",
			"Periods are counted from the end of the trial. Send `trialDays: 0`, or omit `billingAnchor`.")
	}
	return days, plan.ValidateTrialDays(days)
}

// prices is how many prices every period has.
func (in NewInput) prices(p plan.Plan) int {
	n := len(p.Prices)
	for _, c := range in.AddOns {
		n += len(c.AddOn.Prices)
	}
	return n
}

// schedule is the grid of period boundaries. The zone was checked at creation; a zone that has vanished from the
// database since is taken as UTC, which keeps billing and is loud in the dates.
func (s Subscription) schedule() period.Schedule {
	location, err := period.LoadLocation(s.TimeZone)
	if err != nil {
		location = time.UTC
	}
	return period.Schedule{Anchor: s.AnchorAt, Location: location, Interval: s.Interval}
}

package subscribing

import (
	"cmp"
	"time"

	"perennial/billing/costing"
	"perennial/billing/discount"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/billing/terms"
)

// NewInput is a customer's request for a subscription. TrialDays nil: the plan's trial; 0: none. Quantity 0: one. Now
// is the customer's time.
type NewInput struct {
	ID          string
	CustomerID  string
	Quantity    int64
	AddOns      []subscription.Chosen
	TrialDays   *int
	TimeZone    string
	TestClockID string
	Metadata    metadata.Pairs
	Terms       terms.Terms
	Coupon      *discount.Coupon // nil: none
	// PaymentMethodID names one of the customer's; empty: the default.
	PaymentMethodID string
	// StartsAt is the start of the subscription in the past; its periods are counted from there. Zero: now.
	StartsAt  time.Time
	Backdated BackdatedBilling // with StartsAt
	// Behavior is the treatment of an unpaid first invoice. It has no effect after a trial.
	Behavior subscription.PaymentBehavior
	// Anchor is the instant from which periods are counted, after the start: the first period ends there. Zero: the start.
	Anchor    time.Time
	Proration subscription.ProrationBehavior // with Anchor; NoProration: the time up to it is free
	Now       time.Time
}

// Create begins a subscription: in its trial, or active with a first period that is billed at once. The plan and the
// add-ons have the prices of its currency. Faults: those of subscribable and of Sell, quantity_out_of_range,
// amount_too_large, trial_days_out_of_range, trial_backdated, fields_exclusive, starts_at_out_of_range,
// billing_anchor_out_of_range, time_zone_unknown, payment_behavior_unknown, payment_behavior_sent, those of
// discount.Coupon.Redeem.
func Create(p plan.Plan, in NewInput) (subscription.Subscription, []event.Event, error) {
	if err := subscribable(p); err != nil {
		return subscription.Subscription{}, nil, err
	}
	if err := in.Terms.Validate(); err != nil {
		return subscription.Subscription{}, nil, err
	}
	if err := in.checkBehavior(); err != nil {
		return subscription.Subscription{}, nil, err
	}
	quantity := cmp.Or(in.Quantity, 1)
	if err := subscription.CheckQuantity(quantity); err != nil {
		return subscription.Subscription{}, nil, err
	}
	addOns, err := subscription.AddOns{}.Choose(costing.Facts{}.AddOn, in.AddOns, p)
	if err != nil {
		return subscription.Subscription{}, nil, err
	}
	total := costing.Target{Plan: p, Quantity: quantity, AddOns: addOns}
	every, err := (costing.Facts{AddOns: subscription.PlansOf(in.AddOns)}).FirstCost(total)
	if err != nil {
		return subscription.Subscription{}, nil, fault.From(err).In("quantity")
	}
	days, err := in.trialDays(p)
	if err != nil {
		return subscription.Subscription{}, nil, err
	}
	location, err := period.LoadLocation(in.TimeZone)
	if err != nil {
		return subscription.Subscription{}, nil, err
	}
	now := in.Now.UTC().Truncate(time.Second) // the API has whole seconds; so do boundaries
	s := subscription.Subscription{
		ID: in.ID, CustomerID: in.CustomerID, PlanID: p.ID, PlanVersion: p.Version, Quantity: quantity, AddOns: addOns,
		Currency: p.Currency,
		TimeZone: in.TimeZone, TestClockID: in.TestClockID, Metadata: in.Metadata, Terms: in.Terms,
		PaymentMethodID: in.PaymentMethodID,
		CreatedAt:       now, UpdatedAt: now, Revision: 1,
	}
	s.CountBy(subscription.Shortest(p, subscription.PlansOf(in.AddOns)), p.Interval)
	if in.Coupon != nil {
		if err := s.Redeem(*in.Coupon, now); err != nil {
			return subscription.Subscription{}, nil, err
		}
	}
	s.Status = subscription.Active
	if days > 0 {
		s.Status = subscription.Trialing
		s.TrialEndsAt = period.AddDays(now, location, days)
		s.AnchorAt = s.TrialEndsAt
		s.CurrentPeriod = period.Period{Start: now, End: s.TrialEndsAt}
		s.TrialNoticeAt = period.AddDays(s.TrialEndsAt, location, -trialNoticeDays)
	} else if err := in.start(&s, in.prices(p), every); err != nil {
		return subscription.Subscription{}, nil, err
	} else if in.Behavior.Waits() {
		s.AwaitPayment(now)
		s.AttemptsOnce = in.Behavior == subscription.AttemptOnce
	}
	created := event.SubscriptionCreated{Subscription: s.Announced(), Status: string(s.Status), PlanID: s.PlanID}
	events := []event.Event{event.New(created, now)}
	if s.Status == subscription.Trialing && !now.Before(s.TrialNoticeAt) {
		noticed := With(s, costing.Facts{}).announceTrialEnd(now)
		s, events = noticed.Subscription, append(events, noticed.Events...)
	}
	s.NextAction, s.NextActionAt = s.Next(nil, subscription.Settings{})
	return s, events, nil
}

// offered refuses a plan that the subscription cannot change to. Faults: those of subscribable, currency_mismatch.
func (s Situation) offered(p plan.Plan) error {
	if err := subscribable(p); err != nil {
		return err
	}
	return subscription.CheckCurrency(p, s.Currency)
}

// subscribable refuses plans that no new subscription can have. Faults: plan_is_add_on, plan_inactive.
func subscribable(p plan.Plan) error {
	switch {
	case p.AddOn:
		return subscription.ErrPlanIsAddOn
	case !p.Active:
		return subscription.ErrPlanInactive
	default:
		return nil
	}
}

// trialDays returns the days of the trial; 0: none. A start in the past has none, since its trial has ended. Faults:
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

// prices returns the number of prices of every period.
func (in NewInput) prices(p plan.Plan) int {
	n := len(p.Prices)
	for _, c := range in.AddOns {
		n += len(c.AddOn.Prices)
	}
	return n
}

// checkBehavior refuses an unknown behaviour, and one that waits for a payment that may take weeks or for time in the
// past. Faults: payment_behavior_unknown, payment_behavior_sent, fields_exclusive.
func (in NewInput) checkBehavior() error {
	switch {
	case !in.Behavior.Waits():
		return in.Behavior.Check()
	case in.Terms.Sent():
		return fault.InvalidParam("paymentBehavior", "payment_behavior_sent",
			"An invoice that is sent is paid later, so that the subscription cannot wait for it. Omit `paymentBehavior`, or "+
				"`collectionMethod`.")
	case !in.StartsAt.IsZero():
		return fault.InvalidParam("paymentBehavior", "fields_exclusive",
			"A subscription that began in the past does not wait for its first payment. Omit `paymentBehavior`, or `startsAt`.")
	}
	return nil
}

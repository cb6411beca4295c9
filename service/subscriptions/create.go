package subscriptions

import (
	"cmp"
	"context"

	"perennial/billing/costing"
	"perennial/billing/customer"
	"perennial/billing/discount"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// NewSubscription subscribes a customer to a plan.
type NewSubscription struct {
	CustomerID, PlanID string
	Currency           money.Currency // one of the plan's currencies; empty: its own
	AddOns             []AddOnChoice
	CouponCode         string // empty: none
	// Wishes are passed to the rules unchanged, with the objects that the fields above name.
	Wishes subscribing.NewInput
}

// CreateSubscription writes a new subscription. Its workflow starts after the commit; if that fails, or the process
// ends before, the reconciler starts it, so that every confirmed subscription runs. Faults: customer_not_found,
// plan_not_found, also of an add-on, currency_not_offered, coupon_not_found, test_clock_advancing, those of
// customers.CheckRenewable and of subscribing.Create.
func (s *Service) CreateSubscription(
	ctx context.Context, by usecase.Caller, in NewSubscription, also usecase.Also[subscription.Subscription],
) (subscription.Subscription, error) {
	if err := in.Wishes.Metadata.Check(); err != nil {
		return subscription.Subscription{}, err
	}
	c, err := usecase.Payer(ctx, s.Base, by, in.CustomerID)
	if err != nil {
		return subscription.Subscription{}, err
	}
	payer, err := usecase.ChargedWith(ctx, s.Store.Reader, by.EnvironmentID, c, in.Wishes.PaymentMethodID)
	if err != nil {
		return subscription.Subscription{}, err
	}
	chosen, err := usecase.Plan(ctx, s.Base, by, in.PlanID)
	if err != nil {
		return subscription.Subscription{}, err
	}
	addOns, err := chosenAddOns(ctx, s.Store.Reader, by.EnvironmentID, in.AddOns)
	if err != nil {
		return subscription.Subscription{}, err
	}
	if chosen, err = chosen.In(cmp.Or(in.Currency, chosen.Currency)); err != nil {
		return subscription.Subscription{}, err
	}
	addOns = subscription.InCurrency(addOns, chosen.Currency)
	bills := subscription.Billing{
		Currency: chosen.Currency, Terms: in.Wishes.Terms, Fees: true,
		Plans: append([]plan.Plan{chosen}, subscription.PlansOf(addOns)...),
	}
	if bills.AsksMethod() {
		if err := s.customers.CheckRenewable(ctx, by, payer, chosen.Currency, methodParam(in)); err != nil {
			return subscription.Subscription{}, err
		}
	}
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (subscription.Subscription, error) {
		return s.insertSubscription(ctx, tx, by, c, chosen, addOns, in)
	})
}

// methodParam is the field of a creation that names the payment method.
func methodParam(in NewSubscription) string {
	if in.Wishes.PaymentMethodID != "" {
		return "paymentMethodId"
	}
	return "customerId"
}

func (s *Service) insertSubscription(
	ctx context.Context, tx *db.Tx, by usecase.Caller, c customer.Customer, chosen plan.Plan, addOns []subscription.Chosen,
	in NewSubscription,
) (subscription.Subscription, error) {
	now, err := usecase.LockClockOf(ctx, tx, by.EnvironmentID, c, s.Now())
	if err != nil {
		return subscription.Subscription{}, err
	}
	if in.Wishes.PaymentMethodID != "" { // under lock, so that it is not removed meanwhile
		if c, err = usecase.LockCustomer(ctx, tx, by.EnvironmentID, c.ID); err != nil {
			return subscription.Subscription{}, usecase.InParam(err, "customerId")
		}
		_, err = usecase.ChargedWith(ctx, tx.Reader, by.EnvironmentID, c, in.Wishes.PaymentMethodID)
		if err != nil {
			return subscription.Subscription{}, err
		}
	}
	var coupon *discount.Coupon
	if in.CouponCode != "" {
		found, err := tx.Catalog.CouponByCode(ctx, by.EnvironmentID, in.CouponCode)
		if err != nil {
			return subscription.Subscription{}, usecase.InParam(err, "couponCode")
		}
		coupon = &found
		tx.RedeemCoupon(by.EnvironmentID, found.ID)
	}
	wishes := in.Wishes
	wishes.ID, wishes.CustomerID, wishes.TestClockID = id.New(id.Subscription, s.Now()), c.ID, c.TestClockID
	wishes.AddOns, wishes.Coupon, wishes.TimeZone, wishes.Now = addOns, coupon, by.TimeZone, now
	sub, events, err := subscribing.Create(chosen, wishes)
	if err != nil {
		return sub, err
	}
	sub = subscribing.With(sub, costing.Facts{Plan: chosen, AddOns: subscription.PlansOf(addOns),
		ItemID: func(priceID string) string {
			return lifecycle.ItemID(id.Source{}, sub, priceID)
		}}).Itemized()
	if err := tx.Subscriptions.Insert(ctx, by.EnvironmentID, sub); err != nil {
		return sub, err
	}
	for _, e := range events {
		if err := tx.Emit(ctx, by.EnvironmentID, e); err != nil {
			return sub, err
		}
	}
	tx.AfterCommit(db.StartSubscription{EnvironmentID: by.EnvironmentID, Subscription: sub})
	return sub, nil
}

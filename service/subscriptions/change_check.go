package subscriptions

import (
	"context"

	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// checkChange refuses changes before the subscription is locked, as far as possible. Faults: plan_not_found, those of
// checkAddOns and checkWillPay.
func (s *Service) checkChange(ctx context.Context, by usecase.Caller, subscriptionID string, c PlanChange) error {
	if c.PlanID != "" && !id.Is(id.Plan, c.PlanID) {
		return db.ErrPlanNotFound.In("planId")
	}
	if c.PlanID == "" && c.AddOns == nil {
		return nil
	}
	sub, err := s.Store.Subscriptions.Get(ctx, by.EnvironmentID, subscriptionID)
	if err != nil {
		return usecase.UnlessAbsent(err)
	}
	if c.AddOns != nil {
		if err := s.checkAddOns(ctx, by, sub, *c.AddOns); err != nil {
			return err
		}
	}
	if c.PlanID == "" || c.PlanID == sub.PlanID {
		return nil
	}
	to := func() (plan.Plan, error) { return s.Store.Catalog.Plan(ctx, by.EnvironmentID, c.PlanID) }
	return s.checkWillPay(ctx, by, sub, to, "planId")
}

// checkWillPay refuses a change from a free plan, which needed no check of the payment method, to one that the method
// could never pay for. The command reports other faults of the change. Changes from a paid plan, which are most, do not
// call to, which reads the other plan. Faults: those of customers.CheckRenewable, which name param.
func (s *Service) checkWillPay(
	ctx context.Context, by usecase.Caller, sub subscription.Subscription, to func() (plan.Plan, error), param string,
) error {
	if !sub.Bills().Charged() {
		return nil
	}
	bills, err := s.presentBills(ctx, by, sub)
	if err != nil || bills.AsksMethod() {
		return err
	}
	next, err := to()
	if err != nil || !sub.Bills(next).AsksMethod() {
		return usecase.UnlessAbsent(err)
	}
	return s.checkPayerOf(ctx, by, sub, param)
}

// presentBills returns the charges of a subscription for its present plan and add-ons. Fault: plan_not_found.
func (s *Service) presentBills(
	ctx context.Context, by usecase.Caller, sub subscription.Subscription,
) (subscription.Billing, error) {
	refs := []plan.Ref{sub.Plan()}
	for _, a := range sub.AddOns {
		refs = append(refs, a.Ref)
	}
	plans, err := s.Store.Catalog.VersionsOf(ctx, by.EnvironmentID, refs)
	return sub.Bills(plans...), err
}

// checkPayerOf refuses a subscription that its customer's present payment method could never pay for. Faults: those of
// customers.CheckRenewable, which name param.
func (s *Service) checkPayerOf(
	ctx context.Context, by usecase.Caller, sub subscription.Subscription, param string,
) error {
	payer, err := s.Store.Customers.Get(ctx, by.EnvironmentID, sub.CustomerID)
	if err != nil {
		return err
	}
	if payer, err = usecase.ChargedWith(ctx, s.Store.Reader, by.EnvironmentID, payer, sub.PaymentMethodID); err != nil {
		return err
	}
	return s.customers.CheckRenewable(ctx, by, payer, sub.Currency, param)
}

package service

import (
	"context"

	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/id"
)

// checkChange refuses what can be told before the subscription is locked. Faults: plan_not_found, those of checkWillPay.
func (s *Service) checkChange(ctx context.Context, by Caller, subscriptionID string, c PlanChange) error {
	switch {
	case c.PlanID == "":
		return nil
	case !id.Is(id.Plan, c.PlanID):
		return db.ErrPlanNotFound.In("planId")
	}
	sub, err := s.store.Subscription(ctx, by.EnvironmentID, subscriptionID)
	if err != nil || c.PlanID == sub.PlanID {
		return unlessAbsent(err)
	}
	to, err := s.store.Plan(ctx, by.EnvironmentID, c.PlanID)
	if err != nil {
		return unlessAbsent(err)
	}
	return s.checkWillPay(ctx, by, sub, to, "planId")
}

// checkWillPay refuses a change from a free plan, under which nothing was asked of the payment method, to one that could
// never be collected with it. What else is wrong with the change, the command says. Faults: those of checkRenewable, which
// name param.
func (s *Service) checkWillPay(
	ctx context.Context, by Caller, sub subscription.Subscription, to plan.Plan, param string,
) error {
	if to.Free() || to.Currency != sub.Currency {
		return nil
	}
	from, err := s.store.PlanVersion(ctx, by.EnvironmentID, sub.Plan())
	if err != nil || !from.Free() {
		return err
	}
	payer, err := s.store.Customer(ctx, by.EnvironmentID, sub.CustomerID)
	if err != nil {
		return err
	}
	return s.checkRenewable(ctx, by, payer, to.Currency, param)
}

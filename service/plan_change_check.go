package service

import (
	"context"

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
	return s.checkWillPay(ctx, by, subscriptionID, c.PlanID)
}

// checkWillPay refuses a change from a free plan, under which nothing was asked of the payment method, to one that could
// never be collected with it. What else is wrong with the change, the command says. Faults: those of checkRenewable.
func (s *Service) checkWillPay(ctx context.Context, by Caller, subscriptionID, planID string) error {
	sub, err := s.store.Subscription(ctx, by.EnvironmentID, subscriptionID)
	if err != nil {
		return unlessAbsent(err)
	}
	from, err := s.store.PlanVersion(ctx, by.EnvironmentID, sub.Plan())
	if err != nil || !from.Free() || planID == sub.PlanID {
		return err
	}
	to, err := s.store.Plan(ctx, by.EnvironmentID, planID)
	if err != nil || to.Free() || to.Currency != sub.Currency {
		return unlessAbsent(err)
	}
	payer, err := s.store.Customer(ctx, by.EnvironmentID, sub.CustomerID)
	if err != nil {
		return err
	}
	return s.checkRenewable(ctx, by, payer, to.Currency, "planId")
}

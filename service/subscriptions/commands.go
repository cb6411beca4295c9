package subscriptions

import (
	"context"
	"time"

	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/service/usecase"
)

// Command performs a command of a person or an app. Faults: those of the function Command.
func (s *Service) Command(
	ctx context.Context, by usecase.Caller, subscriptionID string, cmd lifecycle.Command,
	around usecase.Around[usecase.Performed],
) error {
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (usecase.Performed, error) {
		return usecase.Command(ctx, tx, by.EnvironmentID, subscriptionID, cmd)
	})
}

// PlanChange moves a subscription to another plan, another quantity, other add-ons, or several of these.
type PlanChange struct {
	PlanID      string         // empty: no change
	Quantity    int64          // 0: no change
	AddOns      *[]AddOnChoice // all of them; nil: no change
	AtPeriodEnd bool
	On          time.Time                      // the date of a scheduled change; zero: none
	Proration   subscription.ProrationBehavior // empty: subscription.InvoiceNow
	Behavior    subscription.PaymentBehavior   // of a change now that costs something; empty: subscription.Activate
}

// ChangePlan performs a change of plan. Faults: plan_not_found, those of the function Command and, from a free plan to
// a paid one, those of customers.CheckRenewable.
func (s *Service) ChangePlan(
	ctx context.Context, by usecase.Caller, subscriptionID string, c PlanChange, around usecase.Around[usecase.Performed],
) error {
	if err := s.checkChange(ctx, by, subscriptionID, c); err != nil {
		return err
	}
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (usecase.Performed, error) {
		return ChangePlan(ctx, tx, by.EnvironmentID, subscriptionID, c)
	})
}

// ChangePlan is Command for a change of plan. Faults: plan_not_found, those of Command.
func ChangePlan(
	ctx context.Context, tx *db.Tx, environmentID, subscriptionID string, c PlanChange,
) (usecase.Performed, error) {
	cmd, err := c.command(ctx, tx, environmentID)
	if err != nil {
		return usecase.Performed{}, err
	}
	return usecase.Command(ctx, tx, environmentID, subscriptionID, cmd)
}

// command reads the requested plan and add-ons. Fault: plan_not_found.
func (c PlanChange) command(ctx context.Context, tx *db.Tx, environmentID string) (lifecycle.ChangePlan, error) {
	cmd := lifecycle.ChangePlan{
		Quantity: c.Quantity, AtPeriodEnd: c.AtPeriodEnd, On: c.On, Proration: c.Proration, Behavior: c.Behavior,
	}
	if c.AddOns != nil {
		addOns, err := chosenAddOns(ctx, tx.Reader, environmentID, *c.AddOns)
		if err != nil {
			return cmd, err
		}
		cmd.AddOns = &addOns
	}
	if c.PlanID == "" {
		return cmd, nil
	}
	to, err := tx.Catalog.Plan(ctx, environmentID, c.PlanID)
	if err != nil {
		return cmd, fault.From(err).In("planId")
	}
	cmd.Plan = &to
	return cmd, nil
}

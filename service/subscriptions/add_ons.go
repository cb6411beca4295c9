package subscriptions

import (
	"context"
	"fmt"
	"slices"

	"perennial/billing/fault"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// AddOnChoice is a request for an add-on.
type AddOnChoice struct {
	PlanID   string
	Quantity int64 // 0: one
}

// chosenAddOns reads the requested add-ons, in the versions for new subscribers. Faults: plan_not_found, which names
// the index in the list, add_ons_too_many.
func chosenAddOns(
	ctx context.Context, r db.Reader, environmentID string, choices []AddOnChoice,
) ([]subscription.Chosen, error) {
	chosen := make([]subscription.Chosen, len(choices))
	for i, c := range choices {
		if i == subscription.MaxAddOns { // the rules refuse a list of this length
			return chosen, nil
		}
		field := fmt.Sprintf("addOns[%d].planId", i)
		if !id.Is(id.Plan, c.PlanID) {
			return nil, db.ErrPlanNotFound.In(field)
		}
		p, err := r.Catalog.Plan(ctx, environmentID, c.PlanID)
		if err != nil {
			return nil, fault.From(err).In(field)
		}
		chosen[i] = subscription.Chosen{AddOn: p, Quantity: c.Quantity}
	}
	return chosen, nil
}

// checkAddOns refuses paid add-ons with a free plan where the customer's payment method cannot be charged for them: the
// free plan needed no check of it. Present add-ons were checked earlier. Faults: those of chosenAddOns and
// checkWillPay.
func (s *Service) checkAddOns(
	ctx context.Context, by usecase.Caller, sub subscription.Subscription, asked []AddOnChoice,
) error {
	addOns, err := chosenAddOns(ctx, s.Store.Reader, by.EnvironmentID, asked)
	if err != nil {
		return err
	}
	paid := slices.IndexFunc(addOns, func(c subscription.Chosen) bool {
		held := slices.ContainsFunc(sub.AddOns, func(a subscription.AddOn) bool { return a.ID == c.AddOn.ID })
		return !held && sub.Bills(c.AddOn).AsksMethod()
	})
	if paid < 0 {
		return nil
	}
	// The check is about the payer: it is the same for all of them.
	return s.checkWillPay(ctx, by, sub, func() (plan.Plan, error) { return addOns[paid].AddOn, nil }, "addOns")
}

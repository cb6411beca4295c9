package usage

import (
	"context"

	"perennial/billing/costing"
	"perennial/billing/metering"
	"perennial/billing/subscription"
	"perennial/service/usecase"
)

// Accrued has the amount of the current period's usage by now, and the times of free usage.
type Accrued struct {
	// Accrual has the charges of the period's invoices if no more usage is recorded and nothing changes; nil: no metered
	// prices counted in the period.
	Accrual  *costing.Accrual
	Costless []metering.CostlessTime
}

// Accrued returns the amount of the usage in a subscription's current period, by the rules and the counts of its
// invoices. A subscription without metered prices needs no statement. Faults: those of metered.Owed.
func (s *Service) Accrued(ctx context.Context, by usecase.Caller, sub subscription.Subscription) (Accrued, error) {
	if sub.MeteredSince.IsZero() && sub.LateUsageUntil.IsZero() {
		return Accrued{Costless: metering.CostlessTimes(sub, nil)}, nil
	}
	all, from, err := s.periodSegments(ctx, by.EnvironmentID, sub)
	if err != nil {
		return Accrued{}, err
	}
	out := Accrued{Costless: metering.CostlessTimes(sub, all[from:])}
	if from == len(all) {
		return out, nil
	}
	accruing, err := usecase.CountSegments(ctx, s.Store, by.EnvironmentID, sub, all, from)
	if err != nil {
		return Accrued{}, err
	}
	billed, err := s.Store.Subscriptions.UsageBilled(ctx, by.EnvironmentID, sub.ID, all[from].Start)
	if err != nil {
		return Accrued{}, err
	}
	accrual, err := costing.Period{Subscription: sub}.Accrued(accruing, billed)
	out.Accrual = &accrual
	return out, err
}

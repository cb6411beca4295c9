package usage

import (
	"context"

	"perennial/billing/costing"
	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/subscription"
	"perennial/db"
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
	accruing, err := s.accruing(ctx, by.EnvironmentID, sub, all, from)
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

// accruing counts the usage of the segments from one on; earlier ones count for cumulated prices.
func (s *Service) accruing(
	ctx context.Context, environmentID string, sub subscription.Subscription, all []metering.Segment, from int,
) ([]costing.Accruing, error) {
	versions, err := s.Store.Catalog.VersionsOf(ctx, environmentID, metering.Versions(all))
	if err != nil {
		return nil, err
	}
	priced, err := metering.Price(all, versions, sub.Currency)
	if err != nil {
		return nil, err
	}
	spans := make([]metered.Span, len(all))
	for i, of := range priced {
		spans[i] = of.Span(sub)
	}
	counted, err := s.usage.MeteredSegments(ctx, environmentID, sub.ID, spans, from, db.UsageCounting{})
	if err != nil {
		return nil, err
	}
	accruing := make([]costing.Accruing, len(counted))
	for i, used := range counted {
		accruing[i] = costing.Accruing{Priced: priced[from+i], Counted: used}
	}
	return accruing, nil
}

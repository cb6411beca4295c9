package customers

import (
	"context"
	"errors"
	"time"

	"perennial/billing/access"
	"perennial/billing/customer"
	"perennial/billing/entitlement"
	"perennial/billing/fault"
	"perennial/billing/plan"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/service/usecase"
)

// Access is whether a customer may use the product.
type Access struct {
	access.Answer
	Subscriptions []access.Answer     // each by itself, newest first
	Feature       *entitlement.Answer // what they have of the feature that was asked about; nil: none was
}

// Access answers whether a customer may use the product, or one of its features: Answer is then about that. Fault:
// feature_key_invalid.
func (s *Service) Access(
	ctx context.Context, by usecase.Caller, of customer.Customer, feature string,
) (Access, error) {
	now, err := s.nowOf(ctx, by, of)
	if err != nil {
		return Access{}, err
	}
	claims, err := s.Store.Subscriptions.AccessClaims(ctx, by.EnvironmentID, of.ID)
	if err != nil {
		return Access{}, err
	}
	out := Access{Subscriptions: make([]access.Answer, len(claims))}
	for i, claim := range claims {
		out.Subscriptions[i] = access.Of(claim, now)
	}
	if feature == "" {
		out.Answer = access.Best(out.Subscriptions)
		return out, nil
	}
	if err := plan.CheckFeatureKey(feature); err != nil {
		return Access{}, fault.From(err).In("feature")
	}
	features, err := s.Store.Subscriptions.Features(ctx, by.EnvironmentID, entitlement.PlanIDs(claims))
	if err != nil {
		return Access{}, err
	}
	found := entitlement.Of(feature, entitlement.Held{
		Claims: claims, Answers: out.Subscriptions, Features: features, Overrides: of.Features, Now: now,
	})
	counts, err := s.counts(ctx, by, found.Counters)
	if err != nil {
		return Access{}, err
	}
	found = found.Counted(counts)
	out.Answer, out.Feature = found.Answer, &found
	return out, nil
}

// nowOf is the customer's own time.
func (s *Service) nowOf(ctx context.Context, by usecase.Caller, of customer.Customer) (time.Time, error) {
	if of.TestClockID == "" {
		return s.Now(), nil
	}
	clock, err := s.Store.Clocks.Get(ctx, by.EnvironmentID, of.TestClockID)
	return clock.NowAt, err
}

// counts are what counters come to. A metric that is gone counts nothing.
func (s *Service) counts(
	ctx context.Context, by usecase.Caller, counters []entitlement.Counter,
) ([]entitlement.Count, error) {
	counts := make([]entitlement.Count, len(counters))
	for i, c := range counters {
		metric, err := s.Store.Usage.ServedMetric(ctx, by.EnvironmentID, c.MetricName)
		if errors.Is(err, db.ErrMetricNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		counts[i].Carries = metric.Carries()
		if !c.Period.Start.Before(c.Period.End) {
			continue
		}
		totals, err := db.NewUsageLog(s.Store).UsageSeries(ctx, by.EnvironmentID, c.SubscriptionID, metric,
			[]usage.Span{{Start: c.Period.Start, End: c.Period.End}}, nil)
		if err != nil {
			return nil, err
		}
		for _, total := range totals[0] {
			counts[i].Quantity = counts[i].Quantity.Add(total.Value)
		}
	}
	return counts, nil
}

package usecase

import (
	"context"
	"errors"

	"perennial/billing/access"
	"perennial/billing/customer"
	"perennial/billing/entitlement"
	"perennial/billing/usage"
	"perennial/db"
)

// Held reads which subscriptions may give a customer anything, as the customer has paid for them, and what access says
// to them in the customer's own time.
func Held(ctx context.Context, b Base, environmentID string, of customer.Customer) (entitlement.Held, error) {
	held := entitlement.Held{Overrides: of.Features}
	var err error
	if held.Now, err = CustomerNow(ctx, b.Store.Reader, environmentID, of, b.Now()); err != nil {
		return held, err
	}
	if held.Claims, err = b.Store.Subscriptions.AccessClaims(ctx, environmentID, of.ID); err != nil {
		return held, err
	}
	held.Answers = make([]access.Answer, len(held.Claims))
	for i, claim := range held.Claims {
		held.Claims[i].Subscription = claim.AsPaid()
		held.Answers[i] = access.Of(held.Claims[i], held.Now)
		if of.Overdue.AccessDenied {
			held.Answers[i] = held.Answers[i].DeniedForDebt()
		}
	}
	return held, nil
}

// HeldFeatures is Held with the features that the subscriptions give.
func HeldFeatures(ctx context.Context, b Base, environmentID string, of customer.Customer) (entitlement.Held, error) {
	held, err := Held(ctx, b, environmentID, of)
	if err != nil {
		return held, err
	}
	held.Features, err = b.Store.Subscriptions.Features(ctx, environmentID, entitlement.PlanIDs(held.Claims))
	return held, err
}

// Entitled returns the answer for a customer's feature, with the use that records until now show.
func Entitled(
	ctx context.Context, b Base, environmentID, feature string, held entitlement.Held,
) (entitlement.Answer, error) {
	found := entitlement.Of(feature, held)
	counts := make([]entitlement.Count, len(found.Counters))
	for i, c := range found.Counters {
		var err error
		if counts[i], err = count(ctx, b.Store, environmentID, c); err != nil {
			return found, err
		}
	}
	return found.Counted(counts), nil
}

// count returns the quantity of a counter. A metric that does not exist any more counts nothing.
func count(
	ctx context.Context, store *db.Store, environmentID string, by entitlement.Counter,
) (out entitlement.Count, err error) {
	metric, err := store.Usage.ServedMetric(ctx, environmentID, by.MetricName)
	if errors.Is(err, db.ErrMetricNotFound) {
		return out, nil
	}
	if out.Carries = metric.Carries(); err != nil || !by.Period.Start.Before(by.Period.End) {
		return out, err
	}
	totals, err := store.UsageLog().UsageSeries(ctx, environmentID, by.SubscriptionID, metric,
		[]usage.Span{{Start: by.Period.Start, End: by.Period.End}}, nil)
	if err != nil {
		return out, err
	}
	out.Quantity = totals[0].Sum()
	return out, nil
}

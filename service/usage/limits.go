package usage

import (
	"context"

	"perennial/billing/entitlement"
	"perennial/billing/event"
	"perennial/db"
	"perennial/service/usecase"
)

// askLimits checks which limits of features a customer's usage has reached, after records of a subscription were
// merged, and announces each once.
func (s *Service) askLimits(ctx context.Context, environmentID, customerID string) error {
	c, err := s.Store.Customers.Get(ctx, environmentID, customerID)
	if err != nil || !c.ErasedAt.IsZero() {
		return err
	}
	held, err := usecase.HeldFeatures(ctx, s.Base, environmentID, c)
	if err != nil {
		return err
	}
	for _, key := range held.Metered() {
		found, err := usecase.Entitled(ctx, s.Base, environmentID, key, held)
		if err == nil && found.Reached() {
			err = s.announceLimit(ctx, environmentID, c.ID, found, held)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// announceLimit announces a reached limit, unless it was announced before.
func (s *Service) announceLimit(
	ctx context.Context, environmentID, customerID string, reached entitlement.Answer, held entitlement.Held,
) error {
	return s.Store.InTx(ctx, asUsage, s.Now(), func(tx *db.Tx) error {
		first, err := tx.Customers.NoteLimitReached(ctx, environmentID, customerID, reached, held.Now)
		if err != nil || !first {
			return err
		}
		news := event.FeatureLimitReached{
			ID: customerID, Feature: reached.Feature, Limit: *reached.Limit, Used: reached.Used.String(),
			Allowed: reached.Allowed,
		}
		if !reached.ResetsAt.IsZero() {
			news.ResetsAt = reached.ResetsAt.Unix()
		}
		return tx.Emit(ctx, environmentID, event.New(news, held.Now))
	})
}

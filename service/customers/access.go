package customers

import (
	"context"

	"perennial/billing/access"
	"perennial/billing/customer"
	"perennial/billing/entitlement"
	"perennial/billing/fault"
	"perennial/billing/plan"
	"perennial/service/usecase"
)

// Access is the answer whether a customer may use the product.
type Access struct {
	access.Answer
	Subscriptions []access.Answer     // one for each, newest first
	Feature       *entitlement.Answer // about the requested feature; nil: none was requested
}

// Access reports whether a customer may use the product, or one of its features: Answer is then about the feature.
// Fault: feature_key_invalid.
func (s *Service) Access(
	ctx context.Context, by usecase.Caller, of customer.Customer, feature string,
) (Access, error) {
	if feature == "" {
		held, err := usecase.Held(ctx, s.Base, by.EnvironmentID, of)
		return Access{Answer: access.Best(held.Answers), Subscriptions: held.Answers}, err
	}
	if err := plan.CheckFeatureKey(feature); err != nil {
		return Access{}, fault.From(err).In("feature")
	}
	held, err := usecase.HeldFeatures(ctx, s.Base, by.EnvironmentID, of)
	if err != nil {
		return Access{}, err
	}
	found, err := usecase.Entitled(ctx, s.Base, by.EnvironmentID, feature, held)
	return Access{Answer: found.Answer, Subscriptions: held.Answers, Feature: &found}, err
}

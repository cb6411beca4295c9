package api

import (
	"context"

	"perennial/api/httpkit"
	"perennial/service"
)

type updateSubscriptionInput struct {
	httpkit.ByID
	Body SubscriptionChange
}

// SubscriptionChange changes the plan.
type SubscriptionChange struct {
	PlanID    string `json:"planId" minLength:"1" maxLength:"64" example:"plan_01jcz6f0x3v8r5t2m9k4h7q1wz"`
	Effective string `json:"effective,omitempty" enum:"now,period_end" example:"now" doc:"now, with proration (the default), or period_end."`
}

// updateSubscription is no plain command: service loads the new plan in the same transaction, which lifecycle needs and
// a subscription's State does not have.
func (s *Server) updateSubscription(
	ctx context.Context, c *httpkit.Call, in *updateSubscriptionInput,
) (*httpkit.Reply[Subscription], error) {
	return s.onSubscription(ctx, c, func(id string, around service.Around[service.Performed]) error {
		return s.service.ChangePlan(ctx, caller(c), id, in.Body.PlanID, in.Body.Effective == "period_end", around)
	})
}

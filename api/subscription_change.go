package api

import (
	"context"

	"perennial/api/httpkit"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/service"
)

type updateSubscriptionInput struct {
	httpkit.ByID
	Body SubscriptionChange
}

// SubscriptionChange changes the plan, the quantity, or both; or the version of the plan.
type SubscriptionChange struct {
	PlanID    string `json:"planId,omitempty" maxLength:"64" example:"plan_01jcz6f0x3v8r5t2m9k4h7q1wz" doc:"The new plan. Default: it stays."`
	Quantity  *int64 `json:"quantity,omitempty" minimum:"1" maximum:"1000000000" example:"5" doc:"The new quantity, such as seats. Flat prices ignore it. Default: it stays."`
	Version   *int   `json:"planVersion,omitempty" minimum:"1" maximum:"100" example:"2" doc:"The version of its plan that the subscription moves to. Send this alone, with effective."`
	Effective string `json:"effective,omitempty" enum:"now,period_end" example:"now" doc:"now, with proration (the default), or period_end."`
}

// updateSubscription is no plain command: service loads the new plan in the same transaction, which lifecycle needs and
// a subscription's State does not have.
func (s *Server) updateSubscription(
	ctx context.Context, c *httpkit.Call, in *updateSubscriptionInput,
) (*httpkit.Reply[Subscription], error) {
	atPeriodEnd := in.Body.Effective == "period_end"
	if in.Body.Version != nil {
		if in.Body.PlanID != "" || in.Body.Quantity != nil {
			return nil, fault.InvalidParam("planVersion", "fields_exclusive",
				"Send `planVersion`, for another version of the same plan, or `planId` and `quantity`, not both.")
		}
		return s.command(ctx, c, lifecycle.Migrate{Version: *in.Body.Version, AtPeriodEnd: atPeriodEnd})
	}
	if in.Body.PlanID == "" && in.Body.Quantity == nil {
		return nil, fault.InvalidParam("planId", "field_missing",
			"The request changes nothing. Send `planId`, `quantity` or `planVersion`.")
	}
	change := service.PlanChange{
		PlanID: in.Body.PlanID, Quantity: given(in.Body.Quantity), AtPeriodEnd: atPeriodEnd,
	}
	return s.onSubscription(ctx, c, func(id string, around service.Around[service.Performed]) error {
		return s.service.ChangePlan(ctx, caller(c), id, change, around)
	})
}

// given is a number that a request may leave out; 0: it did.
func given(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

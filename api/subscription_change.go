package api

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/contract"
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

func (s *Server) updateSubscription(
	ctx context.Context, c *httpkit.Call, in *updateSubscriptionInput,
) (*httpkit.Reply[Subscription], error) {
	return httpkit.Command(ctx, s.kit, c, http.StatusOK, func(ctx context.Context, r httpkit.Run) (httpkit.Made[Subscription], error) {
		if _, err := s.service.Plan(ctx, caller(c), in.Body.PlanID); err != nil {
			return httpkit.Made[Subscription]{}, inParam(err, "planId")
		}
		return s.performAndRead(ctx, c, contract.Command{
			ID: r.CommandID, Idempotency: completes(r), Name: contract.CommandChangePlan,
			PlanID: in.Body.PlanID, AtPeriodEnd: in.Body.Effective == "period_end",
		})
	})
}

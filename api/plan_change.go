package api

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/billing/metadata"
	"perennial/billing/plan"
	"perennial/db"
	"perennial/service"
)

type updatePlanInput struct {
	httpkit.ByID
	Body PlanChange
}

// PlanChange changes the fields that are sent and leaves the others. What a subscription was sold is not among them.
type PlanChange struct {
	Active   *bool     `json:"active,omitempty" doc:"false: archives the plan. true: publishes it again."`
	Name     *string   `json:"name,omitempty" minLength:"1" maxLength:"200" example:"Pro, monthly" doc:"New invoices show this name."`
	Metadata *Metadata `json:"metadata,omitempty" maxProperties:"50" doc:"Replaces all metadata."`
}

func (s *Server) updatePlan(ctx context.Context, c *httpkit.Call, in *updatePlanInput) (*httpkit.Reply[Plan], error) {
	update := service.PlanUpdate{Active: in.Body.Active, Name: in.Body.Name, Metadata: (*metadata.Pairs)(in.Body.Metadata)}
	return httpkit.Create(ctx, s.kit, c, http.StatusOK, madePlan, func(keep func(*db.Tx, plan.Plan) error) error {
		_, err := s.service.UpdatePlan(ctx, caller(c), in.ID, update, keep)
		return err
	})
}

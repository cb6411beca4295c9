package api

import (
	"context"
	"maps"
	"net/http"

	"perennial/api/httpkit"
	"perennial/billing/event"
	"perennial/billing/metadata"
	"perennial/billing/plan"
	"perennial/db"
)

type updatePlanInput struct {
	httpkit.ByID
	Body PlanChange
}

// PlanChange changes the fields that are sent and leaves the others. What a subscription was sold is not among them.
type PlanChange struct {
	Active   *bool     `json:"active,omitempty" doc:"false: new subscriptions may not use it any more. true: they may again."`
	Name     *string   `json:"name,omitempty" minLength:"1" maxLength:"200" example:"Pro, monthly" doc:"Invoices that are issued from now on show it."`
	Metadata *Metadata `json:"metadata,omitempty" maxProperties:"50" doc:"Replaces all metadata."`
}

// apply changes p and names the fields that changed.
func (f PlanChange) apply(p *plan.Plan) (changed []string) {
	if f.Active != nil && *f.Active != p.Active {
		p.Active, changed = *f.Active, append(changed, "active")
	}
	if f.Name != nil && *f.Name != p.Name {
		p.Name, changed = *f.Name, append(changed, "name")
	}
	if f.Metadata != nil && !maps.Equal(metadata.Pairs(*f.Metadata), p.Metadata) {
		p.Metadata, changed = metadata.Pairs(*f.Metadata), append(changed, "metadata")
	}
	return changed
}

func (s *Server) updatePlan(ctx context.Context, c *httpkit.Call, in *updatePlanInput) (*httpkit.Reply[Plan], error) {
	if in.Body.Metadata != nil {
		if err := in.Body.Metadata.check(); err != nil {
			return nil, err
		}
	}
	return httpkit.Create(ctx, s.kit, c, http.StatusOK, httpkit.Directly(func(tx *db.Tx) (httpkit.Made[Plan], error) {
		p, err := tx.LockPlan(ctx, c.EnvironmentID, in.ID)
		if err != nil {
			return httpkit.Made[Plan]{}, err
		}
		changed := in.Body.apply(&p)
		if len(changed) == 0 {
			return httpkit.Made[Plan]{Resource: renderPlan(p)}, nil
		}
		if err := tx.SavePlan(ctx, c.EnvironmentID, p); err != nil {
			return httpkit.Made[Plan]{}, err
		}
		return httpkit.Made[Plan]{Resource: renderPlan(p)}, tx.Emit(ctx, c.EnvironmentID, event.Event{
			Type: event.PlanUpdated, ObjectID: p.ID, Data: map[string]any{"id": p.ID, "changed": changed}, OccurredAt: s.now(),
		})
	}))
}

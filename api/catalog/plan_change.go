package catalog

import (
	"context"
	"net/http"
	"strings"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/db"
	"perennial/service/catalog"
)

type updatePlanInput struct {
	httpkit.ByID
	Body PlanChange
}

// PlanChange changes the fields that are sent and leaves the others. It cannot change what was sold to subscriptions.
type PlanChange struct {
	Active    *bool          `json:"active,omitempty" doc:"false: archives the plan. true: publishes it again."`
	Name      *string        `json:"name,omitempty" minLength:"1" maxLength:"200" example:"Pro, monthly" doc:"New invoices show this name."`
	ProductID *string        `json:"productId,omitempty" example:"prod_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The product that the plan belongs to, with whose tax category it is billed from now on. Empty: none."`
	Metadata  *view.Metadata `json:"metadata,omitempty" maxProperties:"50" doc:"Replaces all metadata."`
	Features  []Feature      `json:"features,omitempty" maxItems:"100" doc:"Replaces all features, at once for all who are subscribed to the plan. An empty list: none."`
	Dunning   *view.Dunning  `json:"dunning,omitempty" doc:"Replaces the plan's whole dunning policy."`
	Measure   string         `json:"prorationMeasure,omitempty" enum:"environment,second,day,day_inclusive,fixed_30" doc:"Counts for periods that begin from now on; a period that has begun keeps its measure. environment: as the environment's settings say."`
	// A null could say so too, but is refused everywhere: a client that sends it has usually lost a value.
	RemoveDunning bool `json:"removeDunning,omitempty" doc:"true: removes the plan's dunning policy, so that the environment's counts. Send this or dunning."`
}

// dunning returns the change of the plan's policy; nil: there is none.
func (c PlanChange) dunning() (*catalog.PlanDunning, error) {
	switch {
	case c.RemoveDunning && c.Dunning != nil:
		return nil, fault.InvalidParam("removeDunning", "fields_exclusive",
			"Send `dunning` or `removeDunning`, not both.")
	case c.RemoveDunning:
		return &catalog.PlanDunning{}, nil
	case c.Dunning == nil:
		return nil, nil
	}
	policy, err := c.Dunning.Policy()
	return &catalog.PlanDunning{Policy: &policy}, err
}

func (h *Handler) updatePlan(ctx context.Context, c *httpkit.Call, in *updatePlanInput) (*httpkit.Reply[Plan], error) {
	update := catalog.PlanUpdate{
		Active: in.Body.Active, Name: in.Body.Name, ProductID: in.Body.ProductID,
		Metadata: (*metadata.Pairs)(in.Body.Metadata),
	}
	if m := in.Body.Measure; m != "" {
		measure := proration.Measure(strings.TrimSuffix(m, "environment")) // none of its own
		update.ProrationMeasure = &measure
	}
	if in.Body.Features != nil {
		features := featuresOf(in.Body.Features)
		update.Features = &features
	}
	var err error
	if update.Dunning, err = in.Body.dunning(); err != nil {
		return nil, err
	}
	return httpkit.Create(ctx, h.kit, c, http.StatusOK, madePlan, func(keep func(*db.Tx, plan.Plan) error) error {
		_, err := h.service.UpdatePlan(ctx, usecase.Caller(c), in.ID, update, keep)
		return err
	})
}

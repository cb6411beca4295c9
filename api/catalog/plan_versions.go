package catalog

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/fault"
	"perennial/billing/plan"
	"perennial/db"
	"perennial/service/catalog"
)

type createPlanVersionInput struct {
	httpkit.ByID
	Body PlanVersionForm
}

// PlanVersionForm has the fields of a new version of a plan; absent ones stay as they are.
type PlanVersionForm struct {
	Amount        *int64             `json:"amount,omitempty" minimum:"0" maximum:"999999999999" example:"2400" doc:"The price in minor units, for a plan with one flat price that is sold in one currency. Send amount or prices."`
	Prices        []PriceForm        `json:"prices,omitempty" minItems:"1" maxItems:"20" doc:"All prices of the new version, with all their currencies. Default: those of the current version."`
	MeteredPrices []MeteredPriceForm `json:"meteredPrices,omitempty" maxItems:"20" doc:"All metered prices of the new version; their metrics count in the version that counts now. An empty list: none, and no commitment. Default: those of the current version."`
	Commitment    *Commitment        `json:"commitment,omitempty" doc:"The least that the metered prices cost together in a period; an amount of 0: none. Default: that of the current version."`
	Minimum       *Minimum           `json:"minimum,omitempty" doc:"The least that all lines of a period come to together; an amount of 0: none. Default: that of the current version."`
	// UsageThresholds are nil where they stay.
	UsageThresholds []view.UsageThreshold `json:"usageThresholds,omitempty" maxItems:"20" doc:"All usage thresholds of the new version. An empty list: none. Default: those of the current version."`

	TrialDays *int   `json:"trialDays,omitempty" minimum:"0" maximum:"730" example:"14" doc:"The default number of trial days of new subscriptions. Default: that of the current version."`
	TrialEnd  string `json:"trialEndBehavior,omitempty" enum:"invoice,cancel,pause" example:"pause" doc:"What happens at the end of a trial where the customer has no payment method then. Default: as in the current version."`
}

// empty reports whether the form says nothing.
func (f PlanVersionForm) empty() bool {
	usage := f.MeteredPrices != nil || f.Commitment != nil || f.Minimum != nil || f.UsageThresholds != nil
	return f.Amount == nil && len(f.Prices) == 0 && !usage && f.TrialDays == nil && f.TrialEnd == ""
}

func (h *Handler) createPlanVersion(
	ctx context.Context, c *httpkit.Call, in *createPlanVersionInput,
) (*httpkit.Reply[Plan], error) {
	if in.Body.empty() {
		return nil, fault.InvalidParam("prices", "field_missing",
			"The version changes nothing. Send `amount`, `prices`, `meteredPrices`, `commitment`, `minimum`, "+
				"`usageThresholds`, `trialDays` or `trialEndBehavior`.")
	}
	currency := httpkit.Resource[plan.Plan](c).Currency
	prices, warnings, err := pricesOf(in.Body.Amount, in.Body.Prices, currency)
	if err != nil {
		return nil, err
	}
	usage, err := meteredOf(afterPeriod{in.Body.MeteredPrices, in.Body.Commitment, in.Body.Minimum}, currency)
	if err != nil {
		return nil, err
	}
	if usage.Thresholds, err = view.Thresholds(in.Body.UsageThresholds); err != nil {
		return nil, err
	}
	version := catalog.NewPlanVersion{
		Prices: prices, ByAmount: in.Body.Amount != nil, TrialDays: in.Body.TrialDays,
		TrialEnd: plan.TrialEnd(in.Body.TrialEnd),
		Metered:  usage,
	}
	return httpkit.Create(ctx, h.kit, c, http.StatusCreated, warnedPlan(warnings),
		func(keep func(*db.Tx, plan.Plan) error) error {
			_, err := h.service.CreatePlanVersion(ctx, usecase.Caller(c), in.ID, version, keep)
			return err
		})
}

func (h *Handler) listPlanVersions(
	ctx context.Context, c *httpkit.Call, in *httpkit.ByID,
) (*httpkit.Reply[httpkit.List[Plan]], error) {
	plans, err := h.store.Catalog.PlanVersions(ctx, c.EnvironmentID, in.ID)
	return httpkit.ListOf(plans, false, err, renderPlan)
}

// planVersionOperations has the operations of /plans/{id}/versions. example is the plan's first version.
func (h *Handler) planVersionOperations(example Plan, load httpkit.Loader) {
	h.planMigrationOperation(load)
	example.Metadata = view.Metadata{}
	second := example
	second.Version, second.Amount = 2, 2400
	second.Prices = []Price{{
		ID: "price_01jcz6f0x3v8r5t2m9k4h7q1wz", Amount: 2400, PriceModel: PriceModel{Model: "flat"},
	}}
	amount := int64(2400)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "createPlanVersion", Method: http.MethodPost, Path: "/plans/{id}/versions", Tag: "Plans",
		Summary: "Create a version of a plan",
		Description: "New subscriptions get the new version from now on. Subscriptions that are on the plan keep the " +
			"version that they were sold, as do changes to the plan that are scheduled, until they are migrated. " +
			"Currency and interval stay the plan's; what prices in further currencies it has is part of the version. A version with the prices and the trial of the current one is " +
			"refused with 409 plan_version_unchanged.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Load: load, Response: second,
		Request: PlanVersionForm{Amount: &amount},
	}, h.createPlanVersion)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listPlanVersions", Method: http.MethodGet, Path: "/plans/{id}/versions", Tag: "Plans",
		Summary:     "List the versions of a plan",
		Description: "All versions, the newest first; a plan has at most 100.",
		Status:      http.StatusOK, Access: httpkit.ReadAccess, Load: load,
		Response: httpkit.List[Plan]{Data: []Plan{second, example}},
	}, h.listPlanVersions)
}

package catalog

import (
	"cmp"
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/db"
	"perennial/internal/id"
)

// Plan is one version of a plan; its prices never change.
type Plan struct {
	PublicPlan
	// UsageThresholds are of the metered prices; a price list does not show them.
	UsageThresholds []view.UsageThreshold `json:"usageThresholds,omitempty" doc:"Extents of a period's usage that are announced when it reaches them, each once for each period (event usage.threshold_reached), and billed at once if wanted. A subscription may have others. Absent: none."`

	CatalogKey string         `json:"catalogKey,omitempty" example:"pro-monthly" doc:"The plan's key in the catalogue file that describes it."`
	Dunning    *view.Dunning  `json:"dunning,omitempty" doc:"What is done about unpaid invoices of the plan's subscriptions. Absent: what the environment's settings say."`
	Measure    string         `json:"prorationMeasure,omitempty" enum:"second,day,day_inclusive,fixed_30" doc:"How a period is divided when a change within it is prorated. Absent: as the environment's settings say."`
	Metadata   view.Metadata  `json:"metadata"`
	Warnings   []view.Warning `json:"warnings,omitempty" doc:"In the answer to the request alone: what it should send otherwise."`
}

// PublicPlan is the part of a plan that a publishable key may see, for price lists.
type PublicPlan struct {
	ID            string   `json:"id" example:"plan_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Kind          string   `json:"kind" enum:"plan,add_on" example:"plan" doc:"add_on: it is sold beside the plan of a subscription, never by itself."`
	ProductID     string   `json:"productId,omitempty" example:"prod_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The product that the plan belongs to."`
	Version       int      `json:"version" example:"1" doc:"Counts from 1. New subscribers get the newest version; a subscription keeps the version that it was sold."`
	Name          string   `json:"name" example:"Pro, monthly"`
	Currency      string   `json:"currency" example:"USD" doc:"ISO 4217."`
	Currencies    []string `json:"currencies" doc:"All currencies that the plan is sold in: its own, and those that its prices have amounts in."`
	Interval      string   `json:"interval" enum:"day,week,month,year" example:"month"`
	IntervalCount int      `json:"intervalCount" example:"1" doc:"The number of intervals in one period."`
	Amount        int64    `json:"amount" example:"1900" doc:"Price of one period in minor units of the currency: the sum of the prices that every period has, each for one unit."`
	Prices        []Price  `json:"prices"`
	// MeteredPrices and Commitment are in a file of their own.
	MeteredPrices []MeteredPrice `json:"meteredPrices,omitempty" doc:"What usage costs beside the prices, after each period. Absent: nothing."`
	Commitment    *Commitment    `json:"commitment,omitempty" doc:"The least that the metered prices cost together in a period. Absent: nothing."`
	Minimum       *Minimum       `json:"minimum,omitempty" doc:"The least that all lines of a period come to together. Absent: nothing."`
	Features      []Feature      `json:"features,omitempty" doc:"What subscribers may use. Absent: nothing is said."`
	TrialDays     int            `json:"trialDays" example:"14" doc:"The default number of trial days of new subscriptions. 0: no trial."`
	TrialEnd      string         `json:"trialEndBehavior" enum:"invoice,cancel,pause" example:"invoice" doc:"What happens at the end of a trial where the customer has no payment method then. invoice: the first period begins, and its invoice is unpaid. cancel: the subscription is canceled. pause: it is paused until a payment method is added or it is resumed."`
	Active        bool           `json:"active" doc:"Whether the plan accepts new subscriptions."`
	CreatedAt     int64          `json:"createdAt" example:"1763640000" doc:"Unix seconds."`
}

// The kinds of plans.
const (
	planKind  = "plan"
	addOnKind = "add_on"
)

func planKindOf(p plan.Plan) string {
	if p.AddOn {
		return addOnKind
	}
	return planKind
}

func renderPlan(p plan.Plan) Plan {
	out := Plan{PublicPlan: renderPublicPlan(p), CatalogKey: p.Key, Metadata: view.RenderMetadata(p.Metadata),
		Measure: string(p.ProrationMeasure)}
	if p.Dunning != nil {
		policy := view.RenderDunning(*p.Dunning)
		out.Dunning = &policy
	}
	if p.Metered != nil {
		out.UsageThresholds = view.RenderThresholds(p.Metered.Thresholds)
	}
	return out
}

func renderPublicPlan(p plan.Plan) PublicPlan {
	prices := make([]Price, len(p.Prices))
	for i, price := range p.Prices {
		prices[i] = renderPrice(price, p.Currency)
	}
	total, _ := p.Total(1) // checked when the plan was created
	metered, commitment := renderMetered(p.Metered, p.Currency)
	return PublicPlan{
		ID: p.ID, Kind: planKindOf(p), ProductID: p.ProductID, Version: p.Version, Name: p.Name, Currency: string(p.Currency),
		Currencies: codesOf(p), Interval: string(p.Interval.Unit),
		IntervalCount: p.Interval.Count, Amount: int64(total), Prices: prices,
		MeteredPrices: metered, Commitment: commitment, Minimum: renderMinimum(p.Metered),
		Features: renderFeatures(p.Features), TrialDays: p.TrialDays,
		TrialEnd: string(cmp.Or(p.TrialEnd, plan.TrialEndInvoice)),
		Active:   p.Active, CreatedAt: view.Unix(p.CreatedAt),
	}
}

type createPlanInput struct {
	Body PlanForm
}

// PlanForm creates a plan.
type PlanForm struct {
	PlanTerms
	ProductID string `json:"productId,omitempty" example:"prod_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The product that the plan belongs to, with whose tax category it is billed. Default: none."`
}

// PlanTerms are the fields of a plan that are the same in every environment: with prices, or with amount as the one
// flat price. IntervalCount and Amount are pointers because 0 is not the same as absent: an interval of 0 is refused,
// and an amount of 0 makes a free plan.
type PlanTerms struct {
	Name          string             `json:"name" minLength:"1" maxLength:"200" example:"Pro, monthly" doc:"Customers see it on invoices."`
	Kind          string             `json:"kind,omitempty" enum:"plan,add_on" example:"plan" doc:"add_on: it is sold beside plans in their currencies, with an interval that goes with theirs, and has no trial, fees, dunning policy or measure of its own. Default: plan."`
	Currency      string             `json:"currency" example:"USD" doc:"ISO 4217, uppercase. The plan is sold in those that its prices have currencies for as well."`
	Interval      string             `json:"interval" enum:"day,week,month,year" example:"month"`
	IntervalCount *int               `json:"intervalCount,omitempty" minimum:"1" maximum:"3650" example:"1" doc:"The number of intervals in one period, at most ten years. Default: 1."`
	Amount        *int64             `json:"amount,omitempty" minimum:"0" maximum:"999999999999" example:"1900" doc:"The price in minor units, for a plan with one flat price. Send amount or prices."`
	Prices        []PriceForm        `json:"prices,omitempty" minItems:"1" maxItems:"20"`
	MeteredPrices []MeteredPriceForm `json:"meteredPrices,omitempty" minItems:"1" maxItems:"20" doc:"What usage costs beside the prices, after each period."`
	Commitment    *Commitment        `json:"commitment,omitempty" doc:"The least that the metered prices cost together in a period."`
	Minimum       *Minimum           `json:"minimum,omitempty" doc:"The least that all lines of a period come to together."`
	// UsageThresholds are of the metered prices.
	UsageThresholds []view.UsageThreshold `json:"usageThresholds,omitempty" minItems:"1" maxItems:"20" doc:"Extents of a period's usage that are announced when it reaches them, each once for each period (event usage.threshold_reached), and billed at once if wanted. A subscription may have others. Default: none."`

	Features  []Feature     `json:"features,omitempty" minItems:"1" maxItems:"100" doc:"What subscribers may use, in every version of the plan. Default: nothing is said."`
	TrialDays int           `json:"trialDays,omitempty" minimum:"0" maximum:"730" example:"14"`
	TrialEnd  string        `json:"trialEndBehavior,omitempty" enum:"invoice,cancel,pause" example:"pause" doc:"What happens at the end of a trial where the customer has no payment method then, and the next period costs something. Default: invoice."`
	Dunning   *view.Dunning `json:"dunning,omitempty" doc:"A dunning policy of its own. Default: that of the environment's settings."`
	Measure   string        `json:"prorationMeasure,omitempty" enum:"second,day,day_inclusive,fixed_30" example:"day" doc:"A measure of proration of its own. Default: that of the environment's settings."`
	Metadata  view.Metadata `json:"metadata,omitempty" maxProperties:"50"`
}

// plan returns the plan of the form.
func (f PlanForm) plan() (plan.Plan, []view.Warning, error) {
	p, warnings, err := f.PlanTerms.plan()
	p.ProductID = f.ProductID
	return p, warnings, err
}

// plan returns the plan of the terms.
func (f PlanTerms) plan() (plan.Plan, []view.Warning, error) {
	// No price is refused although a free plan is allowed: amount 0 says so, and a forgotten field does not.
	if f.Amount == nil && len(f.Prices) == 0 {
		return plan.Plan{}, nil, fault.InvalidParam("prices", "prices_missing",
			"The plan has no price. Send `amount`, for one flat price, or `prices`.")
	}
	prices, warnings, err := pricesOf(f.Amount, f.Prices, money.Currency(f.Currency))
	if err != nil {
		return plan.Plan{}, nil, err
	}
	usage, err := meteredOf(afterPeriod{f.MeteredPrices, f.Commitment, f.Minimum}, money.Currency(f.Currency))
	if err != nil {
		return plan.Plan{}, nil, err
	}
	if usage.Thresholds, err = view.Thresholds(f.UsageThresholds); err != nil {
		return plan.Plan{}, nil, err
	}
	p := plan.Plan{
		Prices: prices, Metered: usage.Of(nil), Features: featuresOf(f.Features),
		Name: f.Name, Currency: money.Currency(f.Currency), AddOn: f.Kind == addOnKind,
		Interval:  period.Interval{Unit: period.Unit(f.Interval), Count: 1},
		TrialDays: f.TrialDays, TrialEnd: plan.TrialEnd(f.TrialEnd), Metadata: metadata.Pairs(f.Metadata),
		ProrationMeasure: proration.Measure(f.Measure),
	}
	if f.IntervalCount != nil {
		p.Interval.Count = *f.IntervalCount
	}
	if f.Dunning != nil {
		policy, err := f.Dunning.Policy()
		if err != nil {
			return plan.Plan{}, nil, err
		}
		p.Dunning = &policy
	}
	return p, warnings, nil
}

// madePlan names no customer: plans hold nothing personal, so the answer outlives every erasure.
func madePlan(p plan.Plan) httpkit.Made[Plan] { return httpkit.Made[Plan]{Resource: renderPlan(p)} }

// warnedPlan is madePlan with warnings about a request that was performed nevertheless.
func warnedPlan(of []view.Warning) func(plan.Plan) httpkit.Made[Plan] {
	return func(p plan.Plan) httpkit.Made[Plan] {
		made := madePlan(p)
		made.Resource.Warnings = of
		return made
	}
}

func (h *Handler) createPlan(ctx context.Context, c *httpkit.Call, in *createPlanInput) (*httpkit.Reply[Plan], error) {
	form, warnings, err := in.Body.plan()
	if err != nil {
		return nil, err
	}
	return httpkit.Create(ctx, h.kit, c, http.StatusCreated, warnedPlan(warnings),
		func(keep func(*db.Tx, plan.Plan) error) error {
			_, err := h.service.CreatePlan(ctx, usecase.Caller(c), form, keep)
			return err
		})
}

func (h *Handler) getPlan(_ context.Context, c *httpkit.Call, _ *httpkit.ByID) (*httpkit.Reply[Plan], error) {
	return httpkit.OK(renderPlan(httpkit.Resource[plan.Plan](c))), nil
}

type listPlansInput struct {
	httpkit.Page
	Active    string `query:"active" enum:"true,false" doc:"true: only active plans. false: only archived plans. A publishable key always gets active plans."`
	ProductID string `query:"productId" doc:"Only the plans of this product."`
	Kind      string `query:"kind" enum:"plan,add_on" doc:"Only plans, or only add-ons. Default: both."`
}

func (h *Handler) listPlans(
	ctx context.Context, c *httpkit.Call, in *listPlansInput,
) (*httpkit.Reply[httpkit.List[Plan]], error) {
	page, err := in.DB(id.Plan)
	if err != nil {
		return nil, err
	}
	public := c.Publishable
	// A publishable key never sees archived plans. An empty list would say that there are none.
	if public && in.Active == "false" {
		return nil, httpkit.ErrSecretKeyRequired.In("active")
	}
	// Active is nil for both kinds; a pointer, since false is a filter as well.
	filter := db.PlanFilter{ProductID: in.ProductID}
	if public || in.Active != "" {
		active := in.Active != "false"
		filter.Active = &active
	}
	if in.Kind != "" {
		addOns := in.Kind == addOnKind
		filter.AddOn = &addOns
	}
	rows, more, err := h.store.Catalog.Plans(ctx, c.EnvironmentID, filter, page)
	if public {
		return httpkit.Trimmed[httpkit.List[Plan]](httpkit.ListOf(rows, more, err, renderPublicPlan))
	}
	return httpkit.ListOf(rows, more, err, renderPlan)
}

// planOperations has no deletion: subscriptions and invoices name their plan for as long as they are kept. A plan is
// archived.
func (h *Handler) planOperations() {
	public := PublicPlan{
		ID: "plan_01jcz6dyqx4w9s1c2k7v5h8m3n", Kind: planKind, Version: 1, Name: "Pro, monthly", Currency: "USD",
		Currencies: []string{"USD"}, Interval: "month",
		IntervalCount: 1, Amount: 1900,
		Prices: []Price{{ID: "price_01jcz6dyqx4w9s1c2k7v5h8m3n", Amount: 1900,
			PriceModel: PriceModel{Model: "flat"}}}, TrialDays: 14,
		TrialEnd: "invoice", Active: true, CreatedAt: 1763640000,
	}
	example := Plan{PublicPlan: public, Metadata: view.Metadata{"tier": 2}}
	retired := example
	retired.Active = false
	load := httpkit.LoadByID(h.kit, id.Plan, db.ErrPlanNotFound, h.store.Catalog.PlanWithKey)
	amount := int64(1900)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "createPlan", Method: http.MethodPost, Path: "/plans", Tag: "Plans", Summary: "Create a plan",
		Description: "A plan has a currency and an interval, which never change, and one or more prices, which may have amounts in " +
			"further currencies: subscriptions are then sold in any of them. For new prices or currencies, create a version of the plan. With kind: add_on, subscriptions have it beside their plan, as addOns.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Response: example,
		Request: PlanForm{PlanTerms: PlanTerms{
			Name: "Pro, monthly", Currency: "USD", Interval: "month", Amount: &amount, TrialDays: 14, Metadata: example.Metadata,
		}},
	}, h.createPlan)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getPlan", Method: http.MethodGet, Path: "/plans/{id}", Tag: "Plans", Summary: "Get a plan",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Load: load, Response: example,
	}, h.getPlan)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listPlans", Method: http.MethodGet, Path: "/plans", Tag: "Plans", Summary: "List plans",
		Description: "Also available to publishable keys, from any web page, with active plans only and without metadata.",
		Status:      http.StatusOK, Access: httpkit.Access{Scopes: []string{"read"}, Publishable: true},
		Response: httpkit.List[Plan]{Data: []Plan{example}},
		Publicly: httpkit.List[PublicPlan]{Data: []PublicPlan{public}},
	}, h.listPlans)
	h.planVersionOperations(example, load)
	off := false
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "updatePlan", Method: http.MethodPatch, Path: "/plans/{id}", Tag: "Plans",
		Summary: "Update or archive a plan",
		Description: "active: false archives the plan. A new subscription or a change to the plan is then refused " +
			"with 409 plan_inactive. Subscriptions that are on the plan, or change to it at the end of their " +
			"period, are not affected. For other prices, further currencies or another trial, create a version of the plan; for " +
			"another interval or currency of its own, create a new plan.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Load: load, Request: PlanChange{Active: &off},
		Response: retired,
	}, h.updatePlan)
}

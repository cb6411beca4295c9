package subscriptions

import (
	"context"
	"time"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/metadata"
	"perennial/billing/subscription"
	"perennial/billing/terms"
	"perennial/service/subscriptions"
)

type updateSubscriptionInput struct {
	httpkit.ByID
	Body SubscriptionChange
}

// SubscriptionChange changes the plan, the quantity, the add-ons, or several of these; or the version of the plan.
type SubscriptionChange struct {
	PlanChoice
	TrialEndsAt *int64       `json:"trialEndsAt,omitempty" example:"1765454400" doc:"The new end of the trial, in Unix seconds: later, earlier, or now, which begins the first period. Send this alone, or with metadata."`
	Method      *string      `json:"collectionMethod,omitempty" enum:"charge_automatically,send_invoice" doc:"How the invoices that it issues from now on are collected. Send this alone, or with netDays and metadata."`
	MethodID    *string      `json:"paymentMethodId,omitempty" maxLength:"64" example:"pm_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The customer's payment method that charges from now on use, at once for an invoice in collection. Empty: the customer's default. Send this alone, or with metadata."`
	NetDays     *int         `json:"netDays,omitempty" minimum:"0" maximum:"365" doc:"With send_invoice: the days after its issue within which an invoice has to be paid."`
	Anchor      AnchorChoice `json:"billingAnchor,omitempty" doc:"now, or a date in the future, in Unix seconds: then the current period ends and another one begins, from which all later ones are counted. Its unused time is credited and the new period is billed, at once, unless prorationBehavior is none: then nothing is credited. scheduledChanges lists a date; where a period begins then anyway, nothing is prorated. Send this alone, or with prorationBehavior and metadata."`
	// The subscription's own thresholds, or again those of the plan.
	Thresholds     *[]view.UsageThreshold `json:"usageThresholds,omitempty" maxItems:"20" doc:"Usage thresholds of its own, in place of those of its plan. Empty: none. Send this alone, or with metadata."`
	PlanThresholds bool                   `json:"planUsageThresholds,omitempty" doc:"true: the usage thresholds of its plan count again. Send this alone, or with metadata."`

	Metadata *view.Metadata `json:"metadata,omitempty" maxProperties:"50" doc:"Replaces all metadata, alone or with any other change: both are made, or neither."`
	Version  *int           `json:"planVersion,omitempty" minimum:"1" maximum:"100" example:"2" doc:"The version of its plan that the subscription moves to. Send this alone, or with effective, paymentBehavior and metadata."`
	PreviewTokenForm
}

// PlanChoice has the plan, quantity and add-ons of a change.
type PlanChoice struct {
	PlanID      string       `json:"planId,omitempty" maxLength:"64" example:"plan_01jcz6f0x3v8r5t2m9k4h7q1wz" doc:"The new plan. Default: it stays."`
	Quantity    *int64       `json:"quantity,omitempty" minimum:"1" maximum:"1000000000" example:"5" doc:"The new quantity, such as seats. Flat prices ignore it. Default: it stays."`
	AddOns      *[]AddOnForm `json:"addOns,omitempty" maxItems:"20" doc:"All add-ons from then on. Empty: none. Default: they stay."`
	EffectiveAt *int64       `json:"effectiveAt,omitempty" example:"1767225600" doc:"A date in the future, in Unix seconds, at which the change is made. Send this or effective."`
	Effective   string       `json:"effective,omitempty" enum:"now,period_end" example:"now" doc:"now, with proration (the default), or period_end."`
	Behavior    string       `json:"paymentBehavior,omitempty" enum:"activate,pending,error" example:"pending" doc:"What becomes of a change now that costs something until its invoice is paid. activate (the default): it is made; access follows once it is paid. pending: it waits as pendingChange, is made as billed once the invoice is paid, and is withdrawn with the invoice after 23 hours, or sooner at the next period or scheduled change. error: as pending, with one attempt that the request waits for (30 seconds, or those of Prefer: wait): if it fails, or asks the payer to confirm it, plan, items and access are as they were, and the answer is 402: the void invoice, its payment and their events exist; if the provider stays silent, 202 with pendingChange. A change that costs nothing, or gives something back, is made at once."`
	Proration   string       `json:"prorationBehavior,omitempty" enum:"always_invoice,create,none" example:"create" doc:"What becomes of the proration of a change now. always_invoice (the default): an invoice at once. create: its lines wait for the next invoice as pendingLines, unless the current period is unpaid. none: the current period stays billed as it is. A change of interval is always invoiced at once."`
}

func (c PlanChoice) change() (subscriptions.PlanChange, error) {
	if c.PlanID == "" && c.Quantity == nil && c.AddOns == nil {
		return subscriptions.PlanChange{}, fault.InvalidParam("planId", "field_missing",
			"The request changes nothing. Send `planId`, `quantity` or `addOns`.")
	}
	if c.Proration != "" && c.Effective == "period_end" {
		return subscriptions.PlanChange{}, fault.InvalidParam("prorationBehavior", "fields_exclusive",
			"A change at the end of the period has no proration. Send `prorationBehavior` or `effective: \"period_end\"`.")
	}
	if c.EffectiveAt != nil && c.Effective != "" {
		return subscriptions.PlanChange{}, fault.InvalidParam("effectiveAt", "fields_exclusive",
			"Send `effectiveAt`, for a change at a date, or `effective`.")
	}
	change := subscriptions.PlanChange{
		PlanID: c.PlanID, Quantity: view.Given(c.Quantity), AtPeriodEnd: c.Effective == "period_end",
		Proration: subscription.ProrationBehavior(c.Proration), Behavior: subscription.PaymentBehavior(c.Behavior),
	}
	if c.EffectiveAt != nil {
		change.On = time.Unix(*c.EffectiveAt, 0).UTC()
	}
	if c.AddOns != nil {
		addOns := addOnChoices(*c.AddOns)
		change.AddOns = &addOns
	}
	return change, nil
}

// toVersion returns the move to another version of its plan.
func (c PlanChoice) toVersion(version int) lifecycle.Migrate {
	behavior := subscription.PaymentBehavior(c.Behavior)
	return lifecycle.Migrate{Version: version, AtPeriodEnd: c.Effective == "period_end", Behavior: behavior}
}

// change performs one change of a subscription, in its own transaction.
type change func(id string, around usecase.Around[usecase.Performed]) error

// updateSubscription makes the requested change. metadata may be sent with any other change: both are made, or neither.
func (h *Handler) updateSubscription(
	ctx context.Context, c *httpkit.Call, in *updateSubscriptionInput,
) (*httpkit.Reply[Subscription], error) {
	rest, answer := in.Body, h.onSubscription
	rest.Metadata = nil
	if in.Body.Behavior == string(subscription.AttemptOnce) {
		answer = h.onAttempt
	}
	if in.Body.Metadata == nil {
		perform, err := h.changeOf(ctx, c, rest)
		if err != nil {
			return nil, err
		}
		return answer(ctx, c, perform)
	}
	cmd := lifecycle.SetMetadata{Metadata: metadata.Pairs(*in.Body.Metadata)}
	if rest == (SubscriptionChange{}) {
		return h.command(ctx, c, cmd)
	}
	perform, err := h.changeOf(ctx, c, rest)
	if err != nil {
		return nil, err
	}
	return answer(ctx, c, func(id string, around usecase.Around[usecase.Performed]) error {
		return perform(id, usecase.Then(ctx, usecase.Caller(c), id, cmd, around))
	})
}

// changeOf returns the one requested change: plan, quantity and add-ons together, or a field that excludes all others.
func (h *Handler) changeOf(ctx context.Context, c *httpkit.Call, in SubscriptionChange) (change, error) {
	if in.PreviewToken != "" {
		return h.changeAsPreviewed(ctx, c, in)
	}
	switch {
	case in.TrialEndsAt != nil:
		return h.performing(ctx, c, endTrial(*in.TrialEndsAt)), alone(in, "trialEndsAt")
	case in.Method != nil || in.NetDays != nil:
		return h.setTerms(ctx, c, in)
	case in.MethodID != nil:
		return func(id string, around usecase.Around[usecase.Performed]) error {
			return h.service.SetPaymentMethod(ctx, usecase.Caller(c), id, *in.MethodID, around)
		}, alone(in, "paymentMethodId")
	case in.Anchor != "":
		return h.moveAnchor(ctx, c, in)
	case in.Thresholds != nil || in.PlanThresholds:
		return h.setThresholds(ctx, c, in)
	case in.Version != nil:
		return h.migrate(ctx, c, in)
	}
	to, err := in.change()
	if err != nil {
		return nil, err
	}
	return func(id string, around usecase.Around[usecase.Performed]) error {
		return h.service.ChangePlan(ctx, usecase.Caller(c), id, to, around)
	}, nil
}

// performing returns the change of a command whose only parameter is the subscription.
func (h *Handler) performing(ctx context.Context, c *httpkit.Call, cmd lifecycle.Command) change {
	return func(id string, around usecase.Around[usecase.Performed]) error {
		return h.service.Command(ctx, usecase.Caller(c), id, cmd, around)
	}
}

// migrate moves the subscription to another version of its plan.
func (h *Handler) migrate(ctx context.Context, c *httpkit.Call, in SubscriptionChange) (change, error) {
	return func(id string, around usecase.Around[usecase.Performed]) error {
		return h.service.Migrate(ctx, usecase.Caller(c), id, in.PlanChoice.toVersion(*in.Version), around)
	}, alone(in, "planVersion", "effective", "paymentBehavior")
}

// setTerms bills nothing, and applies to the next invoices.
func (h *Handler) setTerms(ctx context.Context, c *httpkit.Call, in SubscriptionChange) (change, error) {
	if err := alone(in, "collectionMethod", "netDays"); err != nil {
		return nil, err
	}
	cmd := lifecycle.SetTerms{Method: (*terms.Method)(in.Method), NetDays: in.NetDays}
	return func(id string, around usecase.Around[usecase.Performed]) error {
		return h.service.SetTerms(ctx, usecase.Caller(c), id, cmd, around)
	}, nil
}

// setThresholds bills nothing itself.
func (h *Handler) setThresholds(ctx context.Context, c *httpkit.Call, in SubscriptionChange) (change, error) {
	own := "usageThresholds"
	if in.Thresholds == nil {
		own = "planUsageThresholds"
	}
	if err := alone(in, own); err != nil {
		return nil, err
	}
	cmd := lifecycle.SetUsageThresholds{}
	if in.Thresholds != nil {
		all, err := view.Thresholds(*in.Thresholds)
		if err != nil {
			return nil, err
		}
		to := append(subscription.UsageThresholds{}, all...)
		cmd.To = &to
	}
	return h.performing(ctx, c, cmd), nil
}

func (h *Handler) moveAnchor(ctx context.Context, c *httpkit.Call, in SubscriptionChange) (change, error) {
	if err := alone(in, "billingAnchor", "prorationBehavior"); err != nil {
		return nil, err
	}
	cmd, err := in.Anchor.command(in.PlanChoice)
	return h.performing(ctx, c, cmd), err
}

func endTrial(at int64) lifecycle.EndTrial { return lifecycle.EndTrial{At: time.Unix(at, 0).UTC()} }

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
	TrialEndsAt *int64  `json:"trialEndsAt,omitempty" example:"1765454400" doc:"The new end of the trial, in Unix seconds: later, earlier, or now, which begins the first period. Send this alone."`
	Method      *string `json:"collectionMethod,omitempty" enum:"charge_automatically,send_invoice" doc:"How the invoices that it issues from now on are collected. Send this alone, or with netDays."`
	NetDays     *int    `json:"netDays,omitempty" minimum:"0" maximum:"365" doc:"With send_invoice: the days after its issue within which an invoice has to be paid."`
	Anchor      string  `json:"billingAnchor,omitempty" enum:"now" example:"now" doc:"now: ends the current period and begins another one from which all later ones are counted. Its unused time is credited and the new period is billed, at once, unless prorationBehavior is none: then nothing is credited. Send this alone, or with prorationBehavior."`
	// The subscription's own thresholds, or again those of the plan.
	Thresholds     *[]view.UsageThreshold `json:"usageThresholds,omitempty" maxItems:"20" doc:"Usage thresholds of its own, in place of those of its plan. Empty: none. Send this alone."`
	PlanThresholds bool                   `json:"planUsageThresholds,omitempty" doc:"true: the usage thresholds of its plan count again. Send this alone."`

	Metadata     *view.Metadata `json:"metadata,omitempty" maxProperties:"50" doc:"Replaces all metadata. Send this alone."`
	Version      *int           `json:"planVersion,omitempty" minimum:"1" maximum:"100" example:"2" doc:"The version of its plan that the subscription moves to. Send this alone, with effective."`
	PreviewToken string         `json:"previewToken,omitempty" maxLength:"100" doc:"Makes the change only at the cost that a preview of the same change showed."`
}

// PlanChoice has the plan, quantity and add-ons of a change.
type PlanChoice struct {
	PlanID      string       `json:"planId,omitempty" maxLength:"64" example:"plan_01jcz6f0x3v8r5t2m9k4h7q1wz" doc:"The new plan. Default: it stays."`
	Quantity    *int64       `json:"quantity,omitempty" minimum:"1" maximum:"1000000000" example:"5" doc:"The new quantity, such as seats. Flat prices ignore it. Default: it stays."`
	AddOns      *[]AddOnForm `json:"addOns,omitempty" maxItems:"20" doc:"All add-ons from then on. Empty: none. Default: they stay."`
	EffectiveAt *int64       `json:"effectiveAt,omitempty" example:"1767225600" doc:"A date in the future, in Unix seconds, at which the change is made. Send this or effective."`
	Effective   string       `json:"effective,omitempty" enum:"now,period_end" example:"now" doc:"now, with proration (the default), or period_end."`
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
		Proration: subscription.ProrationBehavior(c.Proration),
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

// updateSubscription is not a plain command: service must load the new plan in the same transaction, since a
// subscription's State does not have it.
func (h *Handler) updateSubscription(
	ctx context.Context, c *httpkit.Call, in *updateSubscriptionInput,
) (*httpkit.Reply[Subscription], error) {
	if in.Body.TrialEndsAt != nil {
		return h.moveTrialEnd(ctx, c, in.Body)
	}
	if in.Body.Method != nil || in.Body.NetDays != nil {
		return h.setTerms(ctx, c, in.Body)
	}
	if in.Body.Anchor != "" {
		return h.moveAnchor(ctx, c, in.Body)
	}
	if in.Body.Metadata != nil {
		return h.replaceMetadata(ctx, c, in.Body)
	}
	if in.Body.Thresholds != nil || in.Body.PlanThresholds {
		return h.setThresholds(ctx, c, in.Body)
	}
	if in.Body.Version != nil {
		alone := SubscriptionChange{PlanChoice: PlanChoice{Effective: in.Body.Effective}, Version: in.Body.Version}
		if in.Body != alone {
			return nil, fault.InvalidParam("planVersion", "fields_exclusive",
				"Send `planVersion`, for another version of the same plan, without `planId`, `quantity`, `addOns`, "+
					"`effectiveAt`, `prorationBehavior` and `previewToken`.")
		}
		return h.onSubscription(ctx, c, func(id string, around usecase.Around[usecase.Performed]) error {
			return h.service.Migrate(ctx, usecase.Caller(c), id, *in.Body.Version,
				in.Body.Effective == "period_end", around)
		})
	}
	change, err := in.Body.change()
	if err != nil {
		return nil, err
	}
	return h.onSubscription(ctx, c, func(id string, around usecase.Around[usecase.Performed]) error {
		if token := in.Body.PreviewToken; token != "" {
			return h.service.ChangeAsPreviewed(ctx, usecase.Caller(c), id, token, change, around)
		}
		return h.service.ChangePlan(ctx, usecase.Caller(c), id, change, around)
	})
}

// moveTrialEnd is a separate command: it excludes all other fields.
func (h *Handler) moveTrialEnd(
	ctx context.Context, c *httpkit.Call, in SubscriptionChange,
) (*httpkit.Reply[Subscription], error) {
	alone := SubscriptionChange{TrialEndsAt: in.TrialEndsAt}
	if in != alone {
		return nil, fault.InvalidParam("trialEndsAt", "fields_exclusive", "Send `trialEndsAt` without other fields.")
	}
	return h.command(ctx, c, endTrial(*in.TrialEndsAt))
}

// setTerms is a separate command: it bills nothing, and applies to the next invoices.
func (h *Handler) setTerms(
	ctx context.Context, c *httpkit.Call, in SubscriptionChange,
) (*httpkit.Reply[Subscription], error) {
	alone := SubscriptionChange{Method: in.Method, NetDays: in.NetDays}
	if in != alone {
		return nil, fault.InvalidParam("collectionMethod", "fields_exclusive",
			"Send `collectionMethod` and `netDays` without other fields.")
	}
	cmd := lifecycle.SetTerms{Method: (*terms.Method)(in.Method), NetDays: in.NetDays}
	return h.onSubscription(ctx, c, func(id string, around usecase.Around[usecase.Performed]) error {
		return h.service.SetTerms(ctx, usecase.Caller(c), id, cmd, around)
	})
}

// setThresholds is a separate command: it bills nothing itself.
func (h *Handler) setThresholds(
	ctx context.Context, c *httpkit.Call, in SubscriptionChange,
) (*httpkit.Reply[Subscription], error) {
	own := SubscriptionChange{Thresholds: in.Thresholds}
	if in != own && in != (SubscriptionChange{PlanThresholds: true}) {
		return nil, fault.InvalidParam("usageThresholds", "fields_exclusive",
			"Send `usageThresholds` or `planUsageThresholds` without other fields.")
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
	return h.command(ctx, c, cmd)
}

// moveAnchor is a separate command: it excludes all other changes.
func (h *Handler) moveAnchor(
	ctx context.Context, c *httpkit.Call, in SubscriptionChange,
) (*httpkit.Reply[Subscription], error) {
	alone := SubscriptionChange{Anchor: in.Anchor, PlanChoice: PlanChoice{Proration: in.Proration}}
	if in != alone {
		return nil, errAnchorAlone
	}
	if subscription.ProrationBehavior(in.Proration) == subscription.NextInvoice {
		return nil, errAnchorInvoicesNow
	}
	return h.command(ctx, c, in.PlanChoice.moveAnchor())
}

var errAnchorInvoicesNow = fault.InvalidParam("prorationBehavior", "fields_exclusive",
	"The period that begins with `billingAnchor: \"now\"` is invoiced now. Send `always_invoice` or `none`.")

var errAnchorAlone = fault.InvalidParam("billingAnchor", "fields_exclusive",
	"Send `billingAnchor` without other fields than `prorationBehavior`.")

func (c PlanChoice) moveAnchor() lifecycle.MoveAnchor {
	return lifecycle.MoveAnchor{Proration: subscription.ProrationBehavior(c.Proration)}
}

// replaceMetadata is a separate command: it bills nothing, and changes nothing else.
func (h *Handler) replaceMetadata(
	ctx context.Context, c *httpkit.Call, in SubscriptionChange,
) (*httpkit.Reply[Subscription], error) {
	alone := SubscriptionChange{Metadata: in.Metadata}
	if in != alone {
		return nil, fault.InvalidParam("metadata", "fields_exclusive", "Send `metadata` without other fields.")
	}
	return h.command(ctx, c, lifecycle.SetMetadata{Metadata: metadata.Pairs(*in.Metadata)})
}

func endTrial(at int64) lifecycle.EndTrial { return lifecycle.EndTrial{At: time.Unix(at, 0).UTC()} }

package tenancy

import (
	"cmp"
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/invoice"
	"perennial/billing/proration"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/service/tenancy"
)

// Settings are the settings of the environment of the API key.
type Settings struct {
	TimeZone            string              `json:"timeZone" example:"Africa/Douala" doc:"The IANA time zone of new subscriptions. It is chosen with the environment."`
	PastDueBilling      string              `json:"pastDueBilling" enum:"skip,accrue" example:"skip" doc:"skip: periods that begin while a subscription is past due are not billed. accrue: they are."`
	RenewalReminderDays int                 `json:"renewalReminderDays" example:"1" doc:"How many days before a renewal that asks the payer, as mobile money does, subscription.renewal_reminder is sent. 0: it is not."`
	InvoiceGraceMinutes int                 `json:"invoiceGraceMinutes" example:"0" doc:"How many minutes the invoice of a renewal is a draft before it is finalized and charged. 0: it is issued at once."`
	InvoiceLinkDays     int                 `json:"invoiceLinkDays" example:"0" doc:"For how many days the hostedUrl of an invoice works once it is paid, void or uncollectible. 0: for ever."`
	InvoiceNumbers      InvoiceNumbers      `json:"invoiceNumbers" doc:"How the numbers of invoices are shown, as numberText."`
	ProrationMeasure    string              `json:"prorationMeasure" enum:"second,day,day_inclusive,fixed_30" example:"second" doc:"How a period is divided when a change within it is prorated, of plans without a measure of their own. day: local calendar days. day_inclusive: as day, but the day on which a use ends is used to its end. fixed_30: as day, in months of 30 days."`
	Seller              *view.Seller        `json:"seller,omitempty" doc:"Who issues the invoices, as new ones show it. Absent: they show nobody."`
	Dunning             view.Dunning        `json:"dunning" doc:"What is done about unpaid invoices of plans without a policy of their own."`
	OverduePolicy       *view.OverduePolicy `json:"overduePolicy,omitempty" doc:"What follows from several unpaid invoices of a customer without a policy of their own. Absent: nothing."`
}

// InvoiceNumbers is the format of invoice numbers. The number itself is a count without gaps.
type InvoiceNumbers struct {
	Prefix string `json:"prefix" maxLength:"20" example:"ACME-" doc:"Letters, digits and / . _ -."`
	Digits int    `json:"digits" minimum:"0" maximum:"12" example:"6" doc:"The least number of digits, filled with zeros."`
}

// SettingsChange changes the fields that are sent and leaves the others.
type SettingsChange struct {
	PastDueBilling      *string             `json:"pastDueBilling,omitempty" enum:"skip,accrue" example:"skip"`
	RenewalReminderDays *int                `json:"renewalReminderDays,omitempty" minimum:"0" maximum:"28" example:"3"`
	InvoiceGraceMinutes *int                `json:"invoiceGraceMinutes,omitempty" minimum:"0" maximum:"10080" example:"60" doc:"Counts for renewals from now on; a draft keeps its time. At most a week."`
	InvoiceLinkDays     *int                `json:"invoiceLinkDays,omitempty" minimum:"0" maximum:"3650" example:"90" doc:"Counts at once, for all invoices."`
	InvoiceNumbers      *InvoiceNumbers     `json:"invoiceNumbers,omitempty" doc:"Replaces both fields, for invoices that are issued from now on. Invoices keep the text that they were issued with."`
	ProrationMeasure    *string             `json:"prorationMeasure,omitempty" enum:"second,day,day_inclusive,fixed_30" example:"day" doc:"Counts for periods that begin from now on; a period that has begun keeps its measure."`
	Seller              *view.Seller        `json:"seller,omitempty" doc:"Replaces all of the seller's details, for invoices that are issued from now on. An object without fields removes them."`
	Dunning             *view.Dunning       `json:"dunning,omitempty" doc:"Replaces the whole policy."`
	OverduePolicy       *view.OverduePolicy `json:"overduePolicy,omitempty" doc:"Replaces the whole policy; without states, removes it. Customers with open invoices follow it within minutes, and their subscriptions are canceled where a state asks for it."`
}

func renderSettings(s subscription.Settings) Settings {
	var policy *view.OverduePolicy
	if !s.Overdue.IsZero() {
		rendered := view.RenderOverduePolicy(s.Overdue)
		policy = &rendered
	}
	return Settings{
		TimeZone: s.TimeZone, PastDueBilling: string(s.PastDueBilling), RenewalReminderDays: s.RenewalReminderDays,
		InvoiceGraceMinutes: s.InvoiceGraceMinutes, InvoiceLinkDays: s.InvoiceLinkDays,
		ProrationMeasure: string(cmp.Or(s.ProrationMeasure, proration.Second)),
		InvoiceNumbers:   InvoiceNumbers(s.InvoiceNumbers), Seller: view.RenderSeller(s.Seller),
		Dunning: view.RenderDunning(s.Dunning), OverduePolicy: policy,
	}
}

func (h *Handler) getSettings(ctx context.Context, c *httpkit.Call, _ *struct{}) (*httpkit.Reply[Settings], error) {
	environment, err := h.store.Tenancy.Environment(ctx, c.EnvironmentID)
	if err != nil {
		return nil, err
	}
	return httpkit.OK(renderSettings(environment.Settings)), nil
}

type updateSettingsInput struct {
	Body SettingsChange
}

func (h *Handler) updateSettings(
	ctx context.Context, c *httpkit.Call, in *updateSettingsInput,
) (*httpkit.Reply[Settings], error) {
	update := tenancy.SettingsUpdate{
		PastDueBilling:      (*subscription.PastDueBilling)(in.Body.PastDueBilling),
		RenewalReminderDays: in.Body.RenewalReminderDays,
		InvoiceGraceMinutes: in.Body.InvoiceGraceMinutes,
		InvoiceLinkDays:     in.Body.InvoiceLinkDays,
		ProrationMeasure:    (*proration.Measure)(in.Body.ProrationMeasure),
		InvoiceNumbers:      (*invoice.Numbering)(in.Body.InvoiceNumbers),
		Seller:              (*invoice.Seller)(in.Body.Seller),
	}
	if in.Body.Dunning != nil {
		policy, err := in.Body.Dunning.Policy()
		if err != nil {
			return nil, err
		}
		update.Dunning = &policy
	}
	if in.Body.OverduePolicy != nil {
		policy := in.Body.OverduePolicy.Policy()
		update.Overdue = &policy
	}
	made := func(settings subscription.Settings) httpkit.Made[Settings] {
		return httpkit.Made[Settings]{Resource: renderSettings(settings)}
	}
	return httpkit.Create(ctx, h.kit, c, http.StatusOK, made,
		func(keep func(*db.Tx, subscription.Settings) error) error {
			_, err := h.service.UpdateSettings(ctx, usecase.Caller(c), update, keep)
			return err
		})
}

func (h *Handler) settingsOperations() {
	example := Settings{TimeZone: "Africa/Douala", PastDueBilling: "skip", RenewalReminderDays: 1,
		ProrationMeasure: "second",
		InvoiceNumbers:   InvoiceNumbers{Prefix: "ACME-", Digits: 6},
		Seller: &view.Seller{
			Name: "Acme SARL", Address: "12 Rue Joss, BP 1234, Douala", Country: "CM", TaxID: "M012345678901A",
		},
		Dunning: exampleDunning(), OverduePolicy: exampleOverdue(),
	}
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getSettings", Method: http.MethodGet, Path: "/settings", Tag: "Environment", Summary: "Get the settings",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Response: example,
	}, h.getSettings)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "updateSettings", Method: http.MethodPatch, Path: "/settings", Tag: "Environment",
		Summary: "Update the settings",
		Description: "The settings of the environment of the API key. A new dunning policy counts from the next failed " +
			"payment on: a retry that is scheduled already stays. Subscriptions that are past due follow a final action that " +
			"becomes cancel, or is so no longer, with their next change or period. Collection pauses only for those that " +
			"become past due later, and what is paused stays so until it is resumed or paid. New days of " +
			"the renewal reminder count from each subscription's next change or period.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Response: example,
		Request: SettingsChange{Dunning: &example.Dunning},
	}, h.updateSettings)
}

func exampleOverdue() *view.OverduePolicy {
	return &view.OverduePolicy{States: []view.OverdueState{
		{Name: "warned", Match: "all", Days: 7, Access: "keep", Subscriptions: "keep"},
		{
			Name: "blocked", Match: "any", Days: 21, Invoices: 3, Amounts: []view.OverdueAmount{{Currency: "EUR", Amount: 50000}},
			Access: "deny", Subscriptions: "keep", NeedsPerson: true,
		},
	}}
}

func exampleDunning() view.Dunning {
	jitter := int64(3600)
	return view.Dunning{
		RetryGapDays: []int{1, 3, 5}, RetryJitterSeconds: &jitter, FinalAction: "cancel", CancelAfterDays: 30,
		MinimumAmounts: []view.MinimumAmount{{Currency: "EUR", Amount: 500}},
		FailureRules: []view.FailureRule{
			{FailureCode: "ACCOUNT_BLOCKED", NoRetry: true}, {FailureCode: "INSUFFICIENT_FUNDS", DayOfMonth: 25},
		},
	}
}

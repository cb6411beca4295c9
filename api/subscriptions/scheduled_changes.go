package subscriptions

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/billing/lifecycle"
	"perennial/billing/subscription"
)

// ScheduledChange is a later change. Fields that it does not set keep their values.
type ScheduledChange struct {
	ID          string               `json:"id" example:"chg_01jcz6f0x3v8r5t2m9k4h7q1wz" doc:"period_end names the change at the end of the period."`
	EffectiveAt int64                `json:"effectiveAt" example:"1767225600" doc:"When it takes effect, in Unix seconds. A payment in progress holds it up, until the next period at most."`
	PlanID      string               `json:"planId,omitempty" doc:"The plan from then on."`
	PlanVersion int                  `json:"planVersion,omitempty" doc:"The version of that plan."`
	Quantity    int64                `json:"quantity,omitempty" example:"5" doc:"The quantity from then on."`
	AddOns      *[]SubscriptionAddOn `json:"addOns,omitempty" doc:"All add-ons from then on."`
	Anchor      int64                `json:"billingAnchor,omitempty" example:"1767225600" doc:"A period begins then, from which all later ones are counted; nothing else changes."`
	Proration   string               `json:"prorationBehavior,omitempty" enum:"always_invoice,create,none" doc:"When its proration is billed. Absent: always_invoice; at the end of the period there is none."`
}

func renderChanges(s subscription.Subscription) []ScheduledChange {
	all := s.AllChanges()
	shown := make([]ScheduledChange, len(all))
	for i, c := range all {
		shown[i] = ScheduledChange{
			ID: c.ID, EffectiveAt: view.Unix(c.At), PlanID: c.Plan.ID, PlanVersion: c.Plan.Version, Quantity: c.Quantity,
			AddOns: renderPendingAddOns(c.AddOns), Proration: string(c.Proration),
		}
		if c.Anchor {
			shown[i].Anchor = view.Unix(c.At)
		}
	}
	return shown
}

// PendingChange is a change that waits for the payment of its invoice. Fields that it does not set keep their values.
type PendingChange struct {
	ID          string               `json:"id" example:"chg_01jcz6f0x3v8r5t2m9k4h7q1wz" doc:"Names it where it is withdrawn."`
	PlanID      string               `json:"planId,omitempty" doc:"The plan that it leads to."`
	PlanVersion int                  `json:"planVersion,omitempty" doc:"The version of that plan."`
	Quantity    int64                `json:"quantity,omitempty" example:"5" doc:"The quantity that it leads to."`
	AddOns      *[]SubscriptionAddOn `json:"addOns,omitempty" doc:"All add-ons that it leads to."`
	InvoiceID   string               `json:"invoiceId" example:"inv_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The invoice that is to be paid. It bills the change from the instant at which it was requested."`
	ExpiresAt   int64                `json:"expiresAt" example:"1763722800" doc:"When the change is withdrawn and its invoice voided unless that is paid, in Unix seconds: 23 hours after the request, or sooner, at the next period or scheduled change."`
}

func renderPending(c *subscription.PendingChange) *PendingChange {
	if c == nil {
		return nil
	}
	return &PendingChange{
		ID: c.ID, PlanID: c.Plan.ID, PlanVersion: c.Plan.Version, Quantity: c.Quantity,
		AddOns: renderPendingAddOns(c.AddOns), InvoiceID: c.InvoiceID, ExpiresAt: view.Unix(c.Until),
	}
}

type withdrawChangeInput struct {
	httpkit.ByID
	ChangeID string `path:"changeId" maxLength:"64" doc:"The id of the scheduled change, or of the pendingChange; or period_end."`
	Body     *view.Empty
}

func (h *Handler) withdrawScheduledChange(
	ctx context.Context, c *httpkit.Call, in *withdrawChangeInput,
) (*httpkit.Reply[Subscription], error) {
	return h.command(ctx, c, lifecycle.WithdrawChange{ID: in.ChangeID})
}

func (h *Handler) scheduledChangeOperations(load httpkit.Loader, example Subscription) {
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "withdrawScheduledChange", Method: http.MethodDelete, Path: "/subscriptions/{id}/scheduled-changes/{changeId}",
		Tag: "Subscriptions", Summary: "Withdraw a scheduled change",
		Description: "PATCH with effectiveAt, effective: period_end or a date as billingAnchor schedules a change, and " +
			"scheduledChanges of the subscription lists them. The others stay. A pendingChange is withdrawn with its invoice; " +
			"what is paid for that later goes back.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Load: load, Response: example,
	}, h.withdrawScheduledChange)
}

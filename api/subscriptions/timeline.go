package subscriptions

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/foresight"
	"perennial/billing/money"
	"perennial/billing/subscription"
	"perennial/billing/timeline"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/subscriptions"
)

// Timeline is the life of a subscription: past events, and future automatic actions.
type Timeline struct {
	Upcoming []TimelineExpected `json:"upcoming" doc:"What will happen automatically, the next first, as if every payment succeeded. On the first page only."`
	WaitsFor *TimelineWait      `json:"waitsFor,omitempty" doc:"A payment that is not decided. On the first page only."`
	Data     []TimelineEntry    `json:"data" doc:"What happened, newest first."`
	HasMore  bool               `json:"hasMore" doc:"Whether more entries exist in the direction of the cursor."`
}

// TimelineEntry is one past event.
type TimelineEntry struct {
	ID        string `json:"id" example:"evt_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The event that announced it."`
	Type      string `json:"type" example:"invoice.paid" doc:"The type of the event."`
	At        int64  `json:"at" example:"1763640000" doc:"Unix seconds, in the customer's time."`
	Text      string `json:"text" example:"The invoice for 19.00 USD is paid." doc:"In words, for people. It may change; programs read type."`
	InvoiceID string `json:"invoiceId,omitempty" example:"in_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	PaymentID string `json:"paymentId,omitempty" example:"txn_01jcz6dyqx4w9s1c2k7v5h8m3n"`
}

// TimelineExpected is one future action.
type TimelineExpected struct {
	Action    string               `json:"action" enum:"begin,trial_notice,trial_end,renewal_reminder,scheduled_change,renewal,cancel,payment_retry,invoice_overdue,finalize_invoice,bill_usage,past_due_cancel,incomplete_end,pending_change_end,resume" example:"renewal"`
	At        int64                `json:"at" example:"1766232000" doc:"Unix seconds, in the customer's time."`
	Text      string               `json:"text" example:"The next period begins. 19.00 USD is charged." doc:"In words, for people."`
	Amount    int64                `json:"amount,omitempty" example:"1900" doc:"What would be charged then, in minor units of the subscription's currency."`
	Estimated bool                 `json:"estimated,omitempty" example:"false" doc:"Whether the amount has usage: what is recorded by now is in it, and what is recorded later changes it."`
	InvoiceID string               `json:"invoiceId,omitempty" doc:"Of a retry: the invoice that it collects."`
	Retry     int                  `json:"retry,omitempty" example:"1" doc:"Which retry of the invoice it is, from 1."`
	Retries   int                  `json:"retries,omitempty" example:"3" doc:"How many retries the dunning policy has."`
	PlanID    string               `json:"planId,omitempty" doc:"The plan from then on, where a scheduled change takes effect."`
	Quantity  int64                `json:"quantity,omitempty" doc:"The quantity from then on, where a scheduled change takes effect."`
	AddOns    *[]SubscriptionAddOn `json:"addOns,omitempty" doc:"All add-ons from then on, where a scheduled change takes effect."`
}

// TimelineWait is an undecided payment.
type TimelineWait struct {
	PaymentID   string `json:"paymentId" example:"txn_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Amount      int64  `json:"amount" example:"1900" doc:"Minor units of the currency."`
	Currency    string `json:"currency" example:"USD"`
	NeedsReview bool   `json:"needsReview" doc:"true: nothing else is collected until a person has reviewed it."`
	Text        string `json:"text" example:"A payment of 19.00 USD is under way." doc:"In words, for people."`
}

func renderTimelineEntry(e db.Event) TimelineEntry {
	told := timeline.Tell(e.Type, e.Data)
	return TimelineEntry{
		ID: e.ID, Type: string(e.Type), At: view.Unix(e.OccurredAt), Text: told.Text, InvoiceID: told.InvoiceID,
		PaymentID: told.PaymentID,
	}
}

func renderExpected(e foresight.Expected, currency money.Currency) TimelineExpected {
	return TimelineExpected{
		Action: string(e.Action), At: view.Unix(e.At), Text: timeline.Foretell(e, currency), Amount: int64(e.Amount),
		Estimated: e.Estimated, InvoiceID: e.InvoiceID, Retry: e.Retry, Retries: e.Retries,
		PlanID: e.PlanID, Quantity: e.Quantity,
		AddOns: renderPendingAddOns(e.AddOns),
	}
}

// waitsFor returns the payment that delays all other actions; nil: none.
func waitsFor(o subscriptions.Outlook) *TimelineWait {
	t, text := o.Live, " is under way."
	switch {
	case o.InReview != nil:
		t, text = o.InReview, " waits for a person to review it."
	case t == nil:
		return nil
	case t.WaitsForPayer():
		text = " waits for the payer to confirm it."
	}
	return &TimelineWait{
		PaymentID: t.ID, Amount: int64(t.Amount), Currency: string(t.Currency), NeedsReview: o.InReview != nil,
		Text: "A payment of " + money.Format(t.Amount, t.Currency) + text,
	}
}

// outlook is the number of future actions in a timeline.
const outlook = 6

type timelineInput struct {
	httpkit.ByID
	httpkit.Page
}

func (h *Handler) subscriptionTimeline(
	ctx context.Context, c *httpkit.Call, in *timelineInput,
) (*httpkit.Reply[Timeline], error) {
	page, err := in.DB(id.Event)
	if err != nil {
		return nil, err
	}
	sub := httpkit.Resource[subscription.Subscription](c)
	rows, more, err := h.store.Webhooks.Events(ctx, c.EnvironmentID, db.EventFilter{SubscriptionID: sub.ID}, page)
	if err != nil {
		return nil, err
	}
	out := Timeline{Upcoming: []TimelineExpected{}, Data: make([]TimelineEntry, len(rows)), HasMore: more}
	for i, row := range rows {
		out.Data[i] = renderTimelineEntry(row)
	}
	if page.StartingAfter != "" || page.EndingBefore != "" {
		return httpkit.OK(out), nil
	}
	ahead, err := h.service.Outlook(ctx, usecase.Caller(c), sub.ID, outlook)
	if err != nil {
		return nil, err
	}
	out.WaitsFor = waitsFor(ahead)
	for _, e := range ahead.Expected {
		out.Upcoming = append(out.Upcoming, renderExpected(e, sub.Currency))
	}
	return httpkit.OK(out), nil
}

func (h *Handler) timelineOperations(load httpkit.Loader) {
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getSubscriptionTimeline", Method: http.MethodGet, Path: "/subscriptions/{id}/timeline", Tag: "Subscriptions",
		Summary: "What happened, and what will",
		Description: "The events of the subscription in words, and what will happen automatically: periods and what they would " +
			"charge, retries, the end of a trial, scheduled changes.",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Load: load,
		Response: Timeline{
			Upcoming: []TimelineExpected{{
				Action: "renewal", At: 1766232000, Text: "The next period begins. 19.00 USD is charged.", Amount: 1900,
			}},
			Data: []TimelineEntry{{
				ID: "evt_01jcz6dyqx4w9s1c2k7v5h8m3n", Type: "invoice.paid", At: 1763640000,
				Text: "The invoice for 19.00 USD is paid.", InvoiceID: "in_01jcz6dyqx4w9s1c2k7v5h8m3n",
			}},
		},
	}, h.subscriptionTimeline)
}

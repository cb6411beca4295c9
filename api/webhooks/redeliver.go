package webhooks

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/billing/fault"
	"perennial/internal/id"
	"perennial/service/webhooks"
)

// RedeliveryForm asks for one delivery, those of a payment, or the events that an endpoint missed in a time range.
type RedeliveryForm struct {
	DeliveryID    string `json:"deliveryId,omitempty" maxLength:"64" example:"whd_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"One delivery."`
	PaymentID     string `json:"paymentTransactionId,omitempty" maxLength:"64" doc:"The deliveries of events about this payment, at most 100."`
	EndpointID    string `json:"endpointId,omitempty" maxLength:"64" doc:"The endpoint of a time range: with since."`
	Since         int64  `json:"since,omitempty" minimum:"1" maximum:"4102444799" doc:"Begin of the time range, in Unix seconds, real time. Events of the last 90 days are examined: the log knows no others."`
	Before        int64  `json:"before,omitempty" minimum:"1" maximum:"4102444799" doc:"End of the time range. Default: now."`
	StartingAfter string `json:"startingAfter,omitempty" maxLength:"64" doc:"Continues a time range: lastEventId of the previous response."`
}

// Redelivery lists the deliveries to repeat. At the time of the response they are only due: the log shows their
// results.
type Redelivery struct {
	Data        []WebhookLog `json:"data" doc:"The log entries of the deliveries. Empty for a time range: list them by endpointId."`
	Redelivered int          `json:"redelivered" example:"1" doc:"How many deliveries are due now."`
	Examined    int          `json:"examined,omitempty" doc:"How many events of the time range this request looked at, at most 500."`
	LastEventID string       `json:"lastEventId,omitempty" doc:"The last event of the time range that was examined: where hasMore is true, send it as startingAfter, with a new Idempotency-Key."`
	HasMore     bool         `json:"hasMore" doc:"Whether the time range has more events, or the payment more deliveries."`
}

type redeliverInput struct {
	Body RedeliveryForm
}

// check requires that the form asks for exactly one thing. Faults: fields_exclusive, field_missing, cursor_malformed.
// huma checks the fields one by one and cannot check their combinations.
func (f RedeliveryForm) check() error {
	switch ranged := f.EndpointID != "" || f.Since != 0 || f.Before != 0 || f.StartingAfter != ""; {
	case f.DeliveryID != "" && f.PaymentID != "":
		return fault.InvalidParam("paymentTransactionId", "fields_exclusive",
			"Send `deliveryId` or `paymentTransactionId`, not both.")
	case ranged && (f.DeliveryID != "" || f.PaymentID != ""):
		return fault.InvalidParam("endpointId", "fields_exclusive",
			"Send `deliveryId`, `paymentTransactionId`, or a time range with `endpointId` and `since`: one of them only.")
	case !ranged && f.DeliveryID == "" && f.PaymentID == "":
		return fault.InvalidParam("deliveryId", "field_missing",
			"Send `deliveryId`, `paymentTransactionId`, or a time range with `endpointId` and `since`.")
	case ranged && f.EndpointID == "":
		return fault.InvalidParam("endpointId", "field_missing", "A time range needs the `endpointId` that missed events.")
	case ranged && f.Since == 0:
		return fault.InvalidParam("since", "field_missing", "A time range needs `since`, in Unix seconds.")
	case f.StartingAfter != "" && !id.Is(id.Event, f.StartingAfter):
		return fault.InvalidParam("startingAfter", "cursor_malformed",
			"The cursor is malformed. Send `lastEventId` of the previous response.")
	}
	return nil
}

func (h *Handler) redeliver(
	ctx context.Context, c *httpkit.Call, in *redeliverInput,
) (*httpkit.Reply[Redelivery], error) {
	f := in.Body
	if err := f.check(); err != nil {
		return nil, err
	}
	if f.EndpointID != "" {
		return h.redeliverRange(ctx, c, f)
	}
	return usecase.Command(ctx, h.kit, c, http.StatusOK,
		func(r webhooks.Redelivered) httpkit.Made[Redelivery] {
			out := Redelivery{Data: make([]WebhookLog, len(r.Deliveries)), Redelivered: len(r.Deliveries), HasMore: r.HasMore}
			for i, d := range r.Deliveries {
				out.Data[i] = renderWebhookLog(d, r.Attempts[d.ID])
			}
			return httpkit.Made[Redelivery]{Resource: out}
		},
		func(around usecase.Around[webhooks.Redelivered]) error {
			if f.DeliveryID != "" {
				return h.service.Redeliver(ctx, usecase.Caller(c), f.DeliveryID, around)
			}
			return h.service.RedeliverPayment(ctx, usecase.Caller(c), f.PaymentID, around)
		})
}

// redeliverRange examines at most 500 events a request, so that a long outage is one short transaction after the other.
// Each is a request with a key of its own: with the same key the first answer would come back for ever.
func (h *Handler) redeliverRange(
	ctx context.Context, c *httpkit.Call, f RedeliveryForm,
) (*httpkit.Reply[Redelivery], error) {
	missed := webhooks.MissedRange{
		EndpointID: f.EndpointID, Since: moment(f.Since), Before: moment(f.Before), After: f.StartingAfter,
	}
	return usecase.Command(ctx, h.kit, c, http.StatusOK,
		func(r webhooks.RedeliveredRange) httpkit.Made[Redelivery] {
			return httpkit.Made[Redelivery]{Resource: Redelivery{
				Data: []WebhookLog{}, Redelivered: r.Redelivered, Examined: r.Examined, LastEventID: r.Last, HasMore: r.HasMore,
			}}
		},
		func(around usecase.Around[webhooks.RedeliveredRange]) error {
			return h.service.RedeliverMissed(ctx, usecase.Caller(c), missed, around)
		})
}

package webhooks

import (
	"context"
	"strings"
	"time"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/billing/delivery"
	"perennial/db"
	"perennial/internal/id"
)

// WebhookLog is one delivery, an event that an endpoint is or was owed, with its attempts.
type WebhookLog struct {
	ID            string           `json:"id" example:"whd_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The delivery."`
	EndpointID    string           `json:"endpointId" example:"whe_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	EventID       string           `json:"eventId" example:"evt_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	EventType     string           `json:"eventType" example:"payment.success"`
	PaymentID     string           `json:"paymentTransactionId,omitempty" example:"txn_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The payment that the event is about."`
	PayloadShape  string           `json:"payloadShape" enum:"A,B" example:"A"`
	Status        string           `json:"status" enum:"pending,succeeded,failed" example:"succeeded" doc:"pending: the next attempt is due at nextAttemptAt."`
	FailedReason  string           `json:"failedReason,omitempty" enum:"attempts_used,endpoint_disabled"`
	NextAttemptAt int64            `json:"nextAttemptAt,omitempty"`
	Redelivery    bool             `json:"redelivery,omitempty" doc:"The next attempt was asked for, and consumes no retry."`
	SucceededAt   int64            `json:"succeededAt,omitempty" example:"1763640003" doc:"The first time."`
	FailedAt      int64            `json:"failedAt,omitempty"`
	CreatedAt     int64            `json:"createdAt" example:"1763640002" doc:"Unix seconds, real time."`
	Attempts      []WebhookAttempt `json:"attempts" doc:"The last 20, oldest first."`
}

// WebhookAttempt is one POST to the receiver. One that was interrupted by a crash is unknown: the receiver may have got
// it, so receivers recognise an event by its id.
type WebhookAttempt struct {
	Number         int               `json:"number" example:"1"`
	Manual         bool              `json:"manual,omitempty" doc:"A redelivery."`
	StartedAt      int64             `json:"startedAt" example:"1763640002"`
	Outcome        string            `json:"outcome" enum:"succeeded,failed,unknown,under_way" example:"succeeded" doc:"unknown: we crashed meanwhile; the request may have arrived, and is sent again."`
	StatusCode     int               `json:"statusCode,omitempty" example:"200" doc:"HTTP status of the response. Absent: there was none. Only 200 is a success."`
	LatencyMS      int64             `json:"latencyMs,omitempty" example:"48"`
	RequestHeaders map[string]string `json:"requestHeaders,omitempty" doc:"The headers sent, without the signatures."`
	Response       string            `json:"responseExcerpt,omitempty" example:"ok" doc:"The beginning of the response's body: in lists 500 bytes, otherwise 64 KiB."`
	ResponseCut    bool              `json:"responseTruncated,omitempty" doc:"More of the body is stored: get the single entry."`
	ErrorClass     string            `json:"errorClass,omitempty" enum:"url,dns,address_forbidden,connect,tls,timeout,reset,protocol,redirect,status,canceled,other"`
	ErrorText      string            `json:"errorText,omitempty"`
}

// The parts of the log that are shown of each delivery: in a list of a hundred the answers of receivers would be
// megabytes.
var (
	inLists = db.Log{Attempts: 20, ExcerptBytes: 500}
	alone   = db.Log{Attempts: 20, ExcerptBytes: 64 << 10}
)

func renderWebhookLog(d db.WebhookDelivery, attempts []db.LoggedAttempt) WebhookLog {
	l := WebhookLog{
		ID: d.ID, EndpointID: d.EndpointID, EventID: d.EventID, EventType: string(d.EventType),
		PayloadShape: string(d.PayloadShape), Status: string(d.Status), FailedReason: string(d.FailedReason),
		NextAttemptAt: view.Unix(d.NextAttemptAt), Redelivery: d.Redelivery, SucceededAt: view.Unix(d.SucceededAt),
		FailedAt: view.Unix(d.FailedAt), CreatedAt: view.Unix(d.CreatedAt), Attempts: make([]WebhookAttempt, len(attempts)),
	}
	// The id tells the kind: deliveries do not store what their event is about a second time.
	if id.Is(id.Transaction, d.ObjectID) {
		l.PaymentID = d.ObjectID
	}
	for i, a := range attempts {
		l.Attempts[i] = WebhookAttempt{
			Number: a.Number, Manual: a.Manual, StartedAt: view.Unix(a.StartedAt),
			Outcome: string(a.Outcome), StatusCode: a.StatusCode, LatencyMS: a.Latency.Milliseconds(),
			RequestHeaders: a.RequestHeaders, ErrorClass: a.ErrorClass, ErrorText: a.ErrorText,
			// The excerpt is cut at bytes, perhaps inside a character,
			// and a receiver may answer anything: JSON must be UTF-8.
			Response:    strings.ToValidUTF8(string(a.ResponseExcerpt), ""),
			ResponseCut: a.ResponseBytes > len(a.ResponseExcerpt),
		}
		// Written before its POST: the attempt is under way,
		// or its worker has crashed and another has not closed it yet.
		if a.Outcome == "" {
			l.Attempts[i].Outcome = "under_way"
		}
	}
	return l
}

// renderWebhookLogs adds the attempts to deliveries. All attempts come from one read. A delivery without any, owed but
// not yet tried, is shown with an empty list.
func (h *Handler) renderWebhookLogs(
	ctx context.Context, environmentID string, rows []db.WebhookDelivery, show db.Log,
) ([]WebhookLog, error) {
	ids := make([]string, len(rows))
	for i, d := range rows {
		ids[i] = d.ID
	}
	attempts, err := h.store.Webhooks.Log(ctx, environmentID, ids, show)
	logs := make([]WebhookLog, len(rows))
	for i, d := range rows {
		logs[i] = renderWebhookLog(d, attempts[d.ID])
	}
	return logs, err
}

func (h *Handler) getWebhookLog(
	ctx context.Context, c *httpkit.Call, _ *httpkit.ByID,
) (*httpkit.Reply[WebhookLog], error) {
	found := []db.WebhookDelivery{httpkit.Resource[db.WebhookDelivery](c)}
	logs, err := h.renderWebhookLogs(ctx, c.EnvironmentID, found, alone)
	if err != nil {
		return nil, err
	}
	return httpkit.OK(logs[0]), nil
}

type listWebhookLogsInput struct {
	httpkit.Page
	PaymentID  string `query:"paymentTransactionId" maxLength:"64" doc:"Deliveries of events about this payment."`
	EventID    string `query:"eventId" maxLength:"64"`
	EndpointID string `query:"endpointId" maxLength:"64" doc:"Also of a deleted endpoint."`
	Status     string `query:"status" enum:"pending,succeeded,failed"`
	Since      int64  `query:"since" minimum:"0" maximum:"4102444799" doc:"Only deliveries written at this time or later, in Unix seconds, real time."`
	Before     int64  `query:"before" minimum:"0" maximum:"4102444799" doc:"Only deliveries written before this time."`
}

func (h *Handler) listWebhookLogs(
	ctx context.Context, c *httpkit.Call, in *listWebhookLogsInput,
) (*httpkit.Reply[httpkit.List[WebhookLog]], error) {
	page, err := in.DB(id.Delivery, httpkit.Refers("paymentTransactionId", id.Transaction, in.PaymentID),
		httpkit.Refers("eventId", id.Event, in.EventID), httpkit.Refers("endpointId", id.Endpoint, in.EndpointID))
	if err != nil {
		return nil, err
	}
	rows, more, err := h.store.Webhooks.Deliveries(ctx, c.EnvironmentID, db.WebhookDeliveryFilter{
		ObjectID: in.PaymentID, EventID: in.EventID, EndpointID: in.EndpointID, Status: delivery.Status(in.Status),
		Since: moment(in.Since), Before: moment(in.Before),
	}, page)
	if err != nil {
		return nil, err
	}
	logs, err := h.renderWebhookLogs(ctx, c.EnvironmentID, rows, inLists)
	return httpkit.ListOf(logs, more, err, func(l WebhookLog) WebhookLog { return l })
}

// moment is a time as requests say it; zero: it was left out.
func moment(unix int64) time.Time {
	if unix == 0 {
		return time.Time{}
	}
	return time.Unix(unix, 0).UTC()
}

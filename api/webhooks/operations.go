package webhooks

import (
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/db"
	"perennial/internal/id"
)

// A key with the scope webhooks has all operations of webhooks, reads their events, and nothing else.
var (
	webhookRead  = httpkit.Access{Scopes: []string{"read", "webhooks"}}
	webhookWrite = httpkit.Access{Scopes: []string{"webhooks"}}
)

func (h *Handler) webhookOperations() {
	example := WebhookEndpoint{
		ID: "whe_01jcz6dyqx4w9s1c2k7v5h8m3n", URL: "https://example.com/webhooks",
		Events: []string{"payment.*", "subscription.canceled"}, PayloadShape: "A",
		Status: "enabled", CreatedAt: 1763640000,
	}
	made := example
	// The form is that of Standard Webhooks (standardwebhooks.com): whsec_ and base64, so that its libraries accept it
	// unchanged.
	made.Secret = "whsec_d2hhdCBzaWducyBkZWxpdmVyaWVzLCAzMiBieXRlcyE="
	changed, disabled, rotated := example, example, example
	changed.Events = []string{"*"}
	disabled.Status, disabled.DisabledReason, disabled.DisabledAt = "disabled", "requested", 1763640060
	rotated.PreviousSecretExpiresAt = 1763726400
	read := example
	read.Backlog = &Backlog{Waiting: 3, Retrying: 1, OldestAt: 1763640000}
	everything := EventPatterns{"*"}
	load := httpkit.LoadByID(h.kit, id.Endpoint, db.ErrWebhookEndpointNotFound, h.store.Webhooks.EndpointWithKey)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "createWebhook", Method: http.MethodPost, Path: "/webhooks", Tag: "Webhooks",
		Summary: "Register a webhook endpoint",
		Description: "Events that happen from now on are sent to the URL, signed with the secret. Without secret one is " +
			"generated and shown in this response only: a repeat with the same Idempotency-Key returns the endpoint without it. " +
			"Where the response was lost, rotate the secret. At most 20 endpoints per environment.",
		Status: http.StatusCreated, Access: webhookWrite, Response: made,
		Request: WebhookForm{URL: example.URL, Events: example.Events},
	}, h.createWebhook)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getWebhook", Method: http.MethodGet, Path: "/webhooks/{id}", Tag: "Webhooks",
		Summary: "Get a webhook endpoint", Status: http.StatusOK, Access: webhookRead, Load: load, Response: read,
	}, h.getWebhook)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listWebhooks", Method: http.MethodGet, Path: "/webhooks", Tag: "Webhooks", Summary: "List webhook endpoints",
		Status: http.StatusOK, Access: webhookRead, Response: httpkit.List[WebhookEndpoint]{Data: []WebhookEndpoint{read}},
	}, h.listWebhooks)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "updateWebhook", Method: http.MethodPatch, Path: "/webhooks/{id}", Tag: "Webhooks",
		Summary:     "Update a webhook endpoint",
		Description: "Pending deliveries go to the new URL with the payload that they have.",
		Status:      http.StatusOK, Access: webhookWrite, Load: load, Request: WebhookChange{Events: &everything},
		Response: changed,
	}, h.updateWebhook)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "deleteWebhook", Method: http.MethodDelete, Path: "/webhooks/{id}", Tag: "Webhooks",
		Summary: "Delete a webhook endpoint", Description: "Pending deliveries fail. The log of the endpoint stays.",
		Status: http.StatusOK, Access: webhookWrite, Load: load, Response: view.Deleted{ID: example.ID, Deleted: true},
	}, h.deleteWebhook)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "disableWebhook", Method: http.MethodPost, Path: "/webhooks/{id}/disable", Tag: "Webhooks",
		Summary:     "Disable a webhook endpoint",
		Description: "Pending deliveries fail with the reason endpoint_disabled. No effect on a disabled endpoint.",
		Status:      http.StatusOK, Access: webhookWrite, Load: load, Response: disabled,
	}, h.disableWebhook)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "enableWebhook", Method: http.MethodPost, Path: "/webhooks/{id}/enable", Tag: "Webhooks",
		Summary: "Enable a webhook endpoint",
		Description: "Events that happen from now on are sent again. Have those that it missed delivered by a time range: " +
			"POST /webhook-logs. No effect on an enabled endpoint.",
		Status: http.StatusOK, Access: webhookWrite, Load: load, Response: example,
	}, h.enableWebhook)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "rotateWebhookSecret", Method: http.MethodPost, Path: "/webhooks/{id}/rotate-secret", Tag: "Webhooks",
		Summary: "Rotate the signing secret",
		Description: "The new and the previous secret both sign for 24 hours, unless revokePrevious is true. A second rotation " +
			"within that time ends the oldest. A generated secret is shown in this response only, never in a repeat.",
		Status: http.StatusOK, Access: webhookWrite, Load: load,
		Request: SecretRotation{Secret: "a-secret-of-your-own-1f0c7e"}, Response: rotated,
	}, h.rotateWebhookSecret)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "testWebhook", Method: http.MethodPost, Path: "/webhooks/{id}/test", Tag: "Webhooks",
		Summary: "Send a test event",
		Description: "Sends webhook_endpoint.test to this endpoint only, whatever types it receives. Returns the log entry: get it " +
			"again to see the result.",
		Status: http.StatusCreated, Access: webhookWrite, Load: load, Response: WebhookLog{
			ID: "whd_01jcz6dyqx4w9s1c2k7v5h8m3n", EndpointID: example.ID, EventID: "evt_01jcz6dyqx4w9s1c2k7v5h8m3n",
			EventType: "webhook_endpoint.test", PayloadShape: "A", Status: "pending", NextAttemptAt: 1763640002,
			CreatedAt: 1763640002, Attempts: []WebhookAttempt{},
		},
	}, h.testWebhook)
}

func (h *Handler) webhookLogOperations() {
	example := WebhookLog{
		ID: "whd_01jcz6dyqx4w9s1c2k7v5h8m3n", EndpointID: "whe_01jcz6dyqx4w9s1c2k7v5h8m3n",
		EventID: "evt_01jcz6dyqx4w9s1c2k7v5h8m3n", EventType: "payment.success",
		PaymentID: "txn_01jcz6dyqx4w9s1c2k7v5h8m3n", PayloadShape: "A", Status: "succeeded",
		SucceededAt: 1763640003, CreatedAt: 1763640002,
		Attempts: []WebhookAttempt{{
			Number: 1, StartedAt: 1763640002, Outcome: "succeeded", StatusCode: 200, LatencyMS: 48,
			RequestHeaders: map[string]string{"Content-Type": "application/json", "X-Service-Timestamp": "1763640002"},
			Response:       "ok",
		}},
	}
	again := example
	again.Status, again.Redelivery, again.NextAttemptAt = "pending", true, 1763643600
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getWebhookLog", Method: http.MethodGet, Path: "/webhook-logs/{id}", Tag: "Webhooks",
		Summary: "Get a log entry",
		Description: "One delivery with its attempts, and up to 64 KiB of what the receiver answered to each. What was answered to " +
			"events of a deleted customer is erased.",
		Status: http.StatusOK, Access: webhookRead, Response: example,
		Load: httpkit.LoadByID(h.kit, id.Delivery, db.ErrWebhookDeliveryNotFound, h.store.Webhooks.DeliveryWithKey),
	}, h.getWebhookLog)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listWebhookLogs", Method: http.MethodGet, Path: "/webhook-logs", Tag: "Webhooks",
		Summary: "List log entries", Description: "The deliveries of the last 90 days with their attempts.",
		Status: http.StatusOK, Access: webhookRead, Response: httpkit.List[WebhookLog]{Data: []WebhookLog{example}},
	}, h.listWebhookLogs)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "redeliverWebhooks", Method: http.MethodPost, Path: "/webhook-logs", Tag: "Webhooks", Summary: "Deliver again",
		Description: "With deliveryId or paymentTransactionId: these deliveries are made again now, whatever their status, except " +
			"those to disabled endpoints. With endpointId and since: what the endpoint missed in the time range is delivered, which " +
			"are the events of its types that failed or were never sent to it. A request examines at most 500 events of a range; while " +
			"hasMore is true, repeat it with lastEventId as startingAfter and a new Idempotency-Key.",
		Status: http.StatusOK, Access: webhookWrite, Request: RedeliveryForm{DeliveryID: example.ID},
		Response: Redelivery{Data: []WebhookLog{again}, Redelivered: 1},
	}, h.redeliver)
}

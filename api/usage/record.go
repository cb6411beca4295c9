package usage

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
)

type recordUsageInput struct {
	Body UsageForm
}

// recordUsage records a record. It needs no row of an Idempotency-Key, since the record's own key is permanent.
func (h *Handler) recordUsage(
	ctx context.Context, c *httpkit.Call, in *recordUsageInput,
) (*httpkit.Reply[UsageRecord], error) {
	record, err := in.Body.record()
	if err != nil {
		return nil, err
	}
	out, err := h.service.RecordUsage(ctx, usecase.Caller(c), record)
	if err != nil {
		return nil, err
	}
	return httpkit.Answer(http.StatusCreated, renderUsage(in.Body, out.Record), out.Repeated), nil
}

// usageOperations registers the operations that accept records.
func (h *Handler) usageOperations() {
	h.shapes = httpkit.NewShapes()
	// The schemas are created here: later all requests read them concurrently.
	httpkit.Prepare[UsageForm](h.shapes)
	httpkit.Prepare[CloudEvent](h.shapes)
	form := UsageForm{
		SubscriptionID: "sub_01jcz6dyqx4w9s1c2k7v5h8m3n", MetricName: "api_calls", Quantity: "12.5",
		IdempotencyKey: "req-8f14e45f", Properties: UsageProperties{"region": "eu"},
	}
	example := UsageRecord{
		ID: "usg_01jcz6dyqx4w9s1c2k7v5h8m3n", SubscriptionID: form.SubscriptionID, MetricName: form.MetricName,
		Quantity: form.Quantity, Timestamp: 1763640000, IdempotencyKey: form.IdempotencyKey, Properties: form.Properties,
	}
	httpkit.RegisterPlain(h.kit, httpkit.Operation{
		Name: "recordUsage", Method: http.MethodPost, Path: "/usage", Tag: "Usage", Summary: "Record usage",
		Description: "Each record counts once: a repeat with the same idempotencyKey and the same fields is answered as the " +
			"first request was, with Idempotent-Replayed: true, for ever; with other fields it is refused with 422 " +
			"usage_key_reused. The Idempotency-Key header has no effect here. Taken while Temporal is away.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Request: form, Response: example,
	}, func(body []byte) (*recordUsageInput, bool) {
		in, plain := readPlain(string(body))
		return &recordUsageInput{in}, plain
	}, h.recordUsage)
	h.usageBatchOperation(form, example)
	h.usageStreamOperation(form)
	h.cloudEventOperation(example)
}

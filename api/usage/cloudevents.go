package usage

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/billing/fault"
	"perennial/billing/usage"
)

// The content types of CloudEvents 1.0 in structured mode.
const (
	cloudEventType      = "application/cloudevents+json"
	cloudEventBatchType = "application/cloudevents-batch+json"
)

// CloudEvent is usage as a CloudEvent 1.0. Extension attributes are ignored.
type CloudEvent struct {
	_               struct{}       `additionalProperties:"true"`
	SpecVersion     string         `json:"specversion" enum:"1.0" example:"1.0" doc:"The version of CloudEvents."`
	ID              string         `json:"id" minLength:"1" maxLength:"200" example:"8f14e45f" doc:"Unique for its source, for ever. With the source it is the idempotencyKey, which has at most 255 bytes."`
	Source          string         `json:"source" minLength:"1" maxLength:"200" example:"/gateway/eu" doc:"Where it happened."`
	Type            string         `json:"type" minLength:"1" maxLength:"100" example:"api_calls" doc:"The name of the metric."`
	Subject         string         `json:"subject" minLength:"1" maxLength:"64" example:"sub_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The subscription."`
	Time            string         `json:"time,omitempty" format:"date-time" example:"2026-01-15T10:00:00Z" doc:"When it was used. Default: now."`
	DataContentType string         `json:"datacontenttype,omitempty" example:"application/json" doc:"application/json, always."`
	DataSchema      string         `json:"dataschema,omitempty" doc:"Not read."`
	Data            CloudEventData `json:"data,omitempty" doc:"quantity, by default 1; everything else is a property of the record."`
	DataBase64      string         `json:"data_base64,omitempty" doc:"Refused: it is not read. Send the data as JSON."`
}

// CloudEventData are the quantity and the properties of a record.
type CloudEventData UsageProperties

// UnmarshalJSON reads properties. It keeps a null quantity as an invalid number: it must not count as absent, and so as
// 1.
func (d *CloudEventData) UnmarshalJSON(b []byte) error {
	if err := (*UsageProperties)(d).UnmarshalJSON(b); err != nil {
		return err
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	if quantity, sent := raw["quantity"]; sent && string(quantity) == "null" {
		(*d)["quantity"] = "null"
	}
	return nil
}

// Schema returns the schema of data for the OpenAPI document.
func (CloudEventData) Schema(r huma.Registry) *huma.Schema { return UsageProperties{}.Schema(r) }

// sourceEscapes mark the end of a source in a key. A percent sign is escaped only where it could be part of an escape,
// so that keys of sources such as /a%20b are the same as before there were escapes.
var sourceEscapes = strings.NewReplacer("#", "%23", "%23", "%2523", "%25", "%2525")

// key returns the idempotencyKey of an event. Different pairs of source and id have different keys.
func (e CloudEvent) key() string { return sourceEscapes.Replace(e.Source) + "#" + e.ID }

// record returns the record of the event. Faults: content_type_unsupported, for binary data; value_unknown, for its
// time; those of UsageForm.record.
func (e CloudEvent) record() (UsageForm, usage.Record, error) {
	f := UsageForm{
		SubscriptionID: e.Subject, MetricName: e.Type, Quantity: "1", IdempotencyKey: e.key(),
		Properties: UsageProperties{},
	}
	for name, value := range e.Data {
		if name == "quantity" {
			f.Quantity = Number(value)
			continue
		}
		f.Properties[name] = value
	}
	if e.DataBase64 != "" {
		return f, usage.Record{}, fault.InvalidParam("data_base64", "content_type_unsupported",
			"Binary data is not read. Send `data` as a JSON object.")
	}
	var at time.Time
	if e.Time != "" {
		var err error
		if at, err = time.Parse(time.RFC3339Nano, e.Time); err != nil {
			return f, usage.Record{}, fault.InvalidParam("time", "value_unknown",
				"`time` is not an RFC 3339 timestamp. Send one such as 2026-01-15T10:00:00Z.")
		}
		at = at.UTC().Truncate(time.Microsecond)
	}
	record, err := f.record()
	if err != nil {
		return f, record, fault.From(err).Within("data")
	}
	f.Quantity = Number(record.Quantity.String()) // "007" is a valid quantity, but not a JSON number
	record.At = at
	return f, record, nil
}

// readCloudEvent reads one event.
func (h *Handler) readCloudEvent(text []byte) (r usageReport) {
	event, err := httpkit.ReadJSON[CloudEvent](h.shapes, text, recordValues)
	if err != nil {
		return usageReport{err: err}
	}
	r.form, r.record, r.err = event.record()
	return r
}

// recordCloudEvents records one event, with the response of a record, or a list, with the response of a batch.
func (h *Handler) recordCloudEvents(
	ctx context.Context, c *httpkit.Call, w http.ResponseWriter, _ *http.Request,
) error {
	if text := bytes.TrimSpace(c.Body); len(text) == 0 || text[0] != '[' {
		return h.recordCloudEvent(ctx, c, w, h.readCloudEvent(text))
	}
	entries, err := httpkit.Entries(c.Body, "", usage.MaxBatch)
	if err != nil {
		return err
	}
	return h.recordEntries(ctx, c, w, entries, h.readCloudEvent)
}

// recordCloudEvent records one event. Its sender reads only the status, so a refusal is the response.
func (h *Handler) recordCloudEvent(
	ctx context.Context, c *httpkit.Call, w http.ResponseWriter, event usageReport,
) error {
	if event.err != nil {
		return event.err
	}
	outcome, err := h.service.RecordUsage(ctx, usecase.Caller(c), event.record)
	if err != nil {
		return err
	}
	out := UsageBatch{Data: make([]UsageResult, 1)}
	out.take(0, event.form, outcome)
	httpkit.WriteJSON(w, httpkit.JSONType, http.StatusOK, out)
	return nil
}

func (h *Handler) cloudEventOperation(example UsageRecord) {
	httpkit.RegisterRaw(h.kit, httpkit.Operation{
		Name: "recordCloudEvents", Method: http.MethodPost, Path: "/usage/cloudevents", Tag: "Usage",
		Summary: "Record usage as CloudEvents",
		Description: "One CloudEvent 1.0 in structured mode, or a list of up to 1,000 of them: type is the metric, subject " +
			"the subscription, and data holds the quantity and the properties. Source and id together are the " +
			"idempotencyKey: source#id, where # of the source is written as %23, %23 as %2523 and %25 as %2525. The status of " +
			"one event is that of its refusal, if it is refused; a list has one result for each.",
		Status: http.StatusOK, Access: httpkit.WriteAccess,
		Request: CloudEvent{
			SpecVersion: "1.0", ID: "8f14e45f", Source: "/gateway/eu", Type: "api_calls",
			Subject: "sub_01jcz6dyqx4w9s1c2k7v5h8m3n", Data: CloudEventData{"quantity": "12.5", "region": "eu"},
		},
		Response: UsageBatch{Data: []UsageResult{{Status: http.StatusCreated, Record: &example}}, Accepted: 1},
	}, httpkit.RawBody{
		Takes: []string{cloudEventType, cloudEventBatchType, httpkit.JSONType}, Answers: httpkit.JSONType,
		Most: maxUsageBody,
	}, h.recordCloudEvents)
}

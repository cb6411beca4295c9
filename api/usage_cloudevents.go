package api

import (
	"context"
	"net/http"
	"time"

	"perennial/api/httpkit"
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
	_               struct{}        `additionalProperties:"true"`
	SpecVersion     string          `json:"specversion" enum:"1.0" example:"1.0" doc:"The version of CloudEvents."`
	ID              string          `json:"id" minLength:"1" maxLength:"200" example:"8f14e45f" doc:"Unique for its source, for ever. With the source it is the idempotencyKey."`
	Source          string          `json:"source" minLength:"1" maxLength:"200" example:"/gateway/eu" doc:"Where it happened."`
	Type            string          `json:"type" minLength:"1" maxLength:"100" example:"api_calls" doc:"The name of the metric."`
	Subject         string          `json:"subject" minLength:"1" maxLength:"64" example:"sub_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The subscription."`
	Time            string          `json:"time,omitempty" format:"date-time" example:"2026-01-15T10:00:00Z" doc:"When it was used. Default: now."`
	DataContentType string          `json:"datacontenttype,omitempty" example:"application/json" doc:"application/json, always."`
	DataSchema      string          `json:"dataschema,omitempty" doc:"Not read."`
	Data            UsageProperties `json:"data,omitempty" doc:"quantity, by default 1; everything else is a property of the record."`
}

// record is what the event reports. Faults: value_unknown, for its time, and those of UsageForm.record.
func (e CloudEvent) record() (UsageForm, usage.Record, error) {
	f := UsageForm{
		SubscriptionID: e.Subject, MetricName: e.Type, Quantity: "1", IdempotencyKey: e.Source + "#" + e.ID,
		Properties: UsageProperties{},
	}
	for name, value := range e.Data {
		if name == "quantity" {
			f.Quantity = Number(value)
			continue
		}
		f.Properties[name] = value
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
	if err == nil {
		f.Quantity = Number(record.Quantity.String()) // "007" is a quantity, and no number of JSON
	}
	record.At = at
	return f, record, err
}

// recordCloudEvents takes one event, which is answered like a record, or a list, which is answered like a batch.
func (s *Server) recordCloudEvents(ctx context.Context, c *httpkit.Call, w http.ResponseWriter, r *http.Request) error {
	payload, err := httpkit.ReadRaw(w, r)
	if err != nil {
		return err
	}
	if len(payload) == 0 || payload[0] != '[' {
		event, err := httpkit.ReadJSON[CloudEvent](s.shapes, payload, streamValues)
		if err != nil {
			return err
		}
		return s.recordCloudEvent(ctx, c, w, event)
	}
	events, err := httpkit.ReadJSON[[]CloudEvent](s.shapes, payload, usageValues)
	if err != nil {
		return err
	}
	if len(events) == 0 || len(events) > usage.MaxBatch {
		return fault.New(fault.Invalid, "out_of_range", "A batch must have 1 to %d events.", usage.MaxBatch)
	}
	reports := make([]usageReport, len(events))
	for i, event := range events {
		form, record, err := event.record()
		reports[i] = usageReport{form, record, err}
	}
	out, err := s.recordAll(ctx, c, reports)
	if err != nil {
		return err
	}
	httpkit.WriteJSON(w, httpkit.JSONType, http.StatusOK, out)
	return nil
}

// recordCloudEvent takes one event. Its sender reads the status alone, so that a refusal is the answer.
func (s *Server) recordCloudEvent(ctx context.Context, c *httpkit.Call, w http.ResponseWriter, event CloudEvent) error {
	form, record, err := event.record()
	if err != nil {
		return err
	}
	outcome, err := s.service.RecordUsage(ctx, caller(c), record)
	if err != nil {
		return err
	}
	out := UsageBatch{Data: make([]UsageResult, 1)}
	out.take(0, form, outcome)
	httpkit.WriteJSON(w, httpkit.JSONType, http.StatusOK, out)
	return nil
}

func (s *Server) cloudEventOperation(example UsageRecord) {
	httpkit.RegisterRaw(s.kit, httpkit.Operation{
		Name: "recordCloudEvents", Method: http.MethodPost, Path: "/usage/cloudevents", Tag: "Usage",
		Summary: "Record usage as CloudEvents",
		Description: "One CloudEvent 1.0 in structured mode, or a list of up to 1,000 of them: type is the metric, subject " +
			"the subscription, and data holds the quantity and the properties. Source and id together are the " +
			"idempotencyKey. The status of one event is that of its refusal, if it is refused; a list has one result for " +
			"each.",
		Status: http.StatusOK, Access: httpkit.WriteAccess,
		Request: CloudEvent{
			SpecVersion: "1.0", ID: "8f14e45f", Source: "/gateway/eu", Type: "api_calls",
			Subject: "sub_01jcz6dyqx4w9s1c2k7v5h8m3n", Data: UsageProperties{"quantity": "12.5", "region": "eu"},
		},
		Response: UsageBatch{Data: []UsageResult{{Status: http.StatusCreated, Record: &example}}, Accepted: 1},
	}, httpkit.RawBody{
		Takes: []string{cloudEventType, cloudEventBatchType, httpkit.JSONType}, Answers: httpkit.JSONType,
	}, s.recordCloudEvents)
}

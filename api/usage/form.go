package usage

import (
	"encoding/json"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"perennial/api/view"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/usage"
)

// Number is a decimal number in the form of JSON.
type Number = view.Number

// UsageProperties are the properties of a record. A value that is not a string counts as its text.
type UsageProperties map[string]string

// UnmarshalJSON turns scalars into text; null removes the property.
func (p *UsageProperties) UnmarshalJSON(b []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	*p = make(UsageProperties, len(raw))
	for name, value := range raw {
		text := string(value)
		if text == "null" {
			continue
		}
		if value[0] == '"' {
			if err := json.Unmarshal(value, &text); err != nil {
				return err
			}
		}
		(*p)[name] = text
	}
	return nil
}

// Schema returns the schema of properties for the OpenAPI document.
func (UsageProperties) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject,
		Description: "What filters, dimensions and keys of metrics read: up to " + strconv.Itoa(usage.MaxProperties) +
			" properties. Values are text of at most " + strconv.Itoa(usage.MaxProperty) + " bytes; numbers, true and false " +
			"count as their text. Erased with the customer, but for the values of dimensions (groupBy of metrics).",
		AdditionalProperties: &huma.Schema{
			Extensions: map[string]any{"type": []string{"string", "number", "boolean", "null"}},
		},
	}
}

// UsageForm reports usage.
type UsageForm struct {
	SubscriptionID string          `json:"subscriptionId" minLength:"1" maxLength:"64" example:"sub_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The subscription that the usage belongs to."`
	MetricName     string          `json:"metricName" minLength:"1" maxLength:"100" example:"api_calls" doc:"The name of the metric."`
	Quantity       Number          `json:"quantity" example:"12.5" doc:"How much was used: a number with at most 12 digits before the point and 12 behind it. Negative only in a correction, or where the metric carries over."`
	Timestamp      int64           `json:"timestamp,omitempty" minimum:"1" maximum:"253402300799" example:"1763640000" doc:"When it was used, in Unix seconds: at most 90 days ago and at most an hour ahead. Default: now."`
	IdempotencyKey string          `json:"idempotencyKey" minLength:"1" maxLength:"255" example:"req-8f14e45f" doc:"Counts the record once, however often it is sent: unique in the environment for ever. Kept for ever, so put no personal data into it."`
	Properties     UsageProperties `json:"properties,omitempty"`
	Corrects       string          `json:"corrects,omitempty" maxLength:"255" doc:"The idempotencyKey of a record that this one corrects: its quantity, which is negative, is taken off that of the other. It counts at the time of the other one and has its properties."`
}

// record returns the record of the form. Faults: decimal_invalid, usage_correction_mismatch.
func (f UsageForm) record() (usage.Record, error) {
	r := usage.Record{
		SubscriptionID: f.SubscriptionID, Metric: f.MetricName, At: view.Instant(f.Timestamp), Key: f.IdempotencyKey,
		Properties: usage.Properties(f.Properties), Corrects: f.Corrects,
	}
	var err error
	if r.Quantity, err = money.ParseDecimal(string(f.Quantity)); err != nil {
		return r, fault.InvalidParam("quantity", "decimal_invalid",
			"`quantity` must be a decimal number with at most 12 digits before the point and 12 behind it.")
	}
	return r, nil
}

// UsageRecord is one report of usage.
type UsageRecord struct {
	ID             string          `json:"id" example:"usg_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	SubscriptionID string          `json:"subscriptionId" example:"sub_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The subscription."`
	MetricName     string          `json:"metricName" example:"api_calls" doc:"The name of the metric."`
	Quantity       Number          `json:"quantity" example:"12.5" doc:"How much was used."`
	Timestamp      int64           `json:"timestamp" example:"1763640000" doc:"When it was used, in Unix seconds. Of a correction: the time of what it corrects."`
	IdempotencyKey string          `json:"idempotencyKey" example:"req-8f14e45f" doc:"The key of the caller."`
	Properties     UsageProperties `json:"properties,omitempty"`
	Corrects       string          `json:"corrects,omitempty" doc:"The idempotencyKey of the record that this one corrects. Absent: none."`
}

// renderUsage returns a record as sent, with its stored id and time.
func renderUsage(sent UsageForm, r usage.Record) UsageRecord {
	return UsageRecord{
		ID: r.ID, SubscriptionID: sent.SubscriptionID, MetricName: sent.MetricName, Quantity: sent.Quantity,
		Timestamp: view.Unix(r.At), IdempotencyKey: sent.IdempotencyKey, Properties: sent.Properties, Corrects: sent.Corrects,
	}
}

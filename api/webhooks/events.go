package webhooks

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/billing/event"
	"perennial/db"
	"perennial/internal/id"
)

// Event is one fact that was announced. Webhooks carry the same facts. It has two times, since a test clock may stand
// in another year: created is the customer's time of the event, recordedAt the time of writing, by which lists are
// filtered.
type Event struct {
	ID               string    `json:"id" example:"evt_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Object           string    `json:"object" enum:"event" example:"event"`
	Type             string    `json:"type" example:"subscription.created"`
	Created          int64     `json:"created" example:"1763640000" doc:"Unix seconds, in the customer's time."`
	RecordedAt       int64     `json:"recordedAt" example:"1763640000" doc:"Unix seconds, in real time. Differs from created on a test clock."`
	Sequence         int64     `json:"sequence,omitempty" example:"1" doc:"Counts the events of the subscription from 1, without a gap."`
	CustomerSequence int64     `json:"customerSequence,omitempty" example:"4" doc:"Counts the events of the customer from 1, without a gap."`
	ObjectID         string    `json:"objectId" example:"sub_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The id of what the event is about, which is data.id."`
	CustomerID       string    `json:"customerId,omitempty"`
	SubscriptionID   string    `json:"subscriptionId,omitempty"`
	Data             EventData `json:"data" doc:"Ids, codes and amounts, described for each type in docs/events.md."`
}

// EventData is the stored JSON of an event; package billing/event has a struct for each type. It is passed on as it was
// written: decoding it into today's structs would change the history when a struct changes.
type EventData json.RawMessage

// MarshalJSON implements json.Marshaler.
func (d EventData) MarshalJSON() ([]byte, error) { return json.RawMessage(d).MarshalJSON() }

// UnmarshalJSON implements json.Unmarshaler.
func (d *EventData) UnmarshalJSON(b []byte) error { return (*json.RawMessage)(d).UnmarshalJSON(b) }

// Schema returns the schema of the data for the OpenAPI document.
func (EventData) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// EventPattern filters by what happened: a type of the catalogue, a group of types, or all. It is an enum in the
// document, so that a generator of clients offers the types and a misspelled one is refused instead of matching
// nothing.
type EventPattern string

// Schema returns the schema for the OpenAPI document: all types and groups, from the catalogue.
func (EventPattern) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{
		Type: huma.TypeString, Examples: []any{string(event.TypePaymentSuccess)}, Enum: []any{string(event.Every)},
	}
	for _, data := range event.Catalogue() {
		if group := data.Type().Group() + ".*"; !slices.Contains(s.Enum, any(group)) {
			s.Enum = append(s.Enum, group)
		}
		s.Enum = append(s.Enum, string(data.Type()))
	}
	// huma builds its refusals when it registers a schema that it made itself. This one is ours, and would be refused
	// with an empty message.
	s.PrecomputeMessages()
	return s
}

func renderEvent(e db.Event) Event {
	return Event{
		ID: e.ID, Object: "event", Type: string(e.Type), Created: view.Unix(e.OccurredAt), RecordedAt: view.Unix(e.CreatedAt),
		Sequence: e.Sequence, CustomerSequence: e.CustomerSequence, ObjectID: e.ObjectID,
		CustomerID: e.CustomerID, SubscriptionID: e.SubscriptionID, Data: EventData(e.Data),
	}
}

func (h *Handler) getEvent(_ context.Context, c *httpkit.Call, _ *httpkit.ByID) (*httpkit.Reply[Event], error) {
	return httpkit.OK(renderEvent(httpkit.Resource[db.Event](c))), nil
}

type listEventsInput struct {
	httpkit.Page
	Type           []EventPattern `query:"type" maxItems:"10" example:"payment.*,invoice.paid" doc:"Only these types, separated by commas: types, groups such as payment.*, or * for all."`
	ObjectID       string         `query:"objectId" maxLength:"64" doc:"Only events about this resource, whose id is data.id."`
	CustomerID     string         `query:"customerId" maxLength:"64"`
	SubscriptionID string         `query:"subscriptionId" maxLength:"64"`
	From           int64          `query:"from" minimum:"0" maximum:"253402300799" example:"1763640000" doc:"Only events whose recordedAt is this or later. Unix seconds."`
	To             int64          `query:"to" minimum:"1" maximum:"253402300799" example:"1763726400" doc:"Only events whose recordedAt is before this. Unix seconds."`
}

// Fault: time_span_empty.
func (in *listEventsInput) filter() (db.EventFilter, error) {
	f := db.EventFilter{
		ObjectID: in.ObjectID, CustomerID: in.CustomerID, SubscriptionID: in.SubscriptionID,
		RecordedFrom: view.Instant(in.From), RecordedTo: view.Instant(in.To),
	}
	if err := view.CheckSpan(in.From, in.To); err != nil {
		return f, err
	}
	for _, p := range in.Type {
		f.Types = append(f.Types, event.Pattern(p))
	}
	return f, nil
}

func (h *Handler) listEvents(
	ctx context.Context, c *httpkit.Call, in *listEventsInput,
) (*httpkit.Reply[httpkit.List[Event]], error) {
	page, err := in.DB(id.Event,
		httpkit.Refers("customerId", id.Customer, in.CustomerID),
		httpkit.Refers("subscriptionId", id.Subscription, in.SubscriptionID))
	if err != nil {
		return nil, err
	}
	filter, err := in.filter()
	if err != nil {
		return nil, err
	}
	rows, more, err := h.store.Webhooks.Events(ctx, c.EnvironmentID, filter, page)
	return httpkit.ListOf(rows, more, err, renderEvent)
}

func (h *Handler) eventOperations() {
	example := Event{
		ID: "evt_01jcz6dyqx4w9s1c2k7v5h8m3n", Object: "event", Type: "payment.success", Created: 1763640002,
		RecordedAt: 1763640002, Sequence: 4, CustomerSequence: 5, ObjectID: "txn_01jcz6dyqx4w9s1c2k7v5h8m3n",
		CustomerID: "cust_01jcz6dyqx4w9s1c2k7v5h8m3n", SubscriptionID: "sub_01jcz6dyqx4w9s1c2k7v5h8m3n",
		Data: EventData(`{"id": "txn_01jcz6dyqx4w9s1c2k7v5h8m3n", "customerId": "cust_01jcz6dyqx4w9s1c2k7v5h8m3n",
			"subscriptionId": "sub_01jcz6dyqx4w9s1c2k7v5h8m3n", "invoiceId": "in_01jcz6dyqx4w9s1c2k7v5h8m3n", "amount": 1900,
			"currency": "USD"}`),
	}
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getEvent", Method: http.MethodGet, Path: "/events/{id}", Tag: "Events", Summary: "Get an event",
		Status: http.StatusOK, Access: webhookRead,
		Load: httpkit.LoadByID(h.kit, id.Event, db.ErrEventNotFound, h.store.Webhooks.EventWithKey), Response: example,
	}, h.getEvent)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listEvents", Method: http.MethodGet, Path: "/events", Tag: "Events", Summary: "List events",
		Status: http.StatusOK, Access: webhookRead, Response: httpkit.List[Event]{Data: []Event{example}},
	}, h.listEvents)
}

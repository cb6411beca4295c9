package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"perennial/api/httpkit"
	"perennial/billing/event"
	"perennial/db"
	"perennial/internal/id"
)

// Event is one fact that was announced. Webhooks carry the same facts.
type Event struct {
	ID             string    `json:"id" example:"evt_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Object         string    `json:"object" enum:"event" example:"event"`
	Type           string    `json:"type" example:"subscription.created"`
	Created        int64     `json:"created" example:"1763640000" doc:"Unix seconds, in the customer's time."`
	Sequence       int64     `json:"sequence,omitempty" example:"1" doc:"Orders the events of one subscription."`
	CustomerID     string    `json:"customerId,omitempty"`
	SubscriptionID string    `json:"subscriptionId,omitempty"`
	Data           EventData `json:"data" doc:"Ids, codes and amounts; data.id is the id of what the event is about."`
}

// EventData is the stored JSON of an event; package billing/event has a struct for each type.
type EventData json.RawMessage

// MarshalJSON implements json.Marshaler.
func (d EventData) MarshalJSON() ([]byte, error) { return json.RawMessage(d).MarshalJSON() }

// UnmarshalJSON implements json.Unmarshaler.
func (d *EventData) UnmarshalJSON(b []byte) error { return (*json.RawMessage)(d).UnmarshalJSON(b) }

// Schema is what the OpenAPI document says about it.
func (EventData) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// EventType filters by what happened. It is one of the catalogue's types.
type EventType string

// Schema is what the OpenAPI document says about it: all types, from the catalogue.
func (EventType) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Examples: []any{string(event.TypePaymentSuccess)}}
	for _, data := range event.Catalogue() {
		s.Enum = append(s.Enum, string(data.Type()))
	}
	s.PrecomputeMessages()
	return s
}

func renderEvent(e db.Event) Event {
	return Event{
		ID: e.ID, Object: "event", Type: string(e.Type), Created: unix(e.OccurredAt), Sequence: e.Sequence,
		CustomerID: e.CustomerID, SubscriptionID: e.SubscriptionID, Data: EventData(e.Data),
	}
}

func (s *Server) getEvent(_ context.Context, c *httpkit.Call, _ *httpkit.ByID) (*httpkit.Reply[Event], error) {
	return httpkit.OK(renderEvent(httpkit.Resource[db.Event](c))), nil
}

type listEventsInput struct {
	httpkit.Page
	Type           EventType `query:"type" doc:"The type of the event."`
	CustomerID     string    `query:"customerId" maxLength:"64"`
	SubscriptionID string    `query:"subscriptionId" maxLength:"64"`
}

func (s *Server) listEvents(
	ctx context.Context, c *httpkit.Call, in *listEventsInput,
) (*httpkit.Reply[httpkit.List[Event]], error) {
	page, err := in.DB(id.Event,
		httpkit.Refers("customerId", id.Customer, in.CustomerID), httpkit.Refers("subscriptionId", id.Subscription, in.SubscriptionID))
	if err != nil {
		return nil, err
	}
	rows, more, err := s.store.Events(ctx, c.EnvironmentID, db.EventFilter{
		Type: event.Type(in.Type), CustomerID: in.CustomerID, SubscriptionID: in.SubscriptionID,
	}, page)
	return httpkit.ListOf(rows, more, err, renderEvent)
}

func (s *Server) eventOperations() {
	example := Event{
		ID: "evt_01jcz6dyqx4w9s1c2k7v5h8m3n", Object: "event", Type: "payment.success", Created: 1763640002,
		Sequence:   3,
		CustomerID: "cust_01jcz6dyqx4w9s1c2k7v5h8m3n", SubscriptionID: "sub_01jcz6dyqx4w9s1c2k7v5h8m3n",
		Data: EventData(`{"id": "txn_01jcz6dyqx4w9s1c2k7v5h8m3n", "customerId": "cust_01jcz6dyqx4w9s1c2k7v5h8m3n",
			"subscriptionId": "sub_01jcz6dyqx4w9s1c2k7v5h8m3n", "invoiceId": "in_01jcz6dyqx4w9s1c2k7v5h8m3n", "amount": 1900,
			"currency": "USD"}`),
	}
	httpkit.Register(s.kit, httpkit.Operation{
		Name: "getEvent", Method: http.MethodGet, Path: "/events/{id}", Tag: "Events", Summary: "Get an event",
		Status: http.StatusOK, Access: httpkit.ReadAccess,
		Load: httpkit.LoadByID(s.kit, id.Event, db.ErrEventNotFound, s.store.EventWithKey), Response: example,
	}, s.getEvent)
	httpkit.Register(s.kit, httpkit.Operation{
		Name: "listEvents", Method: http.MethodGet, Path: "/events", Tag: "Events", Summary: "List events",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Response: httpkit.List[Event]{Data: []Event{example}},
	}, s.listEvents)
}

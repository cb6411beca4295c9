package api

import (
	"context"
	"net/http"

	"perennial/billing/event"
	"perennial/db"
	"perennial/internal/id"
)

// Event is one fact that was announced. Webhooks carry the same facts.
type Event struct {
	ID             string         `json:"id" example:"evt_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Object         string         `json:"object" enum:"event" example:"event"`
	Type           string         `json:"type" example:"subscription.created"`
	Created        int64          `json:"created" example:"1763640000" doc:"Unix seconds, in the customer's time."`
	Sequence       int64          `json:"sequence,omitempty" example:"1" doc:"Orders the events of one subscription."`
	CustomerID     string         `json:"customerId,omitempty"`
	SubscriptionID string         `json:"subscriptionId,omitempty"`
	Data           map[string]any `json:"data" doc:"Ids, codes and amounts; data.id is the id of what the event is about."`
}

func renderEvent(e db.Event) Event {
	return Event{
		ID: e.ID, Object: "event", Type: string(e.Type), Created: unix(e.OccurredAt), Sequence: e.Sequence,
		CustomerID: e.CustomerID, SubscriptionID: e.SubscriptionID, Data: e.Data,
	}
}

func (s *Server) getEvent(_ context.Context, c *call, _ *ByID) (*reply[Event], error) {
	return ok(renderEvent(resource[db.Event](c))), nil
}

type listEventsInput struct {
	Page
	Type           string `query:"type" maxLength:"64" example:"payment.success"`
	CustomerID     string `query:"customerId" maxLength:"64"`
	SubscriptionID string `query:"subscriptionId" maxLength:"64"`
}

func (s *Server) listEvents(ctx context.Context, c *call, in *listEventsInput) (*reply[List[Event]], error) {
	page, err := in.db(id.Event,
		refers("customerId", id.Customer, in.CustomerID), refers("subscriptionId", id.Subscription, in.SubscriptionID))
	if err != nil {
		return nil, err
	}
	rows, more, err := s.store.Events(ctx, c.environmentID, db.EventFilter{
		Type: event.Type(in.Type), CustomerID: in.CustomerID, SubscriptionID: in.SubscriptionID,
	}, page)
	return list(rows, more, err, renderEvent)
}

func (s *Server) eventOperations() {
	example := Event{
		ID: "evt_01jcz6dyqx4w9s1c2k7v5h8m3n", Object: "event", Type: "payment.success", Created: 1763640002, Sequence: 3,
		CustomerID: "cust_01jcz6dyqx4w9s1c2k7v5h8m3n", SubscriptionID: "sub_01jcz6dyqx4w9s1c2k7v5h8m3n",
		Data: map[string]any{
			"id": "txn_01jcz6dyqx4w9s1c2k7v5h8m3n", "customerId": "cust_01jcz6dyqx4w9s1c2k7v5h8m3n",
			"subscriptionId": "sub_01jcz6dyqx4w9s1c2k7v5h8m3n", "invoiceId": "in_01jcz6dyqx4w9s1c2k7v5h8m3n", "amount": 1900, "currency": "USD",
		},
	}
	register(s, operation{
		name: "getEvent", method: http.MethodGet, path: "/events/{id}", tag: "Events", summary: "Get an event",
		status: http.StatusOK, access: readAccess, load: byID(s, id.Event, "event_not_found", s.store.EventWithKey), response: example,
	}, s.getEvent)
	register(s, operation{
		name: "listEvents", method: http.MethodGet, path: "/events", tag: "Events", summary: "List events",
		status: http.StatusOK, access: readAccess, response: List[Event]{Data: []Event{example}},
	}, s.listEvents)
}

package core

import (
	"context"
	"crypto/md5" //nolint:gosec // spreads ids, as WebhookDeliveryOwe does; it protects nothing
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"time"

	"perennial/billing/event"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// The deliveries of a transaction to webhook endpoints are written last, in one statement with the commit: all writers
// of an environment share the rows of endpoints, so they are locked as briefly as possible and in one order.

// signalPatience is after how long a signal to an endpoint may have been lost, so that the next event sends another.
const signalPatience = 5 * time.Second

// Owed names an event, and an endpoint that gets it whatever types it wants.
type Owed struct{ EventID, EndpointID string }

// owing has the deliveries that the transaction owes in one environment.
type owing struct {
	events, endpoints []string // in pairs; an empty endpoint: all that want the type
	woken             []string
	mails             mailing
}

// EmitTo is Emit for one endpoint only, whatever types it wants: a test event. A disabled endpoint gets nothing. It
// returns the event's id.
func (tx *Tx) EmitTo(ctx context.Context, environmentID, endpointID string, e event.Event) (string, error) {
	if err := tx.emit(ctx, environmentID, endpointID, e); err != nil {
		return "", err
	}
	owed := tx.owingIn(environmentID).events
	return owed[len(owed)-1], nil
}

// Redeliver has events delivered to endpoints now: once more where they were delivered or failed, with the number of
// retries unchanged, and for the first time where the endpoint had no delivery. The caller makes sure that the endpoint
// wants the event; a disabled endpoint gets nothing, and neither does one of another environment.
func (tx *Tx) Redeliver(environmentID string, owed ...Owed) {
	for _, o := range owed {
		tx.owe(environmentID, o.EventID, o.EndpointID)
	}
}

// WakeWebhookEndpoint has the endpoint's workflow look at its row once the transaction is committed.
func (tx *Tx) WakeWebhookEndpoint(environmentID, id string) {
	o := tx.owingIn(environmentID)
	o.woken = append(o.woken, id)
}

func (tx *Tx) owe(environmentID, eventID, endpointID string) {
	o := tx.owingIn(environmentID)
	o.events, o.endpoints = append(o.events, eventID), append(o.endpoints, endpointID)
}

func (tx *Tx) owingIn(environmentID string) *owing {
	if tx.owed[environmentID] == nil {
		if tx.owed == nil {
			tx.owed = map[string]*owing{}
		}
		tx.owed[environmentID] = &owing{}
	}
	return tx.owed[environmentID]
}

// oweDeliveries queues the write of deliveries. Its result names the endpoints that have to be woken.
func (tx *Tx) oweDeliveries(ctx context.Context) error {
	for _, environmentID := range slices.Sorted(maps.Keys(tx.owed)) {
		o := tx.owed[environmentID]
		if err := tx.writeMails(ctx, environmentID, o.mails); err != nil {
			return err
		}
		if len(o.events) == 0 && len(o.woken) == 0 {
			continue
		}
		err := tx.Pipe.AddReading(func(h dbsqlc.DBTX) error {
			woken, err := Queries.WebhookDeliveryOwe(ctx, h, dbsqlc.WebhookDeliveryOweParams{
				EventIds: PresentList(o.events), EndpointIds: PresentList(o.endpoints), EnvironmentID: environmentID, Now: tx.Real,
				WokenIds: PresentList(o.woken), LostBefore: tx.Real.Add(-signalPatience),
			})
			for _, id := range woken {
				tx.AfterCommit(WakeEndpoint{EnvironmentID: environmentID, ID: id})
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	clear(tx.owed) // later deliveries are collected again
	return nil
}

// WebhookDeliveryID is the id of the delivery of an event to an endpoint, which WebhookDeliveryOwe gives it: the answer
// to a request is rendered before that statement is sent.
func WebhookDeliveryID(eventID, endpointID string) string {
	sum := md5.Sum([]byte(eventID + endpointID)) //nolint:gosec // see the import
	made := strings.TrimPrefix(eventID, id.Event)[:10]
	return id.Delivery + made + hex.EncodeToString(sum[:])[:16]
}

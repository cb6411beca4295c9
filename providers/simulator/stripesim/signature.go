package stripesim

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"perennial/providers/simulator/core"
)

// Sign makes the Stripe-Signature header of a body.
func Sign(body []byte, secret string, at time.Time) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "%d.%s", at.Unix(), body) // a MAC takes everything
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
}

// Sign signs as Stripe does; a forger does not know the secret.
func (*Dialect) Sign(o core.Outgoing) core.Signed {
	secret := o.Secret
	if o.Forged {
		secret += "-forged"
	}
	return core.Signed{Body: o.Body, Header: http.Header{"Stripe-Signature": {Sign(o.Body, secret, o.At)}}}
}

// Falsify changes the object of an event.
func (*Dialect) Falsify(body []byte, l core.Lie) ([]byte, error) {
	var e map[string]any
	if err := json.Unmarshal(body, &e); err != nil {
		return nil, err
	}
	data, _ := e["data"].(map[string]any)
	object, ok := data["object"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("no object in the event %.40s", body)
	}
	switch l {
	case core.WrongAmount:
		for _, field := range []string{"amount", "amount_received", "amount_captured"} {
			if n, has := object[field].(float64); has && n > 0 {
				object[field] = n + 100
			}
		}
	case core.UnknownReference:
		if metadata, has := object["metadata"].(map[string]any); has {
			delete(metadata, "txn_id")
		}
		return withoutReferences(e, object)
	}
	return json.Marshal(e)
}

// withoutReferences is the event with references of nothing, wherever they are in it.
func withoutReferences(e, object map[string]any) ([]byte, error) {
	body, err := json.Marshal(e)
	for _, field := range []string{"id", "payment_intent"} {
		if id, has := object[field].(string); has {
			body = bytes.ReplaceAll(body, []byte(id), []byte(id[:3]+"unknown"))
		}
	}
	return body, err
}

// event freezes the object as it is now. The caller holds the lock.
func (s *Dialect) event(name string, live bool, object map[string]any, asynchronous bool) core.Message {
	id := newID("evt_")
	body, _ := json.Marshal(map[string]any{ // maps of plain values always marshal
		"id": id, "object": "event", "api_version": "2026-03-25.dahlia", "created": s.server.Now().Unix(),
		"data": map[string]any{"object": object}, "livemode": live, "pending_webhooks": 1,
		"request": map[string]any{"id": nil, "idempotency_key": nil}, "type": name,
	})
	return core.Message{ID: id, Type: name, Asynchronous: asynchronous, Body: body}
}

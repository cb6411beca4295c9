package flutterwavesim

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"

	"perennial/providers/simulator/core"
)

// Sign makes the flutterwave-signature header of a body.
func Sign(body []byte, hash string) string {
	mac := hmac.New(sha256.New, []byte(hash))
	mac.Write(body)
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Sign signs as integrations say that Flutterwave does, or sends the hash itself as its documents say. A forger does
// not know it.
func (s *Dialect) Sign(o core.Outgoing) core.Signed {
	hash := o.Secret
	if o.Forged {
		hash += "-forged"
	}
	signature := Sign(o.Body, hash)
	if s.config.PlainHash {
		signature = hash
	}
	return core.Signed{Body: o.Body, Header: http.Header{"Flutterwave-Signature": {signature}}}
}

// Falsify changes the object of a webhook.
func (*Dialect) Falsify(body []byte, l core.Lie) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var w map[string]any
	if err := d.Decode(&w); err != nil {
		return nil, err
	}
	data, ok := w["data"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("no object in the webhook %.40s", body)
	}
	switch l {
	case core.WrongAmount:
		for _, field := range []string{"amount", "amount_refunded"} {
			if n, has := data[field].(json.Number); has {
				data[field] = "1" + n // a digit more
			}
		}
	case core.UnknownReference:
		for _, field := range []string{"id", "charge_id"} {
			if id, has := data[field].(string); has {
				data[field] = id[:3] + "_unknown"
			}
		}
		delete(data, "meta")
		delete(data, "reference")
	}
	return json.Marshal(w)
}

// message freezes an object as it is now. The caller holds the lock.
func (s *Dialect) message(name string, object map[string]any, asynchronous bool) core.Message {
	id := newID("wbk_")
	body, _ := json.Marshal(map[string]any{ // maps of plain values always marshal
		"webhook_id": id, "timestamp": s.server.Now().UnixMilli(), "type": name, "data": object,
	})
	return core.Message{ID: id, Type: name, Asynchronous: asynchronous, Body: body}
}

package flutterwave

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"perennial/billing/fault"
	"perennial/providers"
)

// webhook is Flutterwave's message. Its time is in milliseconds, and decides nothing: it is the event's, and an event
// is sent again for hours.
type webhook struct {
	ID   string `json:"webhook_id"`
	Type string `json:"type"`
	Data struct {
		ID        text   `json:"id"`
		ChargeID  string `json:"charge_id"`
		Meta      meta   `json:"meta"`
		Reference string `json:"reference"`
		Status    string `json:"status"`
	} `json:"data"`
}

// ParseCallback verifies the message, then reads its transaction. Its outcome is only a hint: Flutterwave wants every
// payment to be read again, and where the account's signature is plain it proves only the sender of the message, not
// its contents. Faults: `callback_signature_invalid` (Unauthorized), `callback_malformed` (Invalid).
func (f *Flutterwave) ParseCallback(
	_ context.Context, in providers.CallbackRequest, _ time.Time,
) ([]providers.Callback, providers.Acknowledgement, error) {
	if err := f.verify(in.Header, in.Body); err != nil {
		return nil, providers.Acknowledgement{}, err
	}
	var w webhook
	if err := json.Unmarshal(in.Body, &w); err != nil || w.Type == "" {
		return nil, providers.Acknowledgement{}, fault.New(fault.Invalid, "callback_malformed",
			"The signed body is not a Flutterwave webhook.")
	}
	// Flutterwave reads the status only.
	return []providers.Callback{w.read(in.Body)}, providers.Acknowledgement{
		ContentType: "application/json", Body: `{"received":true}`,
	}, nil
}

// maxEventID is the longest ID that we store as it is.
const maxEventID = 200

func (w webhook) read(body []byte) providers.Callback {
	cb := providers.Callback{EventID: w.ID, Type: w.Type}
	if w.ID == "" || len(w.ID) > maxEventID {
		sum := sha256.Sum256(body)
		cb.EventID = "sha256_" + hex.EncodeToString(sum[:])
	}
	object, _, _ := strings.Cut(w.Type, ".")
	switch object {
	case "charge":
		cb.Ref, cb.TransactionID, cb.Key = string(w.Data.ID), w.Data.Meta.TransactionID, ourKey(w.Data.Reference)
		cb.Kind = chargeKinds[w.Data.Status] // failures may be of type charge.completed too
	case "refund":
		cb.Ref, cb.TransactionID = string(w.Data.ID), w.Data.Meta.TransactionID
		cb.Kind = refundKinds[w.Data.Status]
		if cb.TransactionID == "" { // made without us: what concerns us is its charge
			cb.Ref, cb.Kind = w.Data.ChargeID, providers.KindRefunded
		}
	case "chargeback":
		cb.Ref, cb.Kind = w.Data.ChargeID, providers.KindDisputed
	}
	return cb
}

// chargeKinds and refundKinds are the statuses that mean one thing.
var (
	chargeKinds = map[string]providers.Kind{
		"pending": providers.KindProcessing, "succeeded": providers.KindSucceeded,
		"failed": providers.KindFailed, "voided": providers.KindFailed,
	}
	refundKinds = map[string]providers.Kind{
		"new": providers.KindProcessing, "pending": providers.KindProcessing,
		"succeeded": providers.KindSucceeded, "completed": providers.KindSucceeded,
		"failed": providers.KindFailed, "cancelled": providers.KindFailed,
	}
)

// verify compares in constant time. Flutterwave's own sample compares the header with the secret hash itself, while
// integrations verify a MAC of the body under it; the account's configuration says which.
func (f *Flutterwave) verify(header http.Header, body []byte) error {
	hash := f.webhookSecret.Reveal()
	if hash == "" {
		return fault.New(fault.Unauthorized, "callback_signature_invalid",
			"The secret hash is not configured, so callbacks cannot be verified.")
	}
	signature := header.Get("Flutterwave-Signature")
	if f.plainHash {
		if same(signature, hash) || same(header.Get("Verif-Hash"), hash) {
			return nil
		}
		return fault.New(fault.Unauthorized, "callback_signature_invalid",
			"The flutterwave-signature header is not the secret hash.")
	}
	mac := hmac.New(sha256.New, []byte(hash))
	mac.Write(body)
	got, err := base64.StdEncoding.DecodeString(signature)
	if err != nil || !hmac.Equal(got, mac.Sum(nil)) {
		return fault.New(fault.Unauthorized, "callback_signature_invalid",
			"The flutterwave-signature header does not match the body. "+
				"If the account sends the secret hash itself, set %s to %q.", FieldWebhookSignature, SignaturePlain)
	}
	return nil
}

// same compares two texts in constant time: the time shows neither how much of them agrees nor how long they are.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return hmac.Equal(x[:], y[:])
}

package stripe

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"perennial/billing/fault"
	"perennial/providers"
)

// tolerance is the age of a signed message, or its lead over our clock, that is accepted.
const tolerance = 300 * time.Second

type event struct {
	ID       string `json:"id"`
	Object   string `json:"object"`
	Type     string `json:"type"`
	Livemode bool   `json:"livemode"`
	Data     struct {
		Object struct {
			ID            string            `json:"id"`
			Object        string            `json:"object"`
			Metadata      map[string]string `json:"metadata"`
			PaymentIntent string            `json:"payment_intent"`
			Status        string            `json:"status"`
			Currency      string            `json:"currency"`
			Refunded      int64             `json:"amount_refunded"`
		} `json:"object"`
	} `json:"data"`
}

// ParseCallback verifies the signature over the raw body, then reads the event's transaction. Events arrive late, twice
// and out of order, so they are only hints: the caller reads the object again before it books anything. Faults:
// `callback_signature_invalid` and `callback_stale` (Unauthorized), `callback_malformed` and
// `callback_environment_mismatch` (Invalid).
func (s *Stripe) ParseCallback(
	_ context.Context, in providers.CallbackRequest, now time.Time,
) ([]providers.Callback, providers.Acknowledgement, error) {
	if err := s.verify(in.Header.Get("Stripe-Signature"), in.Body, now); err != nil {
		return nil, providers.Acknowledgement{}, err
	}
	callback, err := s.read(in.Body)
	if err != nil {
		return nil, providers.Acknowledgement{}, err
	}
	// Stripe reads the status only.
	return []providers.Callback{callback}, providers.Acknowledgement{
		ContentType: "application/json", Body: `{"received":true}`,
	}, nil
}

func (s *Stripe) read(body []byte) (providers.Callback, error) {
	var e event
	if err := json.Unmarshal(body, &e); err != nil || e.ID == "" || e.Type == "" {
		return providers.Callback{}, fault.New(fault.Invalid, "callback_malformed",
			"The signed body is not a Stripe event.")
	}
	if e.Livemode != s.live {
		return providers.Callback{}, fault.New(fault.Invalid, "callback_environment_mismatch",
			"A %s event reached a %s environment. "+
				"Give each mode its own endpoint in the Stripe dashboard.", mode(e.Livemode), mode(s.live))
	}
	cb := providers.Callback{EventID: e.ID, Type: e.Type, Kind: e.kind(), TransactionID: e.Data.Object.Metadata[txnKey]}
	switch e.Data.Object.Object {
	case "payment_intent", "refund":
		cb.Ref = e.Data.Object.ID
	case "charge": // a Charge is a detail of its intent, which is the reference we keep
		cb.Ref = e.Data.Object.PaymentIntent
		// An amount that cannot be read leaves zero: then the charge is looked at.
		cb.AmountRefunded, _, _ = fromWire(e.Data.Object.Refunded, e.Data.Object.Currency)
	case "dispute":
		cb.Ref = e.Data.Object.PaymentIntent
	}
	return cb, nil
}

// kinds are the event types that mean one thing.
var kinds = map[string]providers.Kind{
	"payment_intent.created":         providers.KindCreated,
	"payment_intent.processing":      providers.KindProcessing,
	"payment_intent.requires_action": providers.KindProcessing,
	"payment_intent.succeeded":       providers.KindSucceeded,
	"payment_intent.payment_failed":  providers.KindFailed,
	"payment_intent.canceled":        providers.KindFailed,
	"charge.pending":                 providers.KindProcessing,
	"charge.succeeded":               providers.KindSucceeded,
	"charge.failed":                  providers.KindFailed,
	"charge.refunded":                providers.KindRefunded,
}

// states are the statuses of a charge or a refund, at the moment of the event.
var states = map[string]providers.Kind{
	"pending": providers.KindProcessing, "succeeded": providers.KindSucceeded,
	"failed": providers.KindFailed, "canceled": providers.KindFailed,
}

// kind returns the kind of the event. Events about a detail of a charge or a refund follow nearly every payment; the
// status in them shows whether there can be news.
func (e event) kind() providers.Kind {
	if kind, ok := kinds[e.Type]; ok {
		return kind
	}
	switch {
	case e.Data.Object.Object == "dispute":
		return providers.KindDisputed
	case e.Data.Object.Object == "refund", e.Type == "charge.updated":
		return states[e.Data.Object.Status]
	}
	return providers.KindUnknown
}

func (s *Stripe) verify(header string, body []byte, now time.Time) error {
	forged := fault.New(fault.Unauthorized, "callback_signature_invalid",
		"The Stripe-Signature header does not match the body.")
	key := s.webhookSecret.Reveal()
	if key == "" {
		return fault.New(fault.Unauthorized, "callback_signature_invalid",
			"The webhook secret is not configured, so callbacks cannot be verified.")
	}
	timestamp, signatures := parseSignature(header)
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return forged
	}
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	want := mac.Sum(nil)
	genuine := false
	for _, sig := range signatures {
		got, err := hex.DecodeString(sig)
		genuine = (err == nil && hmac.Equal(got, want)) || genuine
	}
	if !genuine {
		return forged
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
		return fault.New(fault.Unauthorized, "callback_stale",
			"The callback was signed more than %d s before or after now. "+
				"Check the server's clock if the callback is not an old one.", int(tolerance.Seconds()))
	}
	return nil
}

// parseSignature reads `t=<unix>,v1=<hex>[,v1=<hex>][,v0=…]`. There are several v1 while a secret is being rolled.
func parseSignature(header string) (timestamp string, v1 []string) {
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			timestamp = value
		case "v1":
			v1 = append(v1, value)
		}
	}
	return timestamp, v1
}

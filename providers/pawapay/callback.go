package pawapay

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"strings"
	"time"

	"perennial/billing/fault"
	"perennial/providers"
)

// statuses are the statuses of callbacks, and their kinds.
var statuses = map[string]providers.Kind{
	"ACCEPTED": providers.KindCreated, "PROCESSING": providers.KindProcessing,
	"COMPLETED": providers.KindSucceeded, "FAILED": providers.KindFailed,
}

// ParseCallback verifies a message, then reads whom it is about. A signed one is verified over its raw body; an account
// without signed callbacks must use an address that ends with the webhook secret. Either is a hint: the caller looks
// the operation up before it books anything. Faults: `callback_signature_invalid` and `callback_stale` (Unauthorized),
// `callback_malformed` (Invalid), `provider_unavailable` (Unavailable: pawaPay's public keys could not be read).
func (p *PawaPay) ParseCallback(
	ctx context.Context, in providers.CallbackRequest, now time.Time,
) ([]providers.Callback, providers.Acknowledgement, error) {
	if err := p.authenticate(ctx, in, now); err != nil {
		return nil, providers.Acknowledgement{}, err
	}
	callback, err := readCallback(in.Body)
	if err != nil {
		return nil, providers.Acknowledgement{}, err
	}
	// pawaPay reads the status only.
	return []providers.Callback{callback}, providers.Acknowledgement{
		ContentType: "application/json", Body: `{"received":true}`,
	}, nil
}

// authenticate never lets the secret of the path make up for a signature that is wrong.
func (p *PawaPay) authenticate(ctx context.Context, in providers.CallbackRequest, now time.Time) error {
	if in.Header.Get(headerSignature) != "" || in.Header.Get(headerSignatureInput) != "" {
		return p.verify(ctx, in, now)
	}
	secret := p.webhookSecret.Reveal()
	if secret == "" {
		return forged("The callback is not signed. Switch on signed callbacks in the pawaPay dashboard, " +
			"or store a webhook secret and end the callback URL with it.")
	}
	last := in.Path[strings.LastIndexByte(in.Path, '/')+1:]
	got, want := sha256.Sum256([]byte(last)), sha256.Sum256([]byte(secret))
	if subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
		return forged("The callback is not signed, and its URL does not end with the webhook secret.")
	}
	return nil
}

func forged(detail string) error {
	return fault.New(fault.Unauthorized, "callback_signature_invalid", "%s", detail)
}

// readCallback reads a deposit or a refund. Both are sent without an envelope or an event ID: pawaPay sends each status
// of an operation once, except for repeats.
func readCallback(body []byte) (providers.Callback, error) {
	var r record
	err := json.Unmarshal(body, &r)
	name, id := "deposit", r.DepositID
	if r.RefundID != "" { // a refund may name its deposit too
		name, id = "refund", r.RefundID
	}
	if err != nil || id == "" || r.Status == "" {
		return providers.Callback{}, fault.New(fault.Invalid, "callback_malformed",
			"The body is not a callback about a pawaPay deposit or refund.")
	}
	return providers.Callback{
		EventID: name + ":" + id + ":" + r.Status, Type: name + "." + strings.ToLower(r.Status), Kind: statuses[r.Status],
		TransactionID: r.transactionID(), Key: fromOperationID(id), Ref: id,
	}, nil
}

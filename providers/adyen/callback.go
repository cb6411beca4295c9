package adyen

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"perennial/billing/fault"
	"perennial/providers"
)

// notification is the body of a standard webhook.
type notification struct {
	Live  json.RawMessage `json:"live"` // the string "true", or a boolean
	Items []struct {
		Item item `json:"NotificationRequestItem"`
	} `json:"notificationItems"`
}

// item is one thing that Adyen says. The signature covers the fields above reason; nothing else may decide anything.
type item struct {
	PSPReference        string `json:"pspReference"`
	OriginalReference   string `json:"originalReference"`
	MerchantAccountCode string `json:"merchantAccountCode"`
	MerchantReference   string `json:"merchantReference"`
	Amount              struct {
		Value    json.Number `json:"value"`
		Currency string      `json:"currency"`
	} `json:"amount"`
	EventCode string `json:"eventCode"`
	Success   string `json:"success"`

	Reason         string `json:"reason"`
	AdditionalData struct {
		HMACSignature        string `json:"hmacSignature"`
		ChargebackReasonCode string `json:"chargebackReasonCode"`
		DefensePeriodEndsAt  string `json:"defensePeriodEndsAt"`
	} `json:"additionalData"`
}

// maxItems bounds the work that an unsigned message can cause; Adyen sends one item, at most a few.
const maxItems = 100

// acknowledgement is the response by which Adyen counts a message as received.
var acknowledgement = providers.Acknowledgement{ContentType: "text/plain; charset=utf-8", Body: "[accepted]"}

// ParseCallback verifies the signature of every item, then says what each means. The signature has no time, so an old
// message is a repeat: its EventID tells. Faults: `callback_signature_invalid` (Unauthorized), for the whole message if
// one item is not genuine; `callback_environment_mismatch` (Invalid).
func (a *Adyen) ParseCallback(
	_ context.Context, in providers.CallbackRequest, _ time.Time,
) ([]providers.Callback, providers.Acknowledgement, error) {
	if a.hmacKey.Reveal() == "" {
		return nil, providers.Acknowledgement{}, fault.New(fault.Unauthorized, "callback_signature_invalid",
			"The HMAC key of the webhook is not configured, so callbacks cannot be verified.")
	}
	var n notification
	if json.Unmarshal(in.Body, &n) != nil || len(n.Items) == 0 || len(n.Items) > maxItems {
		return nil, providers.Acknowledgement{}, forged()
	}
	for _, wrapped := range n.Items {
		if !a.genuine(wrapped.Item) {
			return nil, providers.Acknowledgement{}, forged()
		}
	}
	if live := strings.Trim(string(n.Live), `"`); live != liveFlag(a.live) {
		return nil, providers.Acknowledgement{}, fault.New(fault.Invalid, "callback_environment_mismatch",
			"The message is not of Adyen's %s environment. Give each environment its own webhook in its Customer Area.",
			mode(a.live))
	}
	said := make([]providers.Callback, 0, len(n.Items))
	for _, wrapped := range n.Items {
		said = append(said, a.read(wrapped.Item))
	}
	return said, acknowledgement, nil
}

func forged() error {
	return fault.New(fault.Unauthorized, "callback_signature_invalid",
		"The message has an item without a valid HMAC signature. Check that the HMAC key is the one of this webhook.")
}

func liveFlag(live bool) string {
	if live {
		return "true"
	}
	return "false"
}

// genuine compares the item's HMAC. The signed string joins the fields with colons and escapes none: the borders
// between them cannot be moved only if at most one field may have a colon.
func (a *Adyen) genuine(i item) bool {
	signed := []string{
		i.PSPReference, i.OriginalReference, i.MerchantAccountCode, i.MerchantReference, i.Amount.Value.String(),
		i.Amount.Currency, i.EventCode, i.Success,
	}
	const merchantReference = 3 // of another program: ours have no colon
	for n, field := range signed {
		if n != merchantReference && strings.Contains(field, ":") {
			return false
		}
	}
	got, err := base64.StdEncoding.DecodeString(i.AdditionalData.HMACSignature)
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, []byte(a.hmacKey.Reveal()))
	mac.Write([]byte(strings.Join(signed, ":")))
	return hmac.Equal(got, mac.Sum(nil))
}

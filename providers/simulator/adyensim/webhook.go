package adyensim

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"perennial/providers/simulator/core"
)

// The event codes that the simulator sends.
const (
	eventAuthorisation   = "AUTHORISATION"
	eventCancellation    = "CANCELLATION"
	eventCancelOrRefund  = "CANCEL_OR_REFUND"
	eventExpire          = "EXPIRE"
	eventRefund          = "REFUND"
	eventRefundFailed    = "REFUND_FAILED"
	eventTechnicalCancel = "TECHNICAL_CANCEL"
)

// item is one NotificationRequestItem.
type item struct {
	AdditionalData      map[string]string `json:"additionalData"`
	Amount              amount            `json:"amount"`
	EventCode           string            `json:"eventCode"`
	EventDate           string            `json:"eventDate"`
	MerchantAccountCode string            `json:"merchantAccountCode"`
	MerchantReference   string            `json:"merchantReference"`
	OriginalReference   string            `json:"originalReference,omitempty"`
	PaymentMethod       string            `json:"paymentMethod"`
	PSPReference        string            `json:"pspReference"`
	Reason              string            `json:"reason"`
	Success             string            `json:"success"`
}

type wrapped struct {
	Item item `json:"NotificationRequestItem"`
}

type notification struct {
	Live  string    `json:"live"`
	Items []wrapped `json:"notificationItems"`
}

// item is about the payment as it is now. Like Adyen's, its reason holds card digits where nothing was refused.
func (d *Dialect) item(p *payment, event string, success bool, reason string) item {
	if reason == "" {
		reason = "042862:4242:03/2030"
	}
	return item{
		AdditionalData: map[string]string{"cardHolderName": "Casey Holder", "cardSummary": "4242"},
		Amount:         amount{Currency: p.Currency, Value: p.Value},
		EventCode:      event, EventDate: d.server.Now().Format(time.RFC3339), MerchantAccountCode: p.Account,
		MerchantReference: p.Reference, PaymentMethod: "visa", PSPReference: p.PSP, Reason: reason,
		Success: strconv.FormatBool(success),
	}
}

func (d *Dialect) authorisation(p *payment, refused string, asynchronous bool) core.Message {
	return d.message(asynchronous, d.item(p, eventAuthorisation, refused == "", refused))
}

// refundItem is about a refund; the reference is the refund's own.
func (d *Dialect) refundItem(p *payment, r *refund, event string, success bool) item {
	i := d.item(p, event, success, "Refund")
	i.PSPReference, i.OriginalReference, i.MerchantReference, i.Amount.Value = r.PSP, p.PSP, r.Reference, r.Value
	return i
}

// message freezes items, which arrive together. Its ID is that of the first, by which a receiver recognizes repeats.
func (d *Dialect) message(asynchronous bool, items ...item) core.Message {
	n := notification{Live: strconv.FormatBool(d.config.Live)}
	for _, i := range items {
		n.Items = append(n.Items, wrapped{i})
	}
	body, _ := json.Marshal(n) // strings and numbers always marshal
	first := items[0]
	return core.Message{
		ID:   first.EventCode + ":" + first.PSPReference + ":" + first.Success,
		Type: first.EventCode, Asynchronous: asynchronous, Body: body,
	}
}

// Sign puts an HMAC into every item. The secret is hexadecimal; any other signs with its own bytes. A forger does not
// know the key of the last item.
func (*Dialect) Sign(o core.Outgoing) core.Signed {
	var n notification
	if json.Unmarshal(o.Body, &n) != nil {
		return core.Signed{Body: o.Body}
	}
	key, err := hex.DecodeString(o.Secret)
	if err != nil {
		key = []byte(o.Secret)
	}
	for at := range n.Items {
		if o.Forged && at == len(n.Items)-1 {
			key = append(key, "forged"...)
		}
		i := &n.Items[at].Item
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(strings.Join([]string{
			i.PSPReference, i.OriginalReference, i.MerchantAccountCode, i.MerchantReference,
			strconv.FormatInt(i.Amount.Value, 10), i.Amount.Currency, i.EventCode, i.Success,
		}, ":")))
		if i.AdditionalData == nil {
			i.AdditionalData = map[string]string{}
		}
		i.AdditionalData["hmacSignature"] = base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	body, _ := json.Marshal(n)
	return core.Signed{Body: body}
}

// Falsify changes the items of a message, before they are signed.
func (*Dialect) Falsify(body []byte, l core.Lie) ([]byte, error) {
	var n notification
	if err := json.Unmarshal(body, &n); err != nil {
		return nil, err
	}
	for at := range n.Items {
		i := &n.Items[at].Item
		switch l {
		case core.WrongAmount:
			i.Amount.Value += 100
		case core.UnknownReference:
			i.MerchantReference, i.PSPReference, i.OriginalReference = "unknown", "UNKNOWN000000000", ""
		}
	}
	return json.Marshal(n)
}

package flutterwavesim

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"perennial/billing/money"
	"perennial/providers/simulator/core"
)

// charge as the ledger keeps it; never changed in place. Of the payer it keeps nothing.
type charge struct {
	ID          string            `json:"id"`
	Amount      int64             `json:"amount"` // ISO minor units
	Wire        string            `json:"wire"`   // as the request said it
	Created     time.Time         `json:"created"`
	Currency    string            `json:"currency"`
	Customer    string            `json:"customer"`
	Disputed    bool              `json:"disputed,omitempty"`
	Key         string            `json:"key,omitempty"` // of the request, for a capture that comes later
	Live        bool              `json:"live,omitempty"`
	Meta        map[string]string `json:"meta,omitempty"`
	Method      string            `json:"method"`            // card, mobile_money
	Network     string            `json:"network,omitempty"` // of mobile money
	Next        string            `json:"next,omitempty"`
	Processor   string            `json:"processor"`
	Code        string            `json:"code"`
	RedirectURL string            `json:"redirect_url,omitempty"`
	Reference   string            `json:"reference"`
	Refunded    int64             `json:"refunded,omitempty"` // also what is on its way back
	Refunds     string            `json:"refunds,omitempty"`
	SettleAt    *time.Time        `json:"settle_at,omitempty"`
	SettleTo    string            `json:"settle_to,omitempty"`
	Status      string            `json:"status"`
}

// The statuses.
const (
	pending      = "pending"
	succeeded    = "succeeded"
	statusFailed = "failed"
)

// render is the charge as Flutterwave shows it, with bait: names, numbers and addresses that no client may keep.
func (c *charge) render() map[string]any {
	details := map[string]any{"id": "pmd_hidden", "type": c.Method}
	if c.Method == "card" {
		details["card"] = map[string]any{"first6": "424242", "last4": "4242", "expiry_month": "09", "expiry_year": "32"}
	} else {
		details["mobile_money"] = map[string]any{"network": c.Network, "country_code": "000", "phone_number": "555019283"}
	}
	out := map[string]any{
		"id": c.ID, "amount": json.Number(c.Wire), "currency": c.Currency, "created_datetime": datetime(c.Created),
		"customer_id": c.Customer, "disputed": c.Disputed, "refunded": c.Refunded > 0 && c.Refunded == c.Amount,
		"meta": orEmpty(c.Meta), "payment_method_details": details, "reference": c.Reference, "status": c.Status,
		"processor_response": map[string]any{"type": c.Processor, "code": c.Code},
		"billing_details": map[string]any{
			"email": "holder@example.org", "name": map[string]any{"first": "Casey", "last": "Holder"},
			"phone": map[string]any{"country_code": "000", "number": "555019283"},
		},
	}
	if c.RedirectURL != "" {
		out["redirect_url"] = c.RedirectURL
	}
	switch {
	case c.Status != pending || c.Next == "":
	case c.Next == "redirect_url":
		out["next_action"] = map[string]any{
			"type": c.Next, "redirect_url": map[string]any{"url": "https://redirect.example/" + c.ID + "?token=bait_token"},
		}
	case c.Next == "payment_instruction":
		out["next_action"] = map[string]any{
			"type": c.Next, "payment_instruction": map[string]any{"note": "Confirm the prompt on 555019283"},
		}
	default:
		out["next_action"] = map[string]any{"type": c.Next}
	}
	return out
}

func orEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

// settled is a charge that ended.
func (c *charge) settled(processor string) *charge {
	next := *c
	next.SettleAt, next.SettleTo, next.Next = nil, "", ""
	next.Status, next.Processor, next.Code = statusFailed, processor, processorTypes[processor]
	if processor == "approved" {
		next.Status, next.Code = succeeded, "00"
	}
	return &next
}

// chargeEffect is a new or changed charge, with its entry in the books where it captured.
func (s *Dialect) chargeEffect(c *charge, messages ...core.Message) *core.Effect {
	e := &core.Effect{Kind: chargeChanged, Change: &record{Charge: c}, Messages: messages}
	if c.Status == succeeded {
		e.Kind = core.Capture
		e.Movements = []core.Movement{movement(core.Capture, c, c.Amount)}
		e.Movements[0].Key = c.Key
	}
	return e
}

var invoiceID = regexp.MustCompile(`\bin_[0-9A-Za-z]+`)

// movement is an entry about a charge.
func movement(kind string, c *charge, amount int64) core.Movement {
	m := core.Movement{
		Kind: kind, TransactionID: c.Meta["txn_id"], Charge: c.ID, Amount: amount, WireAmount: c.Wire, Currency: c.Currency,
		Customer: c.Customer, Invoice: invoiceID.FindString(c.Meta["description"]), Live: c.Live,
	}
	if amount != c.Amount {
		m.WireAmount = toWire(amount, c.Currency)
	}
	return m
}

// toWire is an amount in ISO minor units as Flutterwave writes it.
func toWire(amount int64, currency string) string {
	n := money.FormatUnits(money.Minor(amount), money.Currency(currency))
	if strings.Contains(n, ".") {
		n = strings.TrimRight(strings.TrimRight(n, "0"), ".")
	}
	return n
}

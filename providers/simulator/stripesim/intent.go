package stripesim

import (
	"time"
)

// The statuses of a payment intent that the simulator uses, and `failed`, which is a possible settlement.
const (
	processing            = "processing"
	requiresAction        = "requires_action"
	requiresConfirmation  = "requires_confirmation"
	requiresPaymentMethod = "requires_payment_method"
	statusCanceled        = "canceled"
	succeeded             = "succeeded"
	failed                = "failed"
)

// intent is a payment intent as the ledger keeps it. It is never changed in place: a change is a copy in a record.
type intent struct {
	ID                 string            `json:"id"`
	Amount             int64             `json:"amount"`
	AmountRefunded     int64             `json:"amount_refunded,omitempty"` // pending refunds included
	CanceledAt         *time.Time        `json:"canceled_at,omitempty"`
	CancellationReason string            `json:"cancellation_reason,omitempty"`
	Charge             string            `json:"charge,omitempty"`
	Created            time.Time         `json:"created"`
	Currency           string            `json:"currency"`
	Customer           string            `json:"customer,omitempty"`
	Description        string            `json:"description,omitempty"`
	LastError          *failure          `json:"last_error,omitempty"`
	Live               bool              `json:"live"`
	Metadata           map[string]string `json:"metadata,omitempty"`
	PaymentMethod      string            `json:"payment_method,omitempty"`
	PayersPage         string            `json:"payers_page,omitempty"` // where the payer authenticates
	Refunds            string            `json:"refunds,omitempty"`     // behaviour of its refunds
	ReturnURL          string            `json:"return_url,omitempty"`
	SettleAt           *time.Time        `json:"settle_at,omitempty"`
	SettleTo           string            `json:"settle_to,omitempty"`
	Status             string            `json:"status"`
}

// render gives the object as Stripe would. It has the data that a careless client could leak (a client secret, the
// holder's name and address, card digits), so that missing redaction fails a test.
func (pi *intent) render() map[string]any {
	received := int64(0)
	if pi.Status == succeeded {
		received = pi.Amount
	}
	return map[string]any{
		"id":                     pi.ID,
		"object":                 "payment_intent",
		"amount":                 pi.Amount,
		"amount_capturable":      0,
		"amount_received":        received,
		"canceled_at":            unix(pi.CanceledAt),
		"cancellation_reason":    orNull(pi.CancellationReason),
		"capture_method":         "automatic",
		"client_secret":          pi.ID + "_secret_simulated",
		"confirmation_method":    "automatic",
		"created":                pi.Created.Unix(),
		"currency":               pi.Currency,
		"customer":               orNull(pi.Customer),
		"description":            orNull(pi.Description),
		"last_payment_error":     pi.lastPaymentError(),
		"latest_charge":          orNull(pi.Charge),
		"livemode":               pi.Live,
		"metadata":               orEmpty(pi.Metadata),
		"next_action":            pi.nextAction(),
		"payment_method":         orNull(pi.PaymentMethod),
		"payment_method_types":   []string{"card"},
		"receipt_email":          "holder@example.com",
		"setup_future_usage":     nil,
		"shipping":               nil,
		"statement_descriptor":   nil,
		"transfer_data":          nil,
		"payment_method_options": map[string]any{},
		"status":                 pi.Status,
	}
}

func (pi *intent) lastPaymentError() any {
	if pi.LastError == nil {
		return nil
	}
	f := *pi.LastError
	f.PaymentMethod = map[string]any{
		"id":     pi.PaymentMethod,
		"object": "payment_method",
		"billing_details": map[string]any{
			"email": "holder@example.com", "name": "Casey Holder", "phone": nil,
			"address": map[string]any{"city": "Douala", "country": "CM"},
		},
		"card": map[string]any{
			"brand": "visa", "exp_month": 8, "exp_year": 2031, "fingerprint": "Xt5EWLLDS7FJjR1c", "last4": "4242",
		},
		"type": "card",
	}
	return f
}

func (pi *intent) nextAction() any {
	if pi.Status != requiresAction {
		return nil
	}
	if pi.PayersPage != "" {
		return map[string]any{
			"type": "redirect_to_url", "redirect_to_url": map[string]any{"return_url": pi.ReturnURL, "url": pi.PayersPage},
		}
	}
	return map[string]any{"type": "use_stripe_sdk", "use_stripe_sdk": map[string]any{"type": "three_d_secure_redirect"}}
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func orEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

func unix(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.Unix()
}

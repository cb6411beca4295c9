package movefile

import (
	"encoding/json"
	"io"

	"perennial/billing/moving"
)

// Writer writes an export as JSON Lines.
type Writer struct{ lines *json.Encoder }

// NewWriter writes to out, which should be buffered.
func NewWriter(out io.Writer) *Writer {
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	return &Writer{lines}
}

// Customer writes a record of one, with the id that it has here.
func (w *Writer) Customer(c moving.Customer, perennialID string) error {
	return w.lines.Encode(customerForm{moving.CustomerType, c, perennialID})
}

// Subscription writes a record of one, with the id that it has here.
func (w *Writer) Subscription(s moving.Subscription, perennialID string) error {
	return w.lines.Encode(subscriptionForm{moving.SubscriptionType, s, perennialID})
}

// Balance writes a record of one.
func (w *Writer) Balance(b moving.Balance, perennialID string) error {
	return w.lines.Encode(balanceForm{moving.BalanceType, b, perennialID})
}

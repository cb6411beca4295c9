package movefile

import (
	"perennial/billing/creditnote"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/moving"
)

// creditNoteForm is a credit note, for accounting. It is not imported: its number is of the books that it is in.
type creditNoteForm struct {
	Type           moving.Type       `json:"type"`
	ID             string            `json:"id"`
	Number         int64             `json:"number"`
	InvoiceID      string            `json:"invoiceId"`
	CustomerID     string            `json:"customerId"`
	SubscriptionID string            `json:"subscriptionId,omitempty"`
	Currency       money.Currency    `json:"currency"`
	Reason         creditnote.Reason `json:"reason"`
	Lines          []creditLineForm  `json:"lines"`
	Subtotal       money.Minor       `json:"subtotal"`
	Tax            money.Minor       `json:"tax"`
	Taxes          invoice.Taxes     `json:"taxes,omitempty"`
	Total          money.Minor       `json:"total"`
	// The total is taken off the amount due of its invoice, given to the balance, or given back in money.
	AmountDueReduced money.Minor `json:"amountDueReduced,omitempty"`
	ToBalance        money.Minor `json:"toBalance,omitempty"`
	Refunded         money.Minor `json:"refunded,omitempty"`
	RefundID         string      `json:"refundId,omitempty"`
	CreatedAt        moving.Time `json:"createdAt"`
}

type creditLineForm struct {
	InvoiceLineID string      `json:"invoiceLineId"`
	Amount        money.Minor `json:"amount"`
}

// CreditNote writes one with its lines.
func (w *Writer) CreditNote(n creditnote.Note) error {
	f := creditNoteForm{
		Type: moving.CreditNoteType, ID: n.ID, Number: n.Number, InvoiceID: n.InvoiceID, CustomerID: n.CustomerID,
		SubscriptionID: n.SubscriptionID, Currency: n.Currency, Reason: n.Reason, Subtotal: n.Subtotal, Tax: n.Tax,
		Taxes: n.Taxes, Total: n.Total, AmountDueReduced: n.Due, ToBalance: n.Balance, Refunded: n.Refund,
		RefundID: n.RefundID, CreatedAt: moving.At(n.CreatedAt), Lines: make([]creditLineForm, len(n.Lines)),
	}
	for i, l := range n.Lines {
		f.Lines[i] = creditLineForm(l)
	}
	return w.lines.Encode(f)
}

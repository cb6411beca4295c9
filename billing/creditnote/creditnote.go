// Package creditnote owns the amounts that a credit note gives back of an issued invoice, and where they go: off the
// amount due of an open invoice; of a paid one to the customer's balance, or back in money. It does not own the
// arithmetic of discounts and taxes (totals), how an invoice is paid (lifecycle), nor how a refund moves (payment).
package creditnote

import (
	"time"

	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/tax"
)

// Reason is the reason of a credit note.
type Reason string

// The reasons.
const (
	Duplicate      Reason = "duplicate"
	Fraudulent     Reason = "fraudulent"
	OrderChange    Reason = "order_change"
	Unsatisfactory Reason = "unsatisfactory"
	Goodwill       Reason = "goodwill"
	Other          Reason = "other"
)

// Line is a part of an invoice's line that is given back, after discounts and before taxes, in minor units.
type Line struct {
	InvoiceLineID string
	Amount        money.Minor
}

// Note is a credit note. Its amounts are minor units of Currency: Subtotal + Tax = Total = Due + Balance + Refund.
type Note struct {
	ID             string
	Number         int64 // gapless per environment, apart from the numbers of invoices
	InvoiceID      string
	CustomerID     string
	SubscriptionID string // of the invoice; empty: it has none
	Currency       money.Currency
	Seller         invoice.Seller // those of the invoice: what it billed is what the note takes back
	Buyer          invoice.Buyer  // erased with the customer
	TaxExempt      tax.Exemption  // of the invoice
	Reason         Reason
	Memo           string // for the customer; may be empty
	Lines          []Line
	Subtotal       money.Minor   // the lines, without the taxes that are added
	Tax            money.Minor   // that was added to them
	Taxes          invoice.Taxes // by rate
	Total          money.Minor
	Due            money.Minor // taken off the amount due of the open invoice
	Balance        money.Minor // given to the customer's balance
	Refund         money.Minor // given back in money
	RefundID       string      // the transaction that does; empty: none
	// TakenBackBy has the lines by which a decision took back those of the note; empty: a person asked for the note.
	TakenBackBy string
	CreatedAt   time.Time // in the customer's own time
}

// Announced returns the note as events show it.
func (n Note) Announced() event.CreditNote {
	return event.CreditNote{
		ID: n.ID, CustomerID: n.CustomerID, SubscriptionID: n.SubscriptionID, InvoiceID: n.InvoiceID,
		Amount: int64(n.Total), Currency: string(n.Currency), Reason: string(n.Reason),
	}
}

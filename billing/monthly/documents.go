package monthly

import (
	"time"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/tax"
)

// Worth is the worth of a document. Gross = Net + Tax, in minor units; of a negative invoice all may be below zero.
type Worth struct {
	Currency  money.Currency
	Country   string        // the buyer's, ISO 3166-1 alpha-2; empty: unknown
	Exemption tax.Exemption // why the document has no tax; empty: nothing exempts it
	Gross     money.Minor
	TaxAdded  money.Minor   // the part of Gross that was added to the lines
	Taxes     invoice.Taxes // by rate, those that the prices contain too
	Untaxed   money.Minor   // what the lines without a rate come to
}

// Contained returns the tax that the prices contain.
func (w Worth) Contained() (sum money.Minor) {
	for _, t := range w.Taxes {
		if t.Inclusive {
			sum += t.Amount
		}
	}
	return sum
}

// Tax returns all tax: added to the lines, and contained in them.
func (w Worth) Tax() money.Minor { return w.TaxAdded + w.Contained() }

// Net returns the worth without any tax.
func (w Worth) Net() money.Minor { return w.Gross - w.Tax() }

// less returns the worth without that of a credit note.
func (w Worth) less(n Worth) Worth {
	w.Gross, w.TaxAdded, w.Untaxed = w.Gross-n.Gross, w.TaxAdded-n.TaxAdded, w.Untaxed-n.Untaxed
	left := make(invoice.Taxes, len(w.Taxes))
	for i, t := range w.Taxes {
		for _, given := range n.Taxes {
			if given.ID == t.ID {
				t.Base, t.Amount = t.Base-given.Base, t.Amount-given.Amount
			}
		}
		left[i] = t
	}
	w.Taxes = left
	return w
}

// Movement is what became of a document in a month.
type Movement string

// The movements of invoices.
const (
	Issued        Movement = "issued"
	Voided        Movement = "voided"
	Uncollectible Movement = "uncollectible" // given up by a person; it stays owed and taxed
)

// The movements of payments.
const (
	Collected Movement = "collected" // a charge that succeeded
	Refunded  Movement = "refunded"  // money that went back, also what banks took because of disputes
	Returned  Movement = "returned"  // of a refund that had gone through: the bank sent the money back
)

// Invoice is an issued invoice at one of its movements.
type Invoice struct {
	ID         string
	Number     int64
	NumberText string // as the invoice shows it
	CustomerID string
	Movement   Movement
	At         time.Time
	Worth
	Asked       money.Minor // max(Gross, 0)
	Outstanding money.Minor // its amount due: of an uncollectible one, what was given up
	CreditedDue money.Minor // what credit notes took off the amount due
	Notes       []Worth     // of a voided or an uncollectible one: the credit notes before
}

// Counts returns the worth that counts in the month of the movement: of an issued invoice, the whole; of a voided or an
// uncollectible one, what the credit notes before had left.
func (i Invoice) Counts() Worth {
	left := i.Worth
	if i.Movement == Issued { // credit notes count apart, in their own months
		return left
	}
	for _, n := range i.Notes {
		left = left.less(n)
	}
	return left
}

// Note is a credit note.
type Note struct {
	ID         string
	Number     int64
	InvoiceID  string
	CustomerID string
	Reason     string
	At         time.Time
	Worth
	Due, Balance, Refund money.Minor
}

// Settlement is the success that counts for an invoice.
type Settlement struct {
	InvoiceID string
	At        time.Time
	Currency  money.Currency
	Amount    money.Minor
	// WrittenOff: the invoice had been given up, so that nothing was expected any more.
	WrittenOff bool
}

// Payment is money that moved: a charge or a refund at one of its movements.
type Payment struct {
	ID          string
	Movement    Movement
	At          time.Time
	CustomerID  string
	InvoiceID   string
	ChargeID    string // of a refund
	Provider    string
	ProviderRef string
	Status      payment.Status
	Currency    money.Currency
	Amount      money.Minor
}

// Entry is an entry of a customer's credit.
type Entry struct {
	ID         string
	CustomerID string
	InvoiceID  string
	At         time.Time
	Currency   money.Currency
	Reason     invoice.CreditReason
	Amount     money.Minor // below zero: credit was used
}

// Package document owns what an issued invoice, a credit note or a receipt says to the person who receives it: the tree
// that HTML, PDF and e-invoice show in their own ways. It is made of what the invoice froze at issue alone. It does not
// own words, the forms of numbers and dates, nor templates (package documents).
package document

import (
	"time"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/tax"
)

// Kind is the kind of a document.
type Kind string

// The kinds.
const (
	Invoice    Kind = "invoice"
	CreditNote Kind = "credit_note"
	Receipt    Kind = "receipt" // of a payment that succeeded
)

// State is what a reader of an invoice has to know before all else.
type State string

// The states. A credit note is issued and stays so.
const (
	Draft         State = "draft" // no document yet: it has no number, and may change
	Due           State = "due"
	Paid          State = "paid"
	Void          State = "void"
	Uncollectible State = "uncollectible"
	Issued        State = "issued"
)

// Document is one invoice or credit note. All amounts are minor units of Currency. Those of a credit note are what is
// given back, above zero.
type Document struct {
	Kind     Kind
	State    State
	ID       string
	Number   string // empty: a draft
	Of       string // of a credit note or a receipt: the number of its invoice
	IssuedAt time.Time
	DueAt    time.Time // zero: it is charged automatically, or is a credit note
	PaidAt   time.Time
	Locale   string // BCP 47, the buyer's; empty: the environment's
	TimeZone string // IANA, the buyer's; empty: the environment's
	Currency money.Currency
	Seller   invoice.Seller
	Buyer    invoice.Buyer
	Sections []Section
	Sums     []Sum // in the order in which they are read: the last is due, paid or given back; of a void invoice Total
	Notes    []Note
	Memo     string
	Exempt   tax.Exemption
	Taxes    invoice.Taxes // by rate; Sums show them
	Period   period.Period // zero: a credit note
	OfDate   time.Time     // when the invoice was issued that a credit note gives back of
	PaidBy   Method        // of a receipt
}

// Method is the payment method of a receipt, as a person recognizes it. The zero value is unknown.
type Method struct {
	Type     string // card or mobile_money_<operator>
	Brand    string // of a card, as the provider names it; empty: unknown
	LastFour string // digits of the card or the telephone number; empty: unknown
}

// Section has the lines of one product and period.
type Section struct {
	Period period.Period // zero: for no time, such as a fee
	Lines  []Line
}

// Line is a line of the document.
type Line struct {
	ID          string // of the line of the invoice
	Description string
	Quantity    string         // a decimal; empty: not known
	UnitPrice   string         // a decimal in major units; empty: not known
	Steps       []invoice.Step // how the amount was calculated, where it is not quantity × unit price
	Amount      money.Minor    // before discounts; of a credit note after them
	Discount    money.Minor    // what coupons take off Amount
	Rates       []tax.Rate
}

// SumKind says what a sum is.
type SumKind string

// The kinds of sums.
const (
	Subtotal       SumKind = "subtotal"
	Discount       SumKind = "discount"        // of the coupon named by Name
	AddedTax       SumKind = "tax"             // by the rate named by Name
	IncludedTax    SumKind = "included_tax"    // the same, in the prices already: it changes no other sum
	Total          SumKind = "total"           // with taxes
	CreditUsed     SumKind = "credit_used"     // of the customer's balance
	BroughtForward SumKind = "brought_forward" // of earlier invoices
	CarriedForward SumKind = "carried_forward" // to a later invoice
	Credited       SumKind = "credited"        // by credit notes, off the amount due
	AmountDue      SumKind = "amount_due"
	AmountPaid     SumKind = "amount_paid"
	ToBalance      SumKind = "to_balance" // of a credit note: given to the customer's balance
	Refunded       SumKind = "refunded"   // of a credit note: given back in money
	OffDue         SumKind = "off_due"    // of a credit note: taken off the amount due of its invoice
)

// Sum is one of the sums under the lines, with the sign by which it changes the total.
type Sum struct {
	Kind    SumKind
	Name    string      // of a coupon or a tax rate
	Percent string      // of a tax rate, a decimal
	Base    money.Minor // of a tax: the amount that it is taken of
	Amount  money.Minor
}

// Note is a text that the law asks for.
type Note string

// The notes.
const (
	// ReverseCharge: the customer owes the tax. Source: Directive 2006/112/EC, Article 226 (11a).
	ReverseCharge Note = "reverse_charge"
	// TaxExempt: the customer is free of tax.
	TaxExempt Note = "tax_exempt"
)

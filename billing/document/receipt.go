package document

import (
	"slices"

	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/payment"
)

// ErrNoReceipt refuses a receipt of a payment that brought no money.
var ErrNoReceipt = fault.InvalidParam("status", "receipt_unavailable",
	"The payment has no receipt: it is a refund, or it did not succeed. Receipts are of charges with the status success, and "+
		"list their refunds.")

// OfPayment returns the receipt of a charge: what was paid for, as the invoice has it, and what went back since. of is
// the invoice that it paid; of a charge without one, it has the seller and the buyer. Fault: receipt_unavailable.
func OfPayment(t payment.Transaction, of invoice.Invoice, by Method) (Document, error) {
	if t.Type != payment.Charge || t.Status != payment.Success {
		return Document{}, ErrNoReceipt
	}
	d := Document{
		Kind: Receipt, State: Paid, ID: t.ID, Number: t.ID, Of: of.ShownNumber(), PaidAt: t.CompletedAt,
		Locale: of.Buyer.Locale, TimeZone: of.Buyer.TimeZone, Currency: t.Currency, Seller: of.Seller, Buyer: of.Buyer,
		PaidBy: by,
	}
	if t.InvoiceID == "" {
		d.Sections = []Section{{Lines: []Line{{Description: t.Description, Quantity: "1", Amount: t.Amount}}}}
	} else {
		d.Sections, d.Notes = sections(of.Lines), notes(of.TaxExempt)
		d.Sums = slices.DeleteFunc(sumsOf(of), func(s Sum) bool { // what this payment paid follows instead
			return s.Kind == AmountDue || s.Kind == AmountPaid
		})
	}
	d.Sums = append(d.Sums, Sum{Kind: AmountPaid, Amount: t.Amount})
	if t.AmountRefunded != 0 {
		d.Sums = append(d.Sums, Sum{Kind: Refunded, Amount: -t.AmountRefunded})
	}
	return d, nil
}

// MethodOf returns what a charge itself says of its payment method: of a wallet, the end of its number.
func MethodOf(m payment.Method) Method {
	out := Method{Type: m.Type}
	if number := m.Details.PhoneNumber; len(number) > 4 {
		out.LastFour = number[len(number)-4:]
	}
	return out
}

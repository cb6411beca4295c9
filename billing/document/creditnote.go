package document

import (
	"strconv"

	"perennial/billing/creditnote"
	"perennial/billing/invoice"
	"perennial/billing/money"
)

// OfCreditNote returns the document of a credit note of an invoice. Each of its lines is described as the line of the
// invoice that it gives back of.
func OfCreditNote(n creditnote.Note, of invoice.Invoice) Document {
	given := map[string]money.Minor{}
	for _, l := range n.Lines {
		given[l.InvoiceLineID] += l.Amount
	}
	var lines []invoice.Line
	for _, l := range of.Lines {
		if amount, ok := given[l.ID]; ok {
			lines = append(lines, invoice.Line{
				ID: l.ID, Description: l.Description, PlanID: l.PlanID, Period: l.Period, Amount: amount, Rates: l.Rates,
			})
		}
	}
	sums := []Sum{{Kind: Subtotal, Amount: n.Subtotal}}
	sums = append(sums, taxesOf(n.Taxes)...)
	for _, s := range []Sum{
		{Kind: OffDue, Amount: n.Due}, {Kind: ToBalance, Amount: n.Balance}, {Kind: Refunded, Amount: n.Refund},
	} {
		if s.Amount != 0 {
			sums = append(sums, s)
		}
	}
	return Document{
		Kind: CreditNote, State: Issued, ID: n.ID, Number: strconv.FormatInt(n.Number, 10), Of: of.ShownNumber(),
		IssuedAt: n.CreatedAt, Locale: n.Buyer.Locale, TimeZone: n.Buyer.TimeZone, Currency: n.Currency,
		Seller: n.Seller, Buyer: n.Buyer, Sections: sections(lines),
		Sums: append(sums, Sum{Kind: Total, Amount: n.Total}), Notes: notes(n.TaxExempt), Memo: n.Memo,
		Exempt: n.TaxExempt, Taxes: n.Taxes, OfDate: of.IssuedAt,
	}
}

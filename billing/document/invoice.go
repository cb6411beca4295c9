package document

import (
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/tax"
)

// OfInvoice returns the document of an invoice, or of the draft of one.
func OfInvoice(i invoice.Invoice) Document {
	return Document{
		Kind: Invoice, State: stateOf(i), ID: i.ID, Number: i.ShownNumber(),
		IssuedAt: i.IssuedAt, DueAt: i.DueAt, PaidAt: i.PaidAt,
		Locale: i.Buyer.Locale, TimeZone: i.Buyer.TimeZone, Currency: i.Currency, Seller: i.Seller, Buyer: i.Buyer,
		Sections: sections(i.Lines), Sums: sumsOf(i), Notes: notes(i.TaxExempt), Memo: i.Memo,
		Exempt: i.TaxExempt, Taxes: i.Taxes, Period: i.Period,
	}
}

func stateOf(i invoice.Invoice) State {
	switch i.Status {
	case invoice.InDraft:
		return Draft
	case invoice.Paid:
		return Paid
	case invoice.Void:
		return Void
	case invoice.Uncollectible:
		return Uncollectible
	default:
		return Due
	}
}

// sections joins neighbours of one product and one period.
func sections(lines []invoice.Line) (all []Section) {
	for n, l := range lines {
		if n == 0 || l.PlanID != lines[n-1].PlanID || l.Period != lines[n-1].Period {
			all = append(all, Section{Period: l.Period})
		}
		last := &all[len(all)-1]
		last.Lines = append(last.Lines, lineOf(l))
	}
	return all
}

func lineOf(l invoice.Line) Line {
	out := Line{
		ID: l.ID, Description: l.Description, Quantity: l.Quantity, UnitPrice: l.UnitPrice, Amount: l.Amount,
		Discount: l.Discounts.Sum(), Rates: l.Rates,
	}
	if l.Explanation != nil {
		out.Steps = l.Explanation.Steps
	}
	return out
}

func sumsOf(i invoice.Invoice) []Sum {
	sums := []Sum{{Kind: Subtotal, Amount: i.Subtotal()}}
	for _, share := range i.Discounts() {
		sums = append(sums, Sum{Kind: Discount, Name: share.Code, Amount: -share.Amount})
	}
	sums = append(sums, taxesOf(i.Taxes)...)
	sums = append(sums, Sum{Kind: Total, Amount: i.Total})
	if i.Status == invoice.Void { // nothing is due, and its credit went back
		return sums
	}
	for _, s := range []Sum{
		{Kind: CreditUsed, Amount: -i.CreditApplied},
		{Kind: BroughtForward, Amount: i.BroughtForward},
		{Kind: CarriedForward, Amount: -i.CarriedForward},
		{Kind: Credited, Amount: -i.Credited.Due},
	} {
		if s.Amount != 0 {
			sums = append(sums, s)
		}
	}
	if i.Status == invoice.Paid {
		return append(sums, Sum{Kind: AmountPaid, Amount: i.AmountPaid})
	}
	return append(sums, Sum{Kind: AmountDue, Amount: i.AmountDue})
}

func taxesOf(taxes invoice.Taxes) (sums []Sum) {
	for _, t := range taxes {
		kind := AddedTax
		if t.Inclusive {
			kind = IncludedTax
		}
		sums = append(sums, Sum{Kind: kind, Name: t.Name, Percent: t.Percent.String(), Base: t.Base, Amount: t.Amount})
	}
	return sums
}

func notes(exempt tax.Exemption) []Note {
	switch exempt {
	case tax.Reverse:
		return []Note{ReverseCharge}
	case tax.Exempt:
		return []Note{TaxExempt}
	default:
		return nil
	}
}

// Sum returns the sum of a kind: of taxes and discounts, of all of them.
func (d Document) Sum(kind SumKind) (sum money.Minor) {
	for _, s := range d.Sums {
		if s.Kind == kind {
			sum += s.Amount
		}
	}
	return sum
}

package giveback

import (
	"slices"

	"perennial/billing/creditnote"
	"perennial/billing/invoice"
)

// usedOf returns what corrections may still take back of lines for usage, which are in the order of issue.
func usedOf(usage []invoice.OnInvoice) creditnote.Used {
	used := creditnote.Used{}
	for len(usage) > 0 {
		n := slices.IndexFunc(usage, func(l invoice.OnInvoice) bool { return l.InvoiceID != usage[0].InvoiceID })
		if n < 0 {
			n = len(usage)
		}
		used.Issue(usage[:n])
		usage = usage[n:]
	}
	return used
}

// correctedBy takes a correction off the lines that it is of, and returns them; none, where they do not bear all of it,
// or where an invoice of them is open: a note would leave its payer to pay what is given to the balance.
func correctedBy(correction invoice.Line, used creditnote.Used) (of []home) {
	lines, all := used.Correct(correction)
	for _, l := range lines {
		if !l.Paid {
			return nil
		}
		of = append(of, home{invoiceID: l.InvoiceID, lineID: l.ID, amount: l.Part, rates: l.Rates})
	}
	if !all {
		return nil
	}
	return of
}

package creditnote

import (
	"perennial/billing/invoice"
	"perennial/billing/money"
)

// Corrected returns what later invoices gave back of an invoice's usage lines, after discounts and before taxes, by
// line: see Used. usage are the invoices of the subscription that are not void, in the order of issue, with their usage
// lines. Nothing was paid for lines of uncollectible invoices, but a correction on one reduced what was owed. Thus all
// notes and corrections together give back no more than what was billed.
func Corrected(inv invoice.Invoice, usage []invoice.Invoice) map[string]money.Minor {
	used, given := Used{}, map[string]money.Minor{}
	for _, on := range usage {
		var lines []invoice.OnInvoice
		for _, l := range on.Lines {
			if on.Status != invoice.Uncollectible || l.Net() < 0 {
				lines = append(lines, invoice.OnInvoice{InvoiceID: on.ID, Line: l})
			}
		}
		for _, of := range used.Issue(lines) {
			given[of.ID] += of.Part
		}
	}
	own := map[string]money.Minor{}
	for _, l := range inv.Lines {
		if given[l.ID] > 0 {
			own[l.ID] = given[l.ID]
		}
	}
	return own
}

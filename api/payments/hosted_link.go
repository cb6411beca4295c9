package payments

import (
	"perennial/api/httpkit"
	"perennial/billing/invoice"
	"perennial/contract"
)

// HostedLink returns the link to the page of an invoice; empty: it is a draft, or the caller is client-side code, which
// is not to see it.
func (h *Handler) HostedLink(c *httpkit.Call, inv invoice.Invoice) string {
	if inv.Status == invoice.InDraft || c.Publishable {
		return ""
	}
	return contract.LinkKey(c.LinkKey).Link(h.publicURL, contract.HostedInvoice{
		EnvironmentID: c.EnvironmentID, InvoiceID: inv.ID, Revision: inv.LinkRevision,
	})
}

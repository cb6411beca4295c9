package hosted

import (
	"context"

	"perennial/billing/audit"
	"perennial/billing/invoice"
	"perennial/billing/invoicing"
	"perennial/contract"
	"perennial/db"
	"perennial/service/usecase"
)

// Link returns the link to the page of an invoice. Fault: invoice_not_found, also for a draft.
func (s *Service) Link(ctx context.Context, environmentID, invoiceID, publicURL string) (string, error) {
	found, err := s.Store.Invoices.Hosted(ctx, environmentID, invoiceID)
	if err != nil {
		return "", err
	}
	return contract.LinkKey(found.LinkKey).Link(publicURL, Named(environmentID, found.Invoice)), nil
}

// Named is an invoice as its link names it.
func Named(environmentID string, inv invoice.Invoice) contract.HostedInvoice {
	return contract.HostedInvoice{EnvironmentID: environmentID, InvoiceID: inv.ID, Revision: inv.LinkRevision}
}

// RenewLink gives an issued invoice another link; the one before opens nothing any more. Faults: invoice_not_found,
// invoice_is_draft.
func (s *Service) RenewLink(
	ctx context.Context, by usecase.Caller, invoiceID string, around usecase.Around[invoice.Invoice],
) error {
	seen, err := s.Store.Invoices.Get(ctx, by.EnvironmentID, invoiceID)
	if err != nil {
		return err
	}
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (invoice.Invoice, error) {
		is, err := tx.Invoices.Lock(ctx, by.EnvironmentID, invoiceID)
		if err != nil {
			return is, err
		}
		if is.Status == invoice.InDraft {
			return is, invoicing.ErrDraft
		}
		tx.AuditChanges(audit.Change{Field: "hostedUrl"})
		is.Lines = seen.Lines
		is.LinkRevision++
		return is, tx.Invoices.RenewLink(ctx, by.EnvironmentID, invoiceID)
	})
}

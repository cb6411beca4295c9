package hosted

import (
	"context"

	"perennial/billing/audit"
	"perennial/billing/invoice"
	"perennial/billing/invoicing"
	"perennial/db"
	"perennial/service/usecase"
)

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

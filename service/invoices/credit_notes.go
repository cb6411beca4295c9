package invoices

import (
	"context"

	"perennial/billing/creditnote"
	"perennial/billing/lifecycle"
	"perennial/billing/text"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// CreditInvoice gives parts of an invoice back by a credit note. A refund of it starts after the commit. Faults:
// invoice_not_found, text_blank, text_invalid, card_number_refused, those of lifecycle.CreditInvoice.
func (s *Service) CreditInvoice(
	ctx context.Context, by usecase.Caller, invoiceID string, ask creditnote.Request,
	around usecase.Around[creditnote.Note],
) error {
	if err := text.Check("memo", ask.Memo); err != nil {
		return err
	}
	// The subscription of an invoice never changes, so it is read without a lock.
	seen, err := s.Store.Invoices.Get(ctx, by.EnvironmentID, invoiceID)
	if err != nil {
		return err
	}
	ask.ID = id.New(id.CreditNote, s.Now())
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (creditnote.Note, error) {
		cmd := lifecycle.CreditInvoice{Request: ask, Invoice: seen}
		done, err := usecase.CommandOn(ctx, tx, by.EnvironmentID, seen, cmd)
		if err != nil {
			return creditnote.Note{}, err
		}
		return done.CreditNotes[0], nil
	})
}

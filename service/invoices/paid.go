package invoices

import (
	"context"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/text"
	"perennial/db"
	"perennial/service/usecase"
)

// paidOutside is the reason of the decision that keeps who marked an invoice paid.
const paidOutside = "paid_outside"

// OutsidePayment describes a payment that was made outside Perennial.
type OutsidePayment struct {
	lifecycle.MarkPaid
	Note string // for other people; may be empty
}

// MarkPaid settles an open invoice by a payment that was made outside Perennial, and records the actor. Faults:
// invoice_not_found, text_blank, text_invalid, card_number_refused, those of lifecycle.MarkPaid.
func (s *Service) MarkPaid(
	ctx context.Context, by usecase.Caller, in OutsidePayment, around usecase.Around[invoice.Invoice],
) error {
	if err := text.Check("reference", in.Reference); err != nil {
		return err
	}
	if err := text.Check("note", in.Note); err != nil {
		return err
	}
	seen, err := s.Store.Invoices.Get(ctx, by.EnvironmentID, in.InvoiceID)
	if err != nil {
		return err
	}
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (invoice.Invoice, error) {
		done, err := usecase.CommandOn(ctx, tx, by.EnvironmentID, seen, in.MarkPaid)
		if err != nil {
			return invoice.Invoice{}, err
		}
		return done.Invoice(in.InvoiceID), tx.Payments.InsertDecision(ctx, by.EnvironmentID, db.Decision{
			TransactionID: done.Settlement(in.InvoiceID).TransactionID, Reason: paidOutside, ProviderRef: in.Reference,
			Outcome: string(payment.DecideSucceeded), Note: in.Note,
		})
	})
}

package invoices

import (
	"context"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/db"
	"perennial/service/usecase"
)

// VoidInvoice voids an open invoice: it is not owed any more. Faults: invoice_not_found, those of
// lifecycle.VoidInvoice.
func (s *Service) VoidInvoice(
	ctx context.Context, by usecase.Caller, invoiceID string, around usecase.Around[invoice.Invoice],
) error {
	seen, err := s.Store.Invoices.Get(ctx, by.EnvironmentID, invoiceID)
	if err != nil {
		return err
	}
	cmd := lifecycle.VoidInvoice{InvoiceID: invoiceID}
	if seen.SubscriptionID != "" && len(seen.Discounts()) > 0 { // a coupon of it may be taken off usage besides
		cmd.Unbilled.Counted, err = usecase.CountUnbilled(ctx, s.Store, by.EnvironmentID, seen.SubscriptionID)
		if err != nil {
			return err
		}
	}
	return s.onSeen(ctx, by, seen, cmd, around)
}

// MarkUncollectible gives an open invoice up: it stays owed, but is not collected any more. Faults: invoice_not_found,
// those of lifecycle.MarkUncollectible.
func (s *Service) MarkUncollectible(
	ctx context.Context, by usecase.Caller, invoiceID string, around usecase.Around[invoice.Invoice],
) error {
	return s.onInvoice(ctx, by, invoiceID, lifecycle.MarkUncollectible{InvoiceID: invoiceID}, around)
}

// PayInvoice starts an attempt on the open invoice that in names; its schedule of retries does not change. Faults:
// invoice_not_found, invoice_is_draft, payment_method_not_found, those of lifecycle.Pay.
func (s *Service) PayInvoice(
	ctx context.Context, by usecase.Caller, in lifecycle.Pay, around usecase.Around[usecase.Performed],
) error {
	seen, err := s.Store.Invoices.Get(ctx, by.EnvironmentID, in.InvoiceID)
	if err != nil {
		return err
	}
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (usecase.Performed, error) {
		return usecase.CommandOn(ctx, tx, by.EnvironmentID, seen, in)
	})
}

// SkipRetry skips the next automatic retry of an open invoice. Faults: invoice_not_found, those of lifecycle.SkipRetry.
func (s *Service) SkipRetry(
	ctx context.Context, by usecase.Caller, invoiceID string, around usecase.Around[invoice.Invoice],
) error {
	return s.onInvoice(ctx, by, invoiceID, lifecycle.SkipRetry{InvoiceID: invoiceID}, around)
}

func (s *Service) onInvoice(
	ctx context.Context, by usecase.Caller, invoiceID string, cmd lifecycle.Command,
	around usecase.Around[invoice.Invoice],
) error {
	// The subscription of an invoice never changes, so it is read without a lock.
	seen, err := s.Store.Invoices.Get(ctx, by.EnvironmentID, invoiceID)
	if err != nil {
		return err
	}
	return s.onSeen(ctx, by, seen, cmd, around)
}

func (s *Service) onSeen(
	ctx context.Context, by usecase.Caller, seen invoice.Invoice, cmd lifecycle.Command,
	around usecase.Around[invoice.Invoice],
) error {
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (invoice.Invoice, error) {
		done, err := usecase.CommandOn(ctx, tx, by.EnvironmentID, seen, cmd)
		if err != nil {
			return invoice.Invoice{}, err
		}
		return done.Invoice(seen.ID), nil
	})
}

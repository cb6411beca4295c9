package invoices

import (
	"cmp"
	"context"

	"perennial/billing/audit"
	"perennial/billing/invoice"
	"perennial/billing/invoicing"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/text"
	"perennial/db"
	"perennial/service/usecase"
)

// NewInvoice bills a customer without a subscription.
type NewInvoice struct {
	CustomerID string
	Currency   money.Currency
	invoicing.Content
}

// CreateInvoice writes the draft of a manual invoice, which bills nothing until it is finalized. Faults:
// customer_not_found, test_clock_advancing, text_blank, text_invalid, card_number_refused, those of invoicing.New.
func (s *Service) CreateInvoice(
	ctx context.Context, by usecase.Caller, in NewInvoice, also usecase.Also[invoice.Invoice],
) (invoice.Invoice, error) {
	if err := cmp.Or(checkLines(in.Lines), text.Check("memo", in.Memo)); err != nil {
		return invoice.Invoice{}, err
	}
	c, err := usecase.Payer(ctx, s.Base, by, in.CustomerID)
	if err != nil {
		return invoice.Invoice{}, err
	}
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (invoice.Invoice, error) {
		now, err := usecase.LockClockOf(ctx, tx, by.EnvironmentID, c, s.Now())
		if err != nil {
			return invoice.Invoice{}, err
		}
		c, err := usecase.LockCustomer(ctx, tx, by.EnvironmentID, c.ID)
		if err != nil {
			return invoice.Invoice{}, usecase.InParam(err, "customerId")
		}
		rates, err := tx.Catalog.TaxRatesOf(ctx, by.EnvironmentID, c.ID)
		if err != nil {
			return invoice.Invoice{}, err
		}
		environment, err := tx.Tenancy.Environment(ctx, by.EnvironmentID)
		if err != nil {
			return invoice.Invoice{}, err
		}
		state := usecase.StateOf(c, now)
		state.Settings = environment.Settings
		state.Currency, state.TaxRates = in.Currency, rates
		state, changes, err := lifecycle.CreateDraft(state, in.Content, db.Moment(now, tx.Real))
		if err != nil {
			return invoice.Invoice{}, err
		}
		return *state.Draft, tx.Lifecycle.Write(ctx, by.EnvironmentID, state, changes)
	})
}

// ReviseInvoice changes a draft. Faults: invoice_not_found, invoice_not_draft, those of CreateInvoice about the
// contents.
func (s *Service) ReviseInvoice(
	ctx context.Context, by usecase.Caller, invoiceID string, change invoicing.Change,
	around usecase.Around[invoice.Invoice],
) error {
	memo := ""
	if change.Memo != nil {
		memo = *change.Memo
	}
	if err := cmp.Or(checkLines(change.Lines), text.Check("memo", memo)); err != nil {
		return err
	}
	return s.onDraft(ctx, by, invoiceID, around, func(tx *db.Tx, state lifecycle.State) (invoice.Invoice, error) {
		was := *state.Draft
		state, changes, err := lifecycle.ReviseDraft(state, change, db.Moment(tx.Now, tx.Real))
		if err != nil {
			return was, err
		}
		is := *state.Draft
		tx.AuditChanges(audit.Changes("invoice", audit.Differing(was, is), was, is)...)
		return is, tx.Lifecycle.Write(ctx, by.EnvironmentID, state, changes)
	})
}

// DeleteInvoice removes a draft: it never had a number. Faults: invoice_not_found, invoice_not_draft.
func (s *Service) DeleteInvoice(
	ctx context.Context, by usecase.Caller, invoiceID string, around usecase.Around[invoice.Invoice],
) error {
	return s.onDraft(ctx, by, invoiceID, around, func(tx *db.Tx, state lifecycle.State) (invoice.Invoice, error) {
		gone := *state.Draft
		state, changes, err := lifecycle.DeleteDraft(state, db.Moment(tx.Now, tx.Real))
		if err != nil {
			return gone, err
		}
		tx.AuditAlso(usecase.Deleted)
		return gone, tx.Lifecycle.Write(ctx, by.EnvironmentID, state, changes)
	})
}

// FinalizeInvoice issues a draft: it gets its number and cannot change any more. If it is charged automatically, its
// charge starts after the commit. withoutUsage: usage that it waits for is left to the next invoice. Faults:
// invoice_not_found, those of lifecycle.Finalize.
func (s *Service) FinalizeInvoice(
	ctx context.Context, by usecase.Caller, invoiceID string, withoutUsage bool, around usecase.Around[invoice.Invoice],
) error {
	seen, err := s.Store.Invoices.Get(ctx, by.EnvironmentID, invoiceID) // whose it is never changes
	if err != nil {
		return err
	}
	if seen.SubscriptionID != "" {
		return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (invoice.Invoice, error) {
			done, err := usecase.Command(ctx, tx, by.EnvironmentID, seen.SubscriptionID,
				lifecycle.FinalizeInvoice{InvoiceID: invoiceID, WithoutUsage: withoutUsage})
			if err != nil {
				return seen, err
			}
			return done.Invoice(invoiceID), nil
		})
	}
	return s.onDraftSeen(ctx, by, seen, around, func(tx *db.Tx, state lifecycle.State) (invoice.Invoice, error) {
		was := *state.Draft
		state, changes, err := lifecycle.Finalize(state, db.Moment(tx.Now, tx.Real))
		if err != nil {
			return invoice.Invoice{}, err
		}
		err = tx.Lifecycle.Write(ctx, by.EnvironmentID, state, changes) // which sets its number
		is := *changes.Invoices.Finalized(invoiceID)
		usecase.AuditDiffering(tx, "invoice", was, is)
		return is, err
	})
}

// onDraft changes a draft under the lock of its customer. Fault: invoice_not_draft.
func (s *Service) onDraft(
	ctx context.Context, by usecase.Caller, invoiceID string, around usecase.Around[invoice.Invoice],
	do func(*db.Tx, lifecycle.State) (invoice.Invoice, error),
) error {
	seen, err := s.Store.Invoices.Get(ctx, by.EnvironmentID, invoiceID) // whose it is never changes
	if err != nil {
		return err
	}
	return s.onDraftSeen(ctx, by, seen, around, do)
}

// onDraftSeen is onDraft of an invoice that was read without a lock.
func (s *Service) onDraftSeen(
	ctx context.Context, by usecase.Caller, seen invoice.Invoice, around usecase.Around[invoice.Invoice],
	do func(*db.Tx, lifecycle.State) (invoice.Invoice, error),
) error {
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (invoice.Invoice, error) {
		if seen.SubscriptionID != "" {
			return seen, invoicing.Changeable(seen)
		}
		state, err := tx.Lifecycle.LockManualInvoice(ctx, by.EnvironmentID, seen.CustomerID, seen.ID)
		if err == nil && state.Draft == nil {
			err = invoicing.ErrNotDraft
		}
		if err != nil {
			return seen, err
		}
		return do(tx, state)
	})
}

func checkLines(lines []invoicing.Line) error {
	for _, l := range lines {
		if err := text.Check("lines", l.Description); err != nil {
			return err
		}
	}
	return nil
}

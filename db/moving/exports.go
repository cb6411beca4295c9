package moving

import (
	"context"

	"perennial/billing/balance"
	"perennial/billing/creditnote"
	"perennial/billing/customer"
	"perennial/billing/invoice"
	"perennial/billing/moving"
	"perennial/billing/payment"
	"perennial/billing/subscription"
	"perennial/db/core"
	"perennial/db/customers"
	"perennial/db/internal/dbsqlc"
	dbinvoices "perennial/db/invoices"
	"perennial/db/payments"
	"perennial/db/subscriptions"
	"perennial/db/tenancy"
	"perennial/db/webhooks"
)

// exportPage is the number of rows of a table that are in memory at once.
const exportPage = 500

// Snapshot reads all of an environment as it was at one moment, page by page. Each method calls to with a row after the
// other, in the order in which they were written; an error of to ends it and is returned.
type Snapshot struct {
	core.Reader
	environmentID string
}

// Export calls read with a snapshot of an environment. It may take its time: the transaction that holds the snapshot
// waits ten minutes for a reader that stalls.
func Export(ctx context.Context, s *core.Store, environmentID string, read func(*Snapshot) error) error {
	tx, err := s.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // it wrote nothing
	if _, err := tx.Exec(ctx, "set local idle_in_transaction_session_timeout = '10min'"); err != nil {
		return core.Translate("export", err)
	}
	return read(&Snapshot{core.ReaderOn(tx), environmentID})
}

// pages reads a table to its end. next reads the rows behind the last one that it returned.
func pages[R any](during string, next func(last *R) ([]R, error), to func([]R) error) error {
	var last *R
	for {
		rows, err := next(last)
		if err != nil {
			return core.Translate(during, err)
		}
		if err := to(rows); err != nil {
			return err
		}
		if len(rows) < exportPage {
			return nil
		}
		last = &rows[len(rows)-1]
	}
}

// each is pages for rows that are written one by one.
func each[R any](during string, next func(last *R) ([]R, error), to func(R) error) error {
	return pages(during, next, func(rows []R) error {
		for _, row := range rows {
			if err := to(row); err != nil {
				return err
			}
		}
		return nil
	})
}

// Customers reads all that are not erased, with the external ids that they were imported under.
func (s *Snapshot) Customers(ctx context.Context, to func(c customer.Customer, externalID string) error) error {
	type row = dbsqlc.CustomerExportRow
	return each("CustomerExport", func(last *row) ([]row, error) {
		return core.Queries.CustomerExport(ctx, s.Handle, dbsqlc.CustomerExportParams{
			EnvironmentID: s.environmentID, After: core.Value(last).Customer.Position, RowLimit: exportPage,
		})
	}, func(r row) error {
		return to(customers.CustomerFromDB(r.Customer), moving.Qualified(r.Source, r.ExternalID))
	})
}

// Balances reads the balances that are not nothing, with the external ids of their customers.
func (s *Snapshot) Balances(ctx context.Context, to func(c customers.Credit, externalID string) error) error {
	type row = dbsqlc.CreditBalanceExportRow
	return each("CreditBalanceExport", func(last *row) ([]row, error) {
		return core.Queries.CreditBalanceExport(ctx, s.Handle, dbsqlc.CreditBalanceExportParams{
			EnvironmentID: s.environmentID, AfterCustomer: core.Value(last).Position,
			AfterCurrency: string(core.Value(last).Currency), RowLimit: exportPage,
		})
	}, func(r row) error {
		return to(customers.Credit{CustomerID: r.CustomerID, Currency: r.Currency, Balance: r.Balance},
			moving.Qualified(r.CustomerSource, r.CustomerExternalID))
	})
}

// CreditGrants reads the grants that have something left, with the external ids of them and of their customers.
func (s *Snapshot) CreditGrants(
	ctx context.Context, to func(g balance.Grant, externalID, customerExternalID string) error,
) error {
	type row = dbsqlc.CreditGrantExportRow
	return each("CreditGrantExport", func(last *row) ([]row, error) {
		return core.Queries.CreditGrantExport(ctx, s.Handle, dbsqlc.CreditGrantExportParams{
			EnvironmentID: s.environmentID, After: core.Value(last).CreditGrant.Position, RowLimit: exportPage,
		})
	}, func(r row) error {
		return to(customers.GrantFromDB(r.CreditGrant), moving.Qualified(r.Source, r.ExternalID),
			moving.Qualified(r.CustomerSource, r.CustomerExternalID))
	})
}

// PaymentMethods reads all that are not removed, with the external ids of them and of their customers.
func (s *Snapshot) PaymentMethods(
	ctx context.Context, to func(m customer.Method, externalID, customerExternalID string) error,
) error {
	type row = dbsqlc.PaymentMethodExportRow
	return each("PaymentMethodExport", func(last *row) ([]row, error) {
		return core.Queries.PaymentMethodExport(ctx, s.Handle, dbsqlc.PaymentMethodExportParams{
			EnvironmentID: s.environmentID, AfterCustomer: core.Value(last).CustomerPosition,
			AfterOther: last != nil && !last.IsDefault, After: core.Value(last).PaymentMethod.Position, RowLimit: exportPage,
		})
	}, func(r row) error {
		return to(customers.MethodFromDB(r.PaymentMethod, r.IsDefault), moving.Qualified(r.Source, r.ExternalID),
			moving.Qualified(r.CustomerSource, r.CustomerExternalID))
	})
}

// Endpoints reads all webhook endpoints that are not deleted, with the external ids that they were imported under.
func (s *Snapshot) Endpoints(ctx context.Context, to func(e webhooks.WebhookEndpoint, externalID string) error) error {
	type row = dbsqlc.WebhookEndpointExportRow
	return each("WebhookEndpointExport", func(last *row) ([]row, error) {
		return core.Queries.WebhookEndpointExport(ctx, s.Handle, dbsqlc.WebhookEndpointExportParams{
			EnvironmentID: s.environmentID, After: core.Value(last).WebhookEndpoint.Position, RowLimit: exportPage,
		})
	}, func(r row) error {
		return to(webhooks.EndpointFromDB(r.WebhookEndpoint), moving.Qualified(r.Source, r.ExternalID))
	})
}

// Settings reads those of the environment.
func (s *Snapshot) Settings(ctx context.Context) (subscription.Settings, error) {
	e, err := tenancy.Reader{Reader: s.Reader}.Environment(ctx, s.environmentID)
	return e.Settings, err
}

// CreditNotes reads all with their lines.
func (s *Snapshot) CreditNotes(ctx context.Context, to func(creditnote.Note) error) error {
	type row = dbsqlc.CreditNoteExportRow
	return pages("CreditNoteExport", func(last *row) ([]row, error) {
		return core.Queries.CreditNoteExport(ctx, s.Handle, dbsqlc.CreditNoteExportParams{
			EnvironmentID: s.environmentID, After: core.Value(last).CreditNote.Position, RowLimit: exportPage,
		})
	}, func(rows []row) error {
		notes, err := dbinvoices.NotesOf(ctx, s.Reader, s.environmentID,
			core.Map(rows, func(r row) dbsqlc.CreditNote { return r.CreditNote }))
		if err != nil {
			return err
		}
		for _, n := range notes {
			if err := to(n); err != nil {
				return err
			}
		}
		return nil
	})
}

// ExportedSubscription is a subscription, without its items, which follow from its plan, with the external ids of it
// and of its customer. Empty: they were not imported.
type ExportedSubscription struct {
	subscription.Subscription
	ExternalID, CustomerExternalID string
	MethodExternalID               string // of the payment method that it names
}

// Subscriptions reads all, also canceled ones.
func (s *Snapshot) Subscriptions(ctx context.Context, to func(ExportedSubscription) error) error {
	type row = dbsqlc.SubscriptionExportRow
	return each("SubscriptionExport", func(last *row) ([]row, error) {
		return core.Queries.SubscriptionExport(ctx, s.Handle, dbsqlc.SubscriptionExportParams{
			EnvironmentID: s.environmentID, After: core.Value(last).Subscription.Position, RowLimit: exportPage,
		})
	}, func(r row) error {
		return to(ExportedSubscription{
			subscriptions.SubscriptionFromDB(r.Subscription), moving.Qualified(r.Source, r.ExternalID),
			moving.Qualified(r.CustomerSource, r.CustomerExternalID), moving.Qualified(r.MethodSource, r.MethodExternalID),
		})
	})
}

// Invoices reads all with their lines.
func (s *Snapshot) Invoices(ctx context.Context, to func(invoice.Invoice) error) error {
	type row = dbsqlc.InvoiceExportRow
	return pages("InvoiceExport", func(last *row) ([]row, error) {
		return core.Queries.InvoiceExport(ctx, s.Handle, dbsqlc.InvoiceExportParams{
			EnvironmentID: s.environmentID, After: core.Value(last).Invoice.Position, RowLimit: exportPage,
		})
	}, func(rows []row) error {
		invoices := core.Map(rows, func(r row) invoice.Invoice { return dbinvoices.InvoiceFromDB(r.Invoice) })
		if err := dbinvoices.AddLines(ctx, s.Reader, s.environmentID, invoices); err != nil {
			return err
		}
		for _, inv := range invoices {
			if err := to(inv); err != nil {
				return err
			}
		}
		return nil
	})
}

// Transactions reads all.
func (s *Snapshot) Transactions(ctx context.Context, to func(payment.Transaction) error) error {
	type row = dbsqlc.TransactionExportRow
	return each("TransactionExport", func(last *row) ([]row, error) {
		return core.Queries.TransactionExport(ctx, s.Handle, dbsqlc.TransactionExportParams{
			EnvironmentID: s.environmentID, After: core.Value(last).Transaction.Position, RowLimit: exportPage,
		})
	}, func(r row) error { return to(payments.TransactionFromDB(r.Transaction)) })
}

package db

import (
	"context"

	"github.com/jackc/pgx/v5"

	"perennial/billing/balance"
	"perennial/billing/customer"
	"perennial/billing/invoice"
	"perennial/billing/moving"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/db/internal/dbsqlc"
)

// exportPage is how many rows of a table are in memory at once.
const exportPage = 500

// Snapshot reads all of an environment as it was at one moment, page by page. Each method calls to with a row after the
// other, in the order in which they were written; an error of to ends it and is returned.
type Snapshot struct {
	Reader
	environmentID string
}

// Export lets read look at a snapshot of an environment. It may take its time: the transaction that holds the snapshot
// waits ten minutes for a reader that stalls.
func (s *Store) Export(ctx context.Context, environmentID string, read func(*Snapshot) error) error {
	tx, err := s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return translate("begin", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // it wrote nothing
	if _, err := tx.Exec(ctx, "set local idle_in_transaction_session_timeout = '10min'"); err != nil {
		return translate("export", err)
	}
	return read(&Snapshot{Reader{handle: storing{tx}}, environmentID})
}

// pages reads a table to its end. next reads the rows behind the last one that it returned.
func pages[R any](during string, next func(last *R) ([]R, error), to func([]R) error) error {
	var last *R
	for {
		rows, err := next(last)
		if err != nil {
			return translate(during, err)
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
		return queries.CustomerExport(ctx, s.handle, dbsqlc.CustomerExportParams{
			EnvironmentID: s.environmentID, After: value(last).Customer.Position, RowLimit: exportPage,
		})
	}, func(r row) error { return to(customerFromDB(r.Customer), moving.Qualified(r.Source, r.ExternalID)) })
}

// Balances reads the balances that are not nothing, with the external ids of their customers.
func (s *Snapshot) Balances(ctx context.Context, to func(c Credit, externalID string) error) error {
	type row = dbsqlc.CreditBalanceExportRow
	return each("CreditBalanceExport", func(last *row) ([]row, error) {
		return queries.CreditBalanceExport(ctx, s.handle, dbsqlc.CreditBalanceExportParams{
			EnvironmentID: s.environmentID, AfterCustomer: value(last).CustomerID,
			AfterCurrency: string(value(last).Currency), RowLimit: exportPage,
		})
	}, func(r row) error {
		return to(Credit{CustomerID: r.CustomerID, Currency: r.Currency, Balance: r.Balance}, moving.Qualified(r.CustomerSource, r.CustomerExternalID))
	})
}

// CreditGrants reads the grants that have something left, with the external ids of their customers.
func (s *Snapshot) CreditGrants(ctx context.Context, to func(g balance.Grant, externalID string) error) error {
	type row = dbsqlc.CreditGrantExportRow
	return each("CreditGrantExport", func(last *row) ([]row, error) {
		return queries.CreditGrantExport(ctx, s.handle, dbsqlc.CreditGrantExportParams{
			EnvironmentID: s.environmentID, After: value(last).CreditGrant.Position, RowLimit: exportPage,
		})
	}, func(r row) error {
		return to(grantFromDB(r.CreditGrant), moving.Qualified(r.CustomerSource, r.CustomerExternalID))
	})
}

// Plans reads all versions of all plans, with their prices.
func (s *Snapshot) Plans(ctx context.Context, to func(plan.Plan) error) error {
	type row = dbsqlc.PlanExportRow
	return pages("PlanExport", func(last *row) ([]row, error) {
		return queries.PlanExport(ctx, s.handle, dbsqlc.PlanExportParams{
			EnvironmentID: s.environmentID, After: value(last).Plan.Position, RowLimit: exportPage,
		})
	}, func(rows []row) error {
		plans := refs(rows, func(r row) plan.Plan { return planFromDB(r.Plan) })
		if err := s.addPrices(ctx, s.environmentID, plans); err != nil {
			return err
		}
		for _, p := range plans {
			if err := to(p); err != nil {
				return err
			}
		}
		return nil
	})
}

// ExportedSubscription is a subscription, without its items, which follow from its plan, with the external ids of it and
// of its customer. Empty: they were not imported.
type ExportedSubscription struct {
	subscription.Subscription
	ExternalID, CustomerExternalID string
}

// Subscriptions reads all, also canceled ones.
func (s *Snapshot) Subscriptions(ctx context.Context, to func(ExportedSubscription) error) error {
	type row = dbsqlc.SubscriptionExportRow
	return each("SubscriptionExport", func(last *row) ([]row, error) {
		return queries.SubscriptionExport(ctx, s.handle, dbsqlc.SubscriptionExportParams{
			EnvironmentID: s.environmentID, After: value(last).Subscription.Position, RowLimit: exportPage,
		})
	}, func(r row) error {
		return to(ExportedSubscription{
			subscriptionFromDB(r.Subscription), moving.Qualified(r.Source, r.ExternalID),
			moving.Qualified(r.CustomerSource, r.CustomerExternalID),
		})
	})
}

// Invoices reads all with their lines.
func (s *Snapshot) Invoices(ctx context.Context, to func(invoice.Invoice) error) error {
	type row = dbsqlc.InvoiceExportRow
	return pages("InvoiceExport", func(last *row) ([]row, error) {
		return queries.InvoiceExport(ctx, s.handle, dbsqlc.InvoiceExportParams{
			EnvironmentID: s.environmentID, After: value(last).Invoice.Position, RowLimit: exportPage,
		})
	}, func(rows []row) error {
		invoices := refs(rows, func(r row) invoice.Invoice { return invoiceFromDB(r.Invoice) })
		if err := s.addLines(ctx, s.environmentID, invoices); err != nil {
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
		return queries.TransactionExport(ctx, s.handle, dbsqlc.TransactionExportParams{
			EnvironmentID: s.environmentID, After: value(last).Transaction.Position, RowLimit: exportPage,
		})
	}, func(r row) error { return to(transactionFromDB(r.Transaction)) })
}

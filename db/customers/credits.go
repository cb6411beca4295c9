package customers

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// CreditBalance returns the balance of a customer in a currency, without grants; without a record it is 0.
func (r Reader) CreditBalance(
	ctx context.Context, environmentID, customerID string, currency money.Currency,
) (money.Minor, error) {
	balance, err := core.Queries.CreditBalanceGet(ctx, r.Handle, dbsqlc.CreditBalanceGetParams{
		EnvironmentID: environmentID, CustomerID: customerID, Currency: currency,
	})
	return balanceFromDB(balance, err)
}

// Credit is a customer's balance in one currency: credit, or below zero the amount carried forward.
type Credit struct {
	CustomerID string
	Currency   money.Currency
	Balance    money.Minor // the plain balance
	Granted    money.Minor // the rest of grants
}

// Total is the sum of balance and grants.
func (c Credit) Total() money.Minor { return c.Balance + c.Granted }

// Credits lists the balances of customers, below zero where an amount was carried forward. It leaves out balances of
// zero.
func (r Reader) Credits(ctx context.Context, environmentID string, customerIDs []string) ([]Credit, error) {
	rows, err := core.Queries.CreditBalanceList(ctx, r.Handle, dbsqlc.CreditBalanceListParams{
		EnvironmentID: environmentID, CustomerIds: customerIDs,
	})
	if err != nil {
		return nil, core.Translate("CreditBalanceList", err)
	}
	credits := make([]Credit, 0, len(rows))
	for _, row := range rows {
		credits = append(credits, Credit(row))
	}
	return credits, nil
}

// AddCredit writes an invoice's entry to the balance of its customer, and moves the balance. An imported entry has no
// invoice. An amount that is carried Forward may leave a debit. Fault: credit_insufficient, when the balance or the
// grant does not cover the used credit.
func (tx *Tx) AddCredit(
	ctx context.Context, environmentID, customerID string, currency money.Currency, entry invoice.CreditEntry,
	invoiceID string, at time.Time,
) error {
	insufficient := fault.New(fault.Conflict, "credit_insufficient",
		"The customer's credit balance is less than the amount to use.")
	if entry.GrantID != "" {
		return core.Queries.CreditGrantMove(ctx, tx.Pipe.OrElse(insufficient), dbsqlc.CreditGrantMoveParams{
			ID: id.New(id.Credit, tx.Real), EnvironmentID: environmentID, GrantID: entry.GrantID, Amount: entry.Amount,
			Reason: entry.Reason, InvoiceID: core.Null(invoiceID), CreatedAt: at,
		})
	}
	row := dbsqlc.CreditGiveParams{
		ID: id.New(id.Credit, tx.Real), EnvironmentID: environmentID, CustomerID: customerID, Currency: currency,
		Amount: entry.Amount, Reason: entry.Reason, InvoiceID: core.Null(invoiceID), CreatedAt: at,
	}
	if entry.Reason == invoice.CreditApplied || entry.Reason == invoice.CreditRefunded {
		return core.Queries.CreditUse(ctx, tx.Pipe.OrElse(insufficient), dbsqlc.CreditUseParams{
			ID: row.ID, EnvironmentID: environmentID, CustomerID: customerID, Currency: currency, Amount: entry.Amount,
			Reason: entry.Reason, InvoiceID: core.Null(invoiceID), CreatedAt: at,
		})
	}
	return core.Queries.CreditGive(ctx, tx.Pipe, row)
}

func balanceFromDB(balance money.Minor, err error) (money.Minor, error) {
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return balance, core.Translate("CreditBalanceGet", err)
}

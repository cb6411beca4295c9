package invoices

import (
	"context"
	"time"

	"perennial/billing/money"
	"perennial/billing/monthly"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// MonthCursor names the last document that was read; the zero value: none was.
type MonthCursor struct {
	At time.Time
	ID string
}

// behind is the cursor from which the documents of a filter are read.
func (c MonthCursor) behind(f MonthFilter) MonthCursor {
	if c.At.IsZero() {
		c.At = f.From // every id comes after the empty text
	}
	return c
}

// MonthSettlements lists payments of invoices behind a cursor, which is that of the invoice, oldest first.
func (r Reader) MonthSettlements(
	ctx context.Context, environmentID string, f MonthFilter, after MonthCursor, limit int,
) ([]monthly.Settlement, error) {
	after = after.behind(f)
	rows, err := core.Queries.MonthSettlementList(ctx, r.Lists(), dbsqlc.MonthSettlementListParams{
		EnvironmentID: environmentID, AboveAt: after.At, AboveID: after.ID, BelowAt: f.To, RowLimit: core.RowLimit(limit),
	})
	return core.Map(rows, func(row dbsqlc.MonthSettlementListRow) monthly.Settlement {
		return monthly.Settlement{
			InvoiceID: row.InvoiceID, At: row.At, Currency: row.Currency, Amount: row.Amount, WrittenOff: row.WrittenOff,
		}
	}), core.Translate("MonthSettlementList", err)
}

// MonthEntries lists entries of customers' credit behind a cursor, oldest first.
func (r Reader) MonthEntries(
	ctx context.Context, environmentID string, f MonthFilter, after MonthCursor, limit int,
) ([]monthly.Entry, error) {
	after = after.behind(f)
	rows, err := core.Queries.MonthEntryList(ctx, r.Lists(), dbsqlc.MonthEntryListParams{
		EnvironmentID: environmentID, AboveAt: after.At, AboveID: after.ID, BelowAt: f.To, RowLimit: core.RowLimit(limit),
	})
	return core.Map(rows, func(row dbsqlc.MonthEntryListRow) monthly.Entry {
		return monthly.Entry{
			ID: row.ID, CustomerID: row.CustomerID, InvoiceID: core.Value(row.InvoiceID), At: row.At,
			Currency: row.Currency, Reason: row.Reason, Amount: row.Amount,
		}
	}), core.Translate("MonthEntryList", err)
}

// MonthReceivables returns by currency what the invoices that were open at two moments asked for then.
func (r Reader) MonthReceivables(
	ctx context.Context, environmentID string, from, to time.Time,
) ([]monthly.Balance, error) {
	return balances(from, to, func(at time.Time, add func(c string, amount int64)) error {
		rows, err := core.Queries.MonthReceivableSum(ctx, r.Lists(), dbsqlc.MonthReceivableSumParams{
			EnvironmentID: environmentID, At: at,
		})
		for _, row := range rows {
			add(row.Currency, row.Amount)
		}
		return core.Translate("MonthReceivableSum", err)
	})
}

// MonthCredit returns by currency the credit that all customers had at two moments.
func (r Reader) MonthCredit(ctx context.Context, environmentID string, from, to time.Time) ([]monthly.Balance, error) {
	return balances(from, to, func(at time.Time, add func(c string, amount int64)) error {
		rows, err := core.Queries.MonthCreditSum(ctx, r.Lists(), dbsqlc.MonthCreditSumParams{
			EnvironmentID: environmentID, At: at,
		})
		for _, row := range rows {
			add(row.Currency, row.Amount)
		}
		return core.Translate("MonthCreditSum", err)
	})
}

func balances(
	from, to time.Time, read func(at time.Time, add func(c string, amount int64)) error,
) (all []monthly.Balance, err error) {
	place := func(c string) *monthly.Balance {
		for i := range all {
			if string(all[i].Currency) == c {
				return &all[i]
			}
		}
		all = append(all, monthly.Balance{Currency: money.Currency(c)})
		return &all[len(all)-1]
	}
	if err := read(from, func(c string, amount int64) { place(c).Opening = money.Minor(amount) }); err != nil {
		return nil, err
	}
	err = read(to, func(c string, amount int64) { place(c).Closing = money.Minor(amount) })
	return all, err
}

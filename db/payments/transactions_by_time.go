package payments

import (
	"cmp"
	"context"
	"slices"
	"time"

	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// The list of payments by createdAt. docs/adr/0039-payments-by-time.md has the argument.

const (
	// creationSlack is the difference that the order of positions and that of creation times may have in real time. A
	// payment is written within a minute of its creation time, or else its row says so; and the clocks of database
	// servers differ by less than a minute.
	creationSlack = 3 * time.Minute
	// creationCrowd bounds the payments of a span of positions whose creation time is not that of their writing: a span
	// with more is not walked.
	creationCrowd = 1000
)

// endOfTime is after every createdAt.
var endOfTime = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

func (r Reader) transactions(ctx context.Context, in dbsqlc.TransactionListParams) ([]dbsqlc.Transaction, error) {
	found, err := core.Queries.TransactionList(ctx, r.Lists(), in)
	return core.Map(found, func(row dbsqlc.TransactionListRow) dbsqlc.Transaction {
		return row.Transaction
	}), core.Translate("TransactionList", err)
}

// transactionsInTime is transactions for a span of time. The order is that of positions. Payments written at their
// creation time are found by the positions around the span; the others, as on a test clock, by their creation times.
func (r Reader) transactionsInTime(
	ctx context.Context, in dbsqlc.TransactionListParams,
) ([]dbsqlc.Transaction, error) {
	from, to := core.Value(in.CreatedFrom), cmp.Or(core.Value(in.CreatedTo), endOfTime)
	around, err := core.Queries.TransactionPositionsAround(ctx, r.Lists(), dbsqlc.TransactionPositionsAroundParams{
		EnvironmentID: in.EnvironmentID, FirstAt: from.Add(-creationSlack), EndAt: to.Add(creationSlack),
		Crowd: creationCrowd,
	})
	if err != nil {
		return nil, core.Translate("TransactionPositionsAround", err)
	}
	virtually, rows := []bool{true}, []dbsqlc.Transaction(nil)
	if around.Crowded {
		virtually = []bool{false, true}
	} else {
		written := in
		written.Above, written.Below = max(in.Above, around.Above), min(in.Below, around.Below)
		if rows, err = r.transactions(ctx, written); err != nil {
			return nil, err
		}
	}
	found, err := core.Queries.TransactionListInTime(ctx, r.Lists(), dbsqlc.TransactionListInTimeParams{
		EnvironmentID: in.EnvironmentID, Virtually: virtually, CreatedFrom: from, CreatedTo: to, CustomerID: in.CustomerID,
		SubscriptionID: in.SubscriptionID, InvoiceID: in.InvoiceID, Status: in.Status, Type: in.Type,
		RefundOwed: in.RefundOwed, ProviderConfigID: in.ProviderConfigID, Below: in.Below, Above: in.Above,
		Forward: in.Forward, RowLimit: in.RowLimit,
	})
	if err != nil {
		return nil, core.Translate("TransactionListInTime", err)
	}
	for _, row := range found {
		rows = append(rows, row.Transaction)
	}
	slices.SortFunc(rows, func(a, b dbsqlc.Transaction) int {
		if in.Forward {
			return cmp.Compare(a.Position, b.Position)
		}
		return cmp.Compare(b.Position, a.Position)
	})
	rows = slices.CompactFunc(rows, func(a, b dbsqlc.Transaction) bool { return a.ID == b.ID })
	return rows[:min(len(rows), int(in.RowLimit))], nil
}

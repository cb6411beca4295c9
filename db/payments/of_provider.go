package payments

import (
	"context"

	"perennial/billing/payment"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// OfProvider lists the payments of a provider that have one of its references, or one of our ids. Also those of
// accounts that were removed.
func (r Reader) OfProvider(
	ctx context.Context, environmentID, provider string, refs, ids []string,
) ([]payment.Transaction, error) {
	rows, err := core.Queries.TransactionListOfProvider(ctx, r.Lists(), dbsqlc.TransactionListOfProviderParams{
		EnvironmentID: environmentID, Provider: provider, Refs: refs, Ids: ids,
	})
	return core.Map(rows, func(row dbsqlc.TransactionListOfProviderRow) payment.Transaction {
		return TransactionFromDB(row.Transaction)
	}), core.Translate("TransactionListOfProvider", err)
}

// RefundsOf lists the refunds of some charges, also what banks took back because of disputes.
func (r Reader) RefundsOf(
	ctx context.Context, environmentID string, chargeIDs []string,
) ([]payment.Transaction, error) {
	rows, err := core.Queries.TransactionListRefundsOf(ctx, r.Lists(), dbsqlc.TransactionListRefundsOfParams{
		EnvironmentID: environmentID, ChargeIds: chargeIDs,
	})
	return core.Map(rows, func(row dbsqlc.TransactionListRefundsOfRow) payment.Transaction {
		return TransactionFromDB(row.Transaction)
	}), core.Translate("TransactionListRefundsOf", err)
}

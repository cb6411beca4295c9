package db

import (
	"context"

	"perennial/db/internal/dbsqlc"
)

// SpendKeyRequests subtracts requests from the keys' shared buckets, which hold at most burst and fill by perSecond, and
// returns what is left in each; less than nothing where processes granted the same ones.
func (tx *Tx) SpendKeyRequests(
	ctx context.Context, spent map[string]int, perSecond, burst int,
) (left map[string]float64, err error) {
	ids, counts := make([]string, 0, len(spent)), make([]int, 0, len(spent))
	for id, n := range spent {
		ids, counts = append(ids, id), append(counts, n)
	}
	rows, err := queries.APIKeySpend(ctx, tx.pipe, dbsqlc.APIKeySpendParams{
		Ids: ids, Spent: counts, PerSecond: float64(perSecond), Burst: float64(burst),
	})
	if err != nil {
		return nil, translate("APIKeySpend", err)
	}
	left = make(map[string]float64, len(rows))
	for _, row := range rows {
		left[row.KeyID] = row.Tokens
	}
	return left, nil
}

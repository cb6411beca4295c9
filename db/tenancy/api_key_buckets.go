package tenancy

import (
	"context"

	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/quota"
)

// SpendKeyRequests subtracts requests from the keys' shared buckets, and returns the rest of each; below zero where
// processes granted the same requests.
func (tx *Tx) SpendKeyRequests(
	ctx context.Context, spent map[string]quota.Spent, limit quota.Limit,
) (left map[string]float64, err error) {
	p := dbsqlc.APIKeySpendParams{PerSecond: float64(limit.PerSecond), Burst: float64(limit.Burst)}
	for id, s := range spent {
		p.Ids, p.Spent = append(p.Ids, id), append(p.Spent, s.Requests)
		p.WithinSeconds = append(p.WithinSeconds, s.Within.Seconds())
	}
	rows, err := core.Queries.APIKeySpend(ctx, tx.Pipe, p)
	if err != nil {
		return nil, core.Translate("APIKeySpend", err)
	}
	left = make(map[string]float64, len(rows))
	for _, row := range rows {
		left[row.KeyID] = row.Tokens
	}
	return left, nil
}

package rig

import (
	"context"
	"encoding/json"
	"net/http"

	"perennial/bench/stage"
	"perennial/providers/simulator/core"
)

// NotChargedOnce returns the number of subscriptions without exactly one capture in the provider's ledger. The
// product's own rows would prove nothing.
func (r *Rig) NotChargedOnce(ctx context.Context, subjects []stage.Subject) (int, error) {
	raw, err := r.Ask(ctx, http.MethodGet, r.simulator+"/_simulator/ledger", "", http.StatusOK)
	if err != nil {
		return 0, err
	}
	var ledger []core.Movement
	if err := json.Unmarshal(raw, &ledger); err != nil {
		return 0, err
	}
	captures := map[string]int{}
	for _, m := range ledger {
		if m.Kind == "capture" {
			captures[m.TransactionID]++
		}
	}
	ids := make([]string, len(subjects))
	for i, s := range subjects {
		ids[i] = s.SubscriptionID
	}
	rows, err := r.Ours.Pool.Query(ctx, "select subscription_id, id from transactions where subscription_id = any($1)",
		ids)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	charges := map[string]int{}
	for rows.Next() {
		var sub, txn string
		if err := rows.Scan(&sub, &txn); err != nil {
			return 0, err
		}
		charges[sub] += captures[txn]
	}
	wrong := 0
	for _, id := range ids {
		if charges[id] != 1 {
			wrong++
		}
	}
	return wrong, rows.Err()
}

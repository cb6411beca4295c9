package bare

import (
	"encoding/json"
	"net/http"

	"github.com/jackc/pgx/v5/pgxpool"

	"perennial/api/usage"
)

// UsageTable holds records under the same unique key as ours, for ever and in one table.
const UsageTable = `create table if not exists bare_usage (
	environment_id text not null, key text not null collate "C", subscription_id text not null, metric_name text not null,
	quantity numeric not null, at timestamptz not null default now(), primary key (environment_id, key)
)`

const insertUsage = `insert into bare_usage (environment_id, key, subscription_id, metric_name, quantity)
values ($1, $2, $3, $4, $5::text::numeric) on conflict do nothing`

// recordUsage answers POST /api/usage: one decoding, one insert, one encoding. It checks no key.
func recordUsage(pool *pgxpool.Pool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var form usage.UsageForm
		if err := json.NewDecoder(r.Body).Decode(&form); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_, err := pool.Exec(r.Context(), insertUsage, "env", form.IdempotencyKey, form.SubscriptionID, form.MetricName,
			string(form.Quantity))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(form) // the client is gone when this fails
	}
}

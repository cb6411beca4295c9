package bare

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"perennial/api/usage"
	"perennial/internal/apikey"
	"perennial/internal/id"
)

// insertUsage writes the rows of the product for the environment of a valid key, and none for a used key of a record.
// It validates nothing.
const insertUsage = `
with known as (
	select k.environment_id from api_keys k where k.hash = $1 and k.revoked_at is null
), taken as (
	insert into usage_keys (environment_id, key, at, fingerprint, record_id)
	select k.environment_id, $2, now(), $3, $4 from known k
	on conflict do nothing
	returning environment_id, at, record_id
)
insert into usage_records (environment_id, subscription_id, metric_id, at, id, quantity)
select t.environment_id, $5, $6, t.at, t.record_id, $7::text::numeric from taken t`

// metricID is as long as the product's.
const metricID = "met_01jcz6dyqx4w9s1c2k7v5h8m3n"

// recordUsage serves POST /api/usage: one decoding, one statement, one encoding.
func recordUsage(pool *pgxpool.Pool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var form usage.UsageForm
		if err := json.NewDecoder(r.Body).Decode(&form); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		hash := apikey.Hash(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		written, err := pool.Exec(r.Context(), insertUsage, hash, form.IdempotencyKey, make([]byte, 16),
			id.New(id.UsageRecord, time.Now()), form.SubscriptionID, metricID, string(form.Quantity))
		if err == nil && written.RowsAffected() != 1 {
			err = errors.New("the key of the request is unknown, or that of the record was used")
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(form) // the client is gone when this fails
	}
}

package bare

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/gorilla/mux"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"perennial/api/subscriptions"
	"perennial/internal/apikey"
)

// readSubscription reads key, row and items with one select, in the form of the answer.
const readSubscription = `
select s.id, s.customer_id, split_part(s.plan_id, '.', 1), greatest(split_part(s.plan_id, '.', 2), '1')::int,
       s.status, s.currency,
       extract(epoch from s.anchor_at)::bigint, coalesce(extract(epoch from s.trial_ends_at), 0)::bigint,
       extract(epoch from s.current_period_start)::bigint, extract(epoch from s.current_period_end)::bigint,
       coalesce(extract(epoch from s.paid_through), 0)::bigint, coalesce(extract(epoch from s.activated_at), 0)::bigint,
       s.cancel_at_period_end, coalesce(s.cancel_reason, ''), s.next_action, s.quantity,
       coalesce(s.proration_measure, 'second'),
       coalesce(s.collection_method, 'charge_automatically'),
       coalesce(extract(epoch from s.next_action_at), 0)::bigint, s.time_zone, s.metadata,
       extract(epoch from s.created_at)::bigint,
       n.ids, n.prices, n.quantities
from api_keys k
join subscriptions s on s.environment_id = k.environment_id
cross join lateral (
    select array_agg(i.id) as ids, array_agg(i.price_id) as prices, array_agg(i.quantity) as quantities
    from (select * from subscription_items m
          where m.environment_id = s.environment_id and m.subscription_id = s.id and m.ended_at is null
          order by m.position) i
) n
where k.hash = $1 and k.revoked_at is null and s.id = $2`

// Handler serves GET /api/subscriptions/{id} (mux, one select, one encoding), POST /api/usage (see recordUsage), and
// the paths for which the product reads more than a row (see reading).
func Handler(pool *pgxpool.Pool, source Source) http.Handler {
	read := func(w http.ResponseWriter, r *http.Request) {
		s := subscriptions.Subscription{
			AddOns: []subscriptions.SubscriptionAddOn{}, Items: []subscriptions.SubscriptionItem{},
			Scheduled: []subscriptions.ScheduledChange{}, Discounts: []subscriptions.SubscriptionDiscount{},
		}
		var items, prices []string
		var quantities []int64
		hash := apikey.Hash(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		err := pool.QueryRow(r.Context(), readSubscription, hash, mux.Vars(r)["id"]).Scan(
			&s.ID, &s.CustomerID, &s.PlanID, &s.PlanVersion, &s.Status, &s.Currency, &s.BillingAnchor, &s.TrialEndsAt,
			&s.CurrentPeriodStart, &s.CurrentPeriodEnd, &s.PaidThrough, &s.ActivatedAt, &s.CancelAtPeriodEnd, &s.CancelReason,
			&s.NextAction, &s.Quantity, &s.ProrationMeasure, &s.CollectionMethod, &s.NextActionAt, &s.TimeZone, &s.Metadata,
			&s.CreatedAt, &items, &prices, &quantities)
		for i, id := range items {
			s.Items = append(s.Items, subscriptions.SubscriptionItem{ID: id, PriceID: prices[i], Quantity: quantities[i]})
		}
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			http.Error(w, "not found", http.StatusNotFound)
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		default:
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(s) // the client is gone when this fails
		}
	}
	router := mux.NewRouter()
	router.Methods(http.MethodGet).Path("/api/subscriptions/{id}").HandlerFunc(read)
	router.Methods(http.MethodPost).Path("/api/usage").HandlerFunc(recordUsage(pool))
	for path, method := range map[string]string{
		"/api/customers/{id}/access":      http.MethodGet,
		"/api/subscriptions/{id}/preview": http.MethodPost,
		"/api/subscriptions/{id}/usage":   http.MethodGet,
	} {
		router.Methods(method).Path(path).Handler(&reading{pool: pool, source: source})
	}
	return router
}

package check

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/test/e2e/world"
)

// readable: every acknowledged resource exists, and a repeat of the request gets the same answer.
func readable(t testing.TB, env *world.Environment) {
	t.Helper()
	seen := map[string]string{} // by key: a key that was repeated had one answer
	for _, a := range env.Acknowledged() {
		id := a.ID()
		// An environment has one set of settings; records of usage are counted, not read one by one.
		if id == "" && (a.Path == "/api/settings" || a.Path == "/api/usage/batch") {
			continue
		}
		require.NotEmpty(t, id, "%s", a)
		if first, ok := seen[a.Path+" "+a.Key]; ok {
			require.Equal(t, first, id, "%s", a)
		}
		seen[a.Path+" "+a.Key] = id
		var resource struct {
			ID string `json:"id"`
		}
		require.NoError(t, env.Get(t.Context(), locate(id), &resource), "acknowledged and not there: %s", a)
		require.Equal(t, id, resource.ID)
	}
}

// locate returns the path of a resource.
func locate(id string) string {
	for prefix, collection := range map[string]string{
		"cust_": "customers", "sub_": "subscriptions", "txn_": "payments", "plan_": "plans", "clk_": "test-clocks",
		"in_": "invoices", "pp_": "payment-providers", "crg_": "credit-grants",
		"met_": "metrics",
	} {
		if strings.HasPrefix(id, prefix) {
			return "/api/" + collection + "/" + id
		}
	}
	return "/api/" + id
}

// slack is the time that a busy test machine adds to the 10 s in which the API responds that it cannot.
const slack = 4 * time.Second

// polite: no client ever gets "internal error", and a 503 says in good time when to come back.
func polite(t testing.TB, env *world.Environment) {
	t.Helper()
	for _, a := range env.Answers() {
		if a.Status < http.StatusInternalServerError {
			continue
		}
		require.Equal(t, http.StatusServiceUnavailable, a.Status, "%s", a)
		require.NotEmpty(t, a.Header.Get("Retry-After"), "%s", a)
		require.Less(t, a.Took, 10*time.Second+slack, "%s", a)
	}
}

// related are the columns that name a row of another table, which must be of the same environment.
var related = []struct{ table, column, parent string }{
	{"subscriptions", "customer_id", "customers"}, {"subscriptions", "plan_id", "plans"},
	{"subscriptions", "test_clock_id", "test_clocks"},
	{"invoices", "customer_id", "customers"}, {"invoices", "subscription_id", "subscriptions"},
	{"invoice_lines", "invoice_id", "invoices"},
	{"transactions", "customer_id", "customers"}, {"transactions", "subscription_id", "subscriptions"},
	{"transactions", "invoice_id", "invoices"},
	{"transactions", "provider_config_id", "provider_configs"}, {"settlements", "invoice_id", "invoices"},
	{"settlements", "transaction_id", "transactions"},
	{"events", "customer_id", "customers"}, {"events", "subscription_id", "subscriptions"},
	{"customers", "test_clock_id", "test_clocks"},
	{"provider_callbacks", "transaction_id", "transactions"},
}

// apart: no row points into another environment, and no key sees another's resources.
func apart(t testing.TB, w *world.World) {
	t.Helper()
	for _, r := range related {
		require.Empty(t, column(t, w, "select c."+r.column+" from "+r.table+" c join "+r.parent+" p on p.id = c."+r.column+
			" where p.environment_id <> c.environment_id"), "%s.%s", r.table, r.column)
	}
	for i, mine := range w.Environments {
		for j, other := range w.Environments {
			if i == j {
				continue
			}
			for _, a := range mine.Acknowledged() {
				answer, err := other.Try(t.Context(), http.MethodGet, locate(a.ID()), "", nil)
				require.NoError(t, err)
				require.Equal(t, http.StatusNotFound, answer.Status, "%s", answer)
			}
		}
	}
}

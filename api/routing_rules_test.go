package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
)

type rulesPage = httpkit.List[RoutingRule]

func TestRoutingRules_ReplacedAsAWhole(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	account := as[httpkit.List[PaymentProvider]](t, 200, b.ask(t, b.test, "GET", "/api/payment-providers", nil)).Data[0]
	require.Equal(t, Breaker{State: "closed"}, account.Breaker)
	require.Empty(t, as[rulesPage](t, 200, b.ask(t, b.test, "GET", "/v1/routing-rules", nil)).Data)

	rules := []RoutingRule{
		{Country: "CM", Currency: "XAF", Method: "mobile_money_*", MinAmount: 1, MaxAmount: 5000,
			ProviderConfigID: account.ID},
		{ProviderConfigID: account.ID},
	}
	put := b.ask(t, b.test, "PUT", "/api/routing-rules", map[string]any{"rules": rules}, "Idempotency-Key", "k")
	require.Equal(t, rules, as[rulesPage](t, 200, put).Data)
	require.Equal(
		t, put.Body, b.ask(
			t, b.test, "PUT", "/api/routing-rules", map[string]any{"rules": rules}, "Idempotency-Key", "k",
		).Body,
	)
	require.Equal(t, rules, as[rulesPage](t, 200, b.ask(t, b.test, "GET", "/v1/routing-rules", nil)).Data)

	changes, err := b.store.Payments.EnvironmentChanges(t.Context(), b.test.environmentID)
	require.NoError(t, err)
	require.Equal(t, []string{"routingRules"}, changes[len(changes)-1].Fields)
	require.Len(t, changes, 1, "a repeat changes nothing")

	as[rulesPage](t, 200, b.ask(t, b.test, "PUT", "/api/routing-rules", `{"rules":[]}`))
	require.Empty(t, as[rulesPage](t, 200, b.ask(t, b.test, "GET", "/v1/routing-rules", nil)).Data)
}

// The rules of a response can be written back, also after the account of a rule was deleted.
func TestRoutingRules_EndWithTheirAccount(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	backup := b.addProvider(t, map[string]any{"secretKey": "sk_test_good"})
	rules := []RoutingRule{{Currency: "EUR", ProviderConfigID: backup.ID}, {ProviderConfigID: b.test.providerID}}
	as[rulesPage](t, 200, b.ask(t, b.test, "PUT", "/api/routing-rules", map[string]any{"rules": rules}))
	as[Deleted](t, 200, b.ask(t, b.test, "DELETE", "/api/payment-providers/"+backup.ID, nil))
	left := as[rulesPage](t, 200, b.ask(t, b.test, "GET", "/api/routing-rules", nil)).Data
	require.Equal(t, rules[1:], left)
	put := b.ask(t, b.test, "PUT", "/api/routing-rules", map[string]any{"rules": left})
	require.Equal(t, left, as[rulesPage](t, 200, put).Data)
}

func TestRoutingRules_RefusalsNameTheField(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for body, want := range map[string][2]string{
		`{"rules":[{"providerConfigId":"pp_absent"}]}`: {
			"rules[0].providerConfigId", "provider_config_not_found",
		},
		`{"rules":[{"country":"cm","providerConfigId":"pp_absent"}]}`: {"rules[0].country",
			"country_malformed"},
		`{"rules":[{"minAmount":5,"providerConfigId":"pp_absent"}]}`: {"rules[0].currency",
			"field_missing"},
		`{"rules":[{"method":"Card","providerConfigId":"pp_absent"}]}`: {"rules[0].method",
			"method_malformed"},
		`{"rules":[{"currency":"XXQ","providerConfigId":"pp_absent"}]}`: {"rules[0].currency",
			"currency_unknown"},
		`{"rules":[{"currency":"EUR","minAmount":-1,"providerConfigId":"pp_absent"}]}`: {"rules[0].minAmount", ""},
	} {
		got := b.ask(t, b.test, "PUT", "/api/routing-rules", body)
		require.GreaterOrEqual(t, got.Status, http.StatusNotFound, body)
		problem := as[httpkit.Problem](t, got.Status, got)
		require.Equal(t, want[0], problem.Param, body)
		if want[1] != "" {
			require.Equal(t, want[1], problem.Code, body)
		}
	}
}

func TestUpdateProvider_RateLimit(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := as[httpkit.List[PaymentProvider]](t, 200, b.ask(t, b.test, "GET", "/api/payment-providers", nil)).Data[0].ID
	change := func(n int) PaymentProvider {
		return as[PaymentProvider](
			t, 200, b.ask(t, b.test, "PATCH", "/api/payment-providers/"+id, map[string]any{"maxRequestsPerSecond": n}),
		)
	}
	require.Equal(t, 50, change(50).MaxRequestsPerSecond)
	require.Equal(
		t, 50, as[PaymentProvider](t, 200, b.ask(t, b.test, "GET", "/api/payment-providers/"+id, nil)).MaxRequestsPerSecond,
	)
	require.Zero(t, change(0).MaxRequestsPerSecond)
	require.Equal(t, 422, b.ask(t, b.test, "PATCH", "/api/payment-providers/"+id, `{"maxRequestsPerSecond":-1}`).Status)
}

func TestCustomer_Country(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := as[Customer](t, 201, b.ask(t, b.test, "POST", "/api/customers", `{"email":"a@example.com","country":"CM"}`))
	require.Equal(t, "CM", made.Country)
	changed := as[Customer](t, 200, b.ask(t, b.test, "PATCH", "/api/customers/"+made.ID, `{"country":"RW"}`))
	require.Equal(t, "RW", changed.Country)
	require.Equal(t, 422, b.ask(t, b.test, "PATCH", "/api/customers/"+made.ID, `{"country":"rw"}`).Status)
}

package api

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A customer in a country that does not exist would match no tax rate. Each place that takes a country refuses such a
// code, in its field.
func TestCountries_ThatDoNotExist(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	customer := b.newCustomer(t, b.test)
	path := "/api/customers/" + customer.ID
	for _, c := range [][4]string{
		{"POST", "/api/customers", `{"email":"a@example.com","country":"UK"}`, "country"},
		{"POST", "/api/customers", `{"email":"a@example.com","address":{"country":"UK"}}`, "address.country"},
		{"POST", "/api/customers", `{"email":"a@example.com","taxIds":[{"type":"other","value":"1","country":"UK"}]}`,
			"taxIds[0].country"},
		{"PATCH", path, `{"country":"UK"}`, "country"},
		{"POST", "/api/tax-rates", `{"name":"VAT","percent":"20","country":"UK"}`, "country"},
		{"PUT", "/api/routing-rules", `{"rules":[{"country":"UK","providerConfigId":"pp_absent"}]}`, "rules[0].country"},
		{"PATCH", "/api/settings", `{"seller":{"name":"Acme","country":"UK"}}`, "seller.country"},
	} {
		said := problem(t, 422, "country_unknown", c[3], b.ask(t, b.test, c[0], c[1], c[2]))
		require.Contains(t, said.Detail, "Send GB", c[1])
	}

	_, err := b.pool.Exec(t.Context(), "update customers set country = 'UK' where id = $1", customer.ID)
	require.NoError(t, err)
	kept := as[Customer](t, 200, b.ask(t, b.test, "PATCH", path, `{"name":"Ada"}`))
	require.Equal(t, [2]string{"Ada", "UK"}, [2]string{kept.Name, kept.Country}, "a stored code stays readable")
	require.Equal(t, "GB", as[Customer](t, 200, b.ask(t, b.test, "PATCH", path, `{"country":"GB"}`)).Country)
}

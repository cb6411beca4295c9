package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
)

func TestProducts_GroupPlans(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := as[Product](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/products",
		`{"name":"Mail","description":"For teams.","metadata":{"tier":2}}`))
	require.True(t, made.Active)
	form := map[string]any{"name": "Mail, monthly", "currency": "USD", "interval": "month", "amount": 900,
		"productId": made.ID}
	sold := as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/plans", form))
	require.Equal(t, made.ID, sold.ProductID)
	other := b.newPlan(t, b.test)
	plans := func() []Plan {
		return as[httpkit.List[Plan]](t, 200, b.ask(t, b.test, "GET", "/v1/plans?productId="+made.ID, nil)).Data
	}
	require.Equal(t, []Plan{sold}, plans())

	moved := as[Plan](t, 200, b.ask(t, b.test, "PATCH", "/api/plans/"+other.ID, map[string]any{"productId": made.ID}))
	require.Equal(t, []Plan{moved, sold}, plans())
	as[Plan](t, 200, b.ask(t, b.test, "PATCH", "/api/plans/"+other.ID, map[string]any{"productId": ""}))
	require.Equal(t, []Plan{sold}, plans())
	second := as[Plan](t, 201, b.ask(t, b.test, "POST", "/api/plans/"+sold.ID+"/versions", map[string]any{"amount": 1000}))
	require.Equal(t, made.ID, second.ProductID, "a version stays with the plan's product")

	gone := as[Product](t, 200, b.ask(t, b.test, "PATCH", "/api/products/"+made.ID, map[string]any{"active": false}))
	require.False(t, gone.Active)
	require.True(t, plans()[0].Active, "its plans are archived by themselves")
	require.Equal(t, gone, as[Product](t, 200, b.ask(t, b.test, "GET", "/v1/products/"+made.ID, nil)))
	require.Equal(t, []Product{gone},
		as[httpkit.List[Product]](t, 200, b.ask(t, b.test, "GET", "/api/products?active=false", nil)).Data)
	form["productId"] = "prod_00000000000000000000000000"
	problem(t, http.StatusNotFound, "product_not_found", "productId", b.ask(t, b.test, "POST", "/api/plans", form))
}

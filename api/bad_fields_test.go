package api

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
)

// The refusal of a misspelled field names the right one, and never suggests omitting it.
func TestUnknownField_NamesTheFieldThatWasMeant(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rows := b.fill(t, b.test)
	sub := "/subscriptions/" + rows.subscription
	for _, c := range []struct{ method, path, body, want string }{
		{
			"POST", sub + "/cancel", `{"immediateEfect":true}`,
			"`immediateEfect` is not a field of this request. Did you mean `immediateEffect`?",
		},
		{
			"POST", "/customers", `{"payment_method":"card"}`,
			"`payment_method` is not a field of this request. Did you mean `paymentMethod`?",
		},
		{
			"POST", "/customers", `{"email":"a@b.c","paymentDetails":{"customertoken":"x"}}`,
			"Did you mean `paymentDetails.customerToken`?",
		},
		{
			"POST", "/plans", `{"name":"x","currency":"USD","interval":"month","prices":[{"amont":1,"amount":1}]}`,
			"Did you mean `prices[0].amount`?",
		},
		{"POST", sub + "/cancel", `{"when":"now"}`, "Its fields are `immediateEffect`, `previewToken`, `reason`, `refund`."},
		{"POST", sub + "/reactivate", `{"reason":"x"}`, "Its fields are `previewToken`."},
		{"DELETE", "/customers/" + rows.customer, `{"reason":"x"}`, "It has none: omit `reason`."},
		{"GET", "/plans?aktive=true", "", "Did you mean `active`?"},
		{
			"GET", "/plans?page=2", "",
			"Its query parameters are `limit`, `startingAfter`, `endingBefore`, `active`, `productId`, `kind`.",
		},
		{"GET", "/plans?limit=abc", "", "`limit` is invalid: expected integer."},
	} {
		var body any
		if c.body != "" {
			body = c.body
		}
		p := as[httpkit.Problem](t, 422, b.ask(t, b.test, c.method, "/v1"+c.path, body))
		require.Contains(t, p.Detail, c.want)
	}
}

func TestCardNumber_IsRefusedWhereverTextIsStored(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rows := b.fill(t, b.test)
	const card = "4242 4242 4242 4242"
	for _, c := range []struct{ method, path, body, param string }{
		{"POST", "/customers", `{"email":"a@example.com","name":"` + card + `"}`, "name"},
		{"POST", "/customers", `{"email":"a@example.com","metadata":{"card":"` + card + `"}}`, "metadata.card"},
		{"POST", "/customers", `{"email":"a@example.com","metadata":{"card":4242424242424242}}`, "metadata.card"},
		{"POST", "/customers", `{"email":"a@example.com","metadata":{"` + card + `":1}}`, "metadata"},
		{"PATCH", "/customers/" + rows.customer, `{"name":"Ada ` + card + `"}`, "name"},
		{"POST", "/plans", `{"name":"` + card + `","currency":"USD","interval":"month","amount":1}`, "name"},
		{
			"POST", "/plans", `{"name":"x","currency":"USD","interval":"month","prices":[{"amount":1,"name":"` + card + `"}]}`,
			"prices[0].name",
		},
		{"PATCH", "/plans/" + rows.plan, `{"metadata":{"note":"` + card + `"}}`, "metadata.note"},
		{"POST", "/subscriptions", fmt.Sprintf(`{"customerId":%q,"planId":%q,"metadata":{"n":%q}}`, rows.customer, rows.plan,
			card), "metadata.n"},
		{"POST", "/subscriptions/" + rows.subscription + "/cancel", `{"reason":"card ` + card + ` expired"}`, "reason"},
		{"POST", "/payments", fmt.Sprintf(`{"customerId":%q,"amount":1,"currency":"USD","description":%q}`, rows.customer,
			card), "description"},
		{"POST", "/test-clocks", `{"name":"` + card + `"}`, "name"},
	} {
		got := b.ask(t, b.test, c.method, "/v1"+c.path, c.body)
		problem(t, 422, "card_number_refused", c.param, got)
		require.NotContains(t, string(got.Body), "4242 4242")
	}
}

func TestCreateCustomer_ListsEveryWrongField(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p := problem(t, 422, "email_malformed", "email", b.ask(t, b.test, "POST", "/v1/customers",
		`{"email":"a","phone":"1","metadata":{"":1},"name":" "}`))
	var params []string
	for _, f := range p.Errors {
		params = append(params, f.Param)
	}
	require.Equal(t, []string{"email", "phone", "name", "metadata"}, params)
	p = problem(t, 422, "phone_malformed", "phone",
		b.ask(t, b.test, "POST", "/v1/customers", `{"email":"a@b.c","phone":"1"}`))
	require.Empty(t, p.Errors)
}

func manyFields(n int) string {
	fields := make([]string, n)
	for i := range fields {
		fields[i] = fmt.Sprintf(`"k%d":"v"`, i)
	}
	return strings.Join(fields, ",")
}

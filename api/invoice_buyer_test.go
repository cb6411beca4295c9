package api

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An invoice shows the customer as it was at issue, until the customer is deleted; so do memos and metadata.
func TestInvoiceBuyer_AsAtIssueUntilErased(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	in := b.newInvoice(t, b.test, sub.ID)
	note := as[CreditNote](t, 201, b.ask(t, b.test, "POST", "/api/invoices/"+in+"/credit-notes",
		`{"reason":"other","amount":1,"memo":"Dear canary"}`))
	customer := "/api/customers/" + sub.CustomerID
	as[Invoice](t, 201, b.ask(t, b.test, "POST", "/api/invoices", map[string]any{
		"customerId": sub.CustomerID, "currency": "USD", "lines": []any{map[string]any{"description": "Work", "amount": 1}},
		"memo": "For the canary", "metadata": map[string]any{"name": "canary"},
	}))
	was := as[Customer](t, 200, b.ask(t, b.test, "GET", customer, nil))
	as[Customer](t, 200, b.ask(t, b.test, "PATCH", customer, `{"name":"Somebody else","email":"else@example.com"}`))
	read := func() Invoice { return as[Invoice](t, 200, b.ask(t, b.test, "GET", "/api/invoices/"+in, nil)) }
	require.Equal(t, &Buyer{Name: was.Name, Email: was.Email, Country: was.Country}, read().Buyer)
	_, err := b.pool.Exec(t.Context(), `update invoices set buyer = '{"name":"forged"}'`)
	require.ErrorContains(t, err, "immutable")

	require.Equal(t, 200, b.ask(t, b.test, "DELETE", customer, nil).Status)
	b.eraseAll(t)
	require.Nil(t, read().Buyer)
	require.EqualValues(t, 1, read().Number, "the invoice stays")
	require.Empty(t, as[CreditNote](t, 200, b.ask(t, b.test, "GET", "/api/credit-notes/"+note.ID, nil)).Memo)
	for _, table := range []string{"invoices", "credit_notes", "idempotency_keys"} {
		require.Zero(
			t, b.count(
				t, "select count(*) from "+table+" x where x::text like '%canary%' or x::text like '%'||$1||'%'", was.Email,
			),
		)
	}
}

package api

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/billing/balance"
)

// A manual invoice uses grants in their order and then the plain balance, and a void gives all of it back.
func TestCreditGrants_UsedReturnedAndVoided(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.newCustomer(t, b.test)
	ledger, path := "/api/customers/"+c.ID+"/balance", "/api/customers/"+c.ID+"/credit-grants"
	later := as[CreditGrant](
		t, 201, b.ask(t, b.test, "POST", path, `{"currency":"USD","amount":300,"metadata":{"why":"x"}}`),
	)
	form := map[string]any{
		"currency": "USD", "amount": 200, "name": "Welcome", "expiresAt": b.clock().Add(time.Hour).Unix(),
	}
	first := as[CreditGrant](t, 201, b.ask(t, b.test, "POST", path, form, "Idempotency-Key", "k"))
	require.Equal(t, first, as[CreditGrant](t, 201, b.ask(t, b.test, "POST", path, form, "Idempotency-Key", "k")))
	plans := as[CreditGrant](t, 201, b.ask(t, b.test, "POST", path,
		map[string]any{"currency": "USD", "amount": 50, "priority": 0, "planIds": []string{b.newPlan(t, b.test).ID}}))
	b.ask(t, b.test, "POST", ledger+"/entries", `{"currency":"USD","amount":70}`)
	balanceIs := func(want Credit) {
		t.Helper()
		require.Equal(t, []Credit{want}, as[Balance](t, 200, b.ask(t, b.test, "GET", ledger, nil)).Balances)
	}
	balanceIs(Credit{Currency: "USD", Amount: 620, Granted: 550, Plain: 70})

	draft := as[Invoice](t, 201, b.ask(t, b.test, "POST", "/api/invoices",
		draftOf(c.ID, map[string]any{"collectionMethod": "send_invoice", "netDays": 14})))
	in := "/api/invoices/" + draft.ID
	open := as[Invoice](t, 200, b.ask(t, b.test, "POST", in+"/finalize", nil))
	require.Equal(t, int64(570), open.CreditApplied)
	require.Equal(t, []GrantUse{{CreditGrantID: first.ID, Amount: 200}, {CreditGrantID: later.ID, Amount: 300}},
		open.GrantsUsed, "the one that expires is used first")
	require.Equal(
		t, "depleted", as[CreditGrant](t, 200, b.ask(t, b.test, "GET", "/v1/credit-grants/"+first.ID, nil)).Status,
	)
	balanceIs(Credit{Currency: "USD", Amount: 50, Granted: 50})
	entries := as[httpkit.List[BalanceEntry]](t, 200, b.ask(t, b.test, "GET", ledger+"/entries?limit=2", nil)).Data
	require.Equal(t, []string{"applied", "", "applied", later.ID},
		[]string{entries[0].Reason, entries[0].GrantID, entries[1].Reason, entries[1].GrantID})

	void := "/api/credit-grants/" + later.ID + "/void"
	require.Equal(t, "voided", as[CreditGrant](t, 200, b.ask(t, b.test, "POST", void, nil)).Status)
	problem(t, 409, "credit_grant_voided", "", b.ask(t, b.test, "POST", void, nil))
	as[Invoice](t, 200, b.ask(t, b.test, "POST", in+"/void", nil))
	list := as[httpkit.List[CreditGrant]](t, 200, b.ask(t, b.test, "GET", path+"?currency=USD", nil)).Data
	require.Equal(t, []string{plans.ID, first.ID, later.ID}, []string{list[0].ID, list[1].ID, list[2].ID})
	require.Equal(t, []int64{50, 200, 300}, []int64{list[0].Remaining, list[1].Remaining, list[2].Remaining})
	balanceIs(Credit{Currency: "USD", Amount: 620, Granted: 550, Plain: 70})

	gone := as[Deleted](t, 200, b.ask(t, b.test, "DELETE", "/api/customers/"+c.ID, nil))
	require.True(t, gone.Deleted)
	problem(t, 404, "customer_not_found", "customerId", b.ask(t, b.test, "POST", path, form))
}

func TestCreditGrants_Refusals(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := "/api/customers/" + b.newCustomer(t, b.test).ID + "/credit-grants"
	addOn := as[Plan](t, 201, b.ask(t, b.test, "POST", "/api/plans",
		`{"kind":"add_on","name":"Support","currency":"USD","interval":"month","amount":900}`)).ID
	for param, c := range map[string]struct {
		body   any
		status int
		code   string
	}{
		"expiresAt": {
			map[string]any{"currency": "USD", "amount": 1, "expiresAt": b.clock().Unix() - 1}, 422, "expires_at_past",
		},
		"planIds[0]": {
			map[string]any{"currency": "USD", "amount": 1, "planIds": []string{absent(b.clock()).plan}}, 404, "plan_not_found",
		},
		"planIds[1]": {
			map[string]any{"currency": "USD", "amount": 1, "planIds": []string{b.newPlan(t, b.test).ID, addOn}},
			422, "plan_is_add_on",
		},
		"name":     {map[string]any{"currency": "USD", "amount": 1, "name": " "}, 422, "text_blank"},
		"currency": {map[string]any{"currency": "XXX", "amount": 1}, 422, "currency_unknown"},
	} {
		problem(t, c.status, c.code, param, b.ask(t, b.test, "POST", path, c.body))
	}
	for range balance.MaxUsable {
		as[CreditGrant](t, 201, b.ask(t, b.test, "POST", path, `{"currency":"EUR","amount":1}`))
	}
	problem(t, 409, "credit_grants_too_many", "", b.ask(t, b.test, "POST", path, `{"currency":"EUR","amount":1}`))
}

package api

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/billing/event"
	"perennial/internal/id"
)

// A confirmation says who and when, and is of a number: it outlives a change of anything else.
func TestCustomerTaxIDs_ConfirmedUntilTheNumberChanges(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := as[Customer](t, 201, b.ask(t, b.test, "POST", "/api/customers",
		`{"email":"ada@example.com","country":"DE","taxIds":[{"type":"eu_vat","value":"DE 123 456 789"},`+
			`{"type":"company","value":"HRB 1","country":"DE"}]}`))
	doubtful := TaxID{Type: "eu_vat", Value: "DE 123 456 789", Country: "DE", Status: "doubtful"}
	register := TaxID{Type: "company", Value: "HRB 1", Country: "DE", Status: "unchecked"}
	require.Equal(t, []TaxID{doubtful, register}, made.TaxIDs)
	path := "/api/customers/" + made.ID
	verify := func(body string) []TaxID {
		return as[Customer](t, 200, b.ask(t, b.test, "POST", path+"/verify-tax-id", body)).TaxIDs
	}

	began, ids := b.clock().Unix(), verify(`{"type":"eu_vat","value":"DE123456789"}`)
	confirmed := ids[0]
	require.GreaterOrEqual(t, confirmed.VerifiedAt, began)
	require.True(t, id.Is(id.APIKey, confirmed.VerifiedBy))
	require.Equal(t, []TaxID{{
		Type: "eu_vat", Value: doubtful.Value, Country: "DE", Status: "verified", VerifiedAt: confirmed.VerifiedAt,
		VerifiedBy: confirmed.VerifiedBy,
	}, register}, ids)
	changed := as[Customer](t, 200, b.ask(t, b.test, "PATCH", path,
		`{"name":"Ada","taxIds":[{"type":"eu_vat","value":"DE123456789"}]}`))
	confirmed.Value = "DE123456789"
	require.Equal(t, []TaxID{confirmed}, changed.TaxIDs)
	doubtful.Value = "DE123456789"
	require.Equal(t, []TaxID{doubtful}, verify(`{"type":"eu_vat","value":"DE123456789","verified":false}`))
	before := b.effects(t)
	require.Equal(t, []TaxID{doubtful}, verify(`{"type":"eu_vat","value":"DE123456789","verified":false}`))
	require.Equal(t, before, b.effects(t), "nothing changed, nothing happened")

	problem(t, 409, "tax_id_unknown", "",
		b.ask(t, b.test, "POST", path+"/verify-tax-id", `{"type":"company","value":"HRB 1"}`))
	events := as[httpkit.List[Event]](t, 200, b.ask(t, b.test, "GET", "/api/events?type=customer.updated", nil))
	require.Equal(t, []string{"taxIds"}, dataOf[event.CustomerUpdated](t, events.Data[0]).Changed)
}

// An id that was stored before forms were checked stands in the way of no change of something else.
func TestCustomerTaxIDs_OlderThanTheirCheck(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := b.newCustomer(t, b.test)
	_, err := b.pool.Exec(t.Context(), `update customers set tax_ids = '[{"type":"eu_vat","value":"123"}]'`)
	require.NoError(t, err)
	path := "/api/customers/" + made.ID
	old := TaxID{Type: "eu_vat", Value: "123", Status: "unchecked"}
	got := as[Customer](t, 200, b.ask(t, b.test, "PATCH", path, `{"name":"Ada King"}`))
	require.Equal(t, []TaxID{old}, got.TaxIDs)
	problem(t, 422, "tax_id_form", "taxIds[1].value", b.ask(t, b.test, "PATCH", path,
		`{"taxIds":[{"type":"eu_vat","value":"123"},{"type":"eu_vat","value":"124"}]}`))
}

// Who owes the tax follows from the countries of seller and buyer and from the buyer's tax id, and the documents say it.
func TestReverseCharge_ByRule(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	as[Settings](t, 200, b.ask(t, b.test, "PATCH", "/api/settings", `{"seller":{"name":"Acme","country":"FR"}}`))
	as[TaxRate](t, 201, b.ask(t, b.test, "POST", "/api/tax-rates", `{"name":"VAT","percent":"20"}`))
	sub := b.newSubscription(t, b.test)
	path := "/api/customers/" + sub.CustomerID
	draft := func() Invoice {
		return as[Invoice](t, 201, b.ask(t, b.test, "POST", "/api/invoices", map[string]any{
			"customerId": sub.CustomerID, "currency": "USD", "collectionMethod": "send_invoice",
			"lines": []any{map[string]any{"description": "Work", "amount": 1000}},
		}))
	}
	said := func(inv Invoice) []any { return []any{inv.Tax, inv.TaxExempt, inv.TaxNotice} }
	german := `[{"type":"eu_vat","value":"DE136695976"}]`
	taxed, exempt := []any{int64(200), "", ""}, []any{int64(0), "exempt", ""}
	reversed := []any{int64(0), "reverse", "Reverse charge"}
	for name, c := range map[string]struct {
		country, taxIDs, exempt string
		want                    []any
	}{
		"country alone":     {"DE", `[]`, "none", taxed},
		"business":          {"DE", german, "none", reversed},
		"doubtful":          {"DE", `[{"type":"eu_vat","value":"DE123456789"}]`, "none", taxed},
		"at home":           {"FR", `[{"type":"eu_vat","value":"FR40303265045"}]`, "none", taxed},
		"exempt, by hand":   {"DE", german, "exempt", exempt},
		"reversed, by hand": {"", `[]`, "reverse", reversed},
	} {
		as[Customer](t, 200, b.ask(t, b.test, "PATCH", path,
			fmt.Sprintf(`{"country":%q,"taxIds":%s,"taxExempt":%q}`, c.country, c.taxIDs, c.exempt)))
		shown := as[SubscriptionPreview](t, 200, b.ask(t, b.test, "POST", "/api/subscriptions/preview",
			map[string]any{"customerId": sub.CustomerID, "planId": sub.PlanID}))
		foreseen := shown.Invoices[0]
		require.Equal(t, c.want, []any{foreseen.Tax * 1000 / foreseen.Subtotal, foreseen.TaxExempt, foreseen.TaxNotice}, name)
		inv := draft()
		require.Equal(t, c.want, said(inv), name)
		issued := as[Invoice](t, 200, b.ask(t, b.test, "POST", "/api/invoices/"+inv.ID+"/finalize", nil))
		require.Equal(t, c.want, said(issued), name)
		if c.want[0] == int64(0) {
			note := as[CreditNote](t, 201, b.ask(t, b.test, "POST", "/api/invoices/"+inv.ID+"/credit-notes",
				`{"reason":"other"}`))
			require.Equal(t, issued.TaxNotice, note.TaxNotice, name)
		}
	}
}

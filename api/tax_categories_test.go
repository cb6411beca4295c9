package api

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/api/invoices"
)

func TestTaxCategories_OfProductsAndRates(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	create := func(path, body string) response { return b.ask(t, b.test, "POST", path, body) }
	books := as[Product](t, 201, create("/api/products", `{"name":"Books","taxCategory":"books"}`))
	require.Equal(t, "books", books.TaxCategory)
	path := "/api/products/" + books.ID
	change := func(body string) Product { return as[Product](t, 200, b.ask(t, b.test, "PATCH", path, body)) }
	require.Equal(t, "books", change(`{"name":"All books"}`).TaxCategory)
	require.Equal(t, "e-books", change(`{"taxCategory":"e-books"}`).TaxCategory)
	events := as[httpkit.List[Event]](t, 200, b.ask(t, b.test, "GET", "/api/events?type=product.updated", nil))
	require.Contains(t, string(events.Data[0].Data), `"taxCategory"`)
	before := b.effects(t)
	require.Equal(t, "e-books", change(`{"taxCategory":"e-books"}`).TaxCategory)
	require.Equal(t, before, b.effects(t), "nothing changed, nothing happened")
	require.Empty(t, change(`{"taxCategory":""}`).TaxCategory)
	listed := as[httpkit.List[Product]](t, 200, b.ask(t, b.test, "GET", "/api/products", nil))
	require.Empty(t, listed.Data[0].TaxCategory)

	standard := as[TaxRate](t, 201, create("/api/tax-rates", `{"name":"VAT","percent":"19","country":"DE"}`))
	require.Empty(t, standard.TaxCategory)
	reduced := as[TaxRate](t, 201,
		create("/api/tax-rates", `{"name":"VAT","percent":"19","country":"DE","taxCategory":"books"}`))
	require.Equal(t, reduced, as[TaxRate](t, 200, b.ask(t, b.test, "GET", "/api/tax-rates/"+reduced.ID, nil)))
	require.Equal(t, "books", reduced.TaxCategory)
	refused := problem(t, http.StatusConflict, "tax_rate_repeated", "",
		create("/api/tax-rates", `{"name":"MwSt","percent":"19","country":"DE","taxCategory":"books"}`))
	require.Contains(t, refused.Detail, reduced.ID)

	line := `{"customerId":%q,"currency":"USD","lines":[{"description":"Book","amount":100,"taxCategory":"Books"}]}`
	for _, c := range []struct{ path, body, param string }{
		{"/api/products", `{"name":"Books","taxCategory":"Books"}`, "taxCategory"},
		{"/api/tax-rates", `{"name":"VAT","percent":"7","taxCategory":"books and more"}`, "taxCategory"},
		{"/api/invoices", fmt.Sprintf(line, b.newCustomer(t, b.test).ID), "lines[0].taxCategory"},
	} {
		problem(t, 422, "tax_category_malformed", c.param, create(c.path, c.body))
	}
	problem(t, 422, "tax_category_malformed", "taxCategory", b.ask(t, b.test, "PATCH", path, `{"taxCategory":"Ä"}`))
	problem(t, 422, "field_unknown", "taxCategory",
		b.ask(t, b.test, "PATCH", "/api/tax-rates/"+standard.ID, `{"taxCategory":"books"}`))
}

// bookshop has a standard rate and a reduced rate for books, and a product with plans for each.
func (b *bench) bookshop(t *testing.T) (standard, reduced TaxRate, sell func(form map[string]any, category string) Plan) {
	t.Helper()
	create := func(path string, body any) response { return b.ask(t, b.test, "POST", path, body) }
	standard = as[TaxRate](t, 201, create("/api/tax-rates", `{"name":"VAT","percent":"20"}`))
	reduced = as[TaxRate](t, 201, create("/api/tax-rates", `{"name":"VAT","percent":"5","taxCategory":"books"}`))
	products := map[string]string{}
	return standard, reduced, func(form map[string]any, category string) Plan {
		if products[category] == "" {
			products[category] = as[Product](t, 201, create("/api/products", map[string]any{
				"name": "Product " + category, "taxCategory": category,
			})).ID
		}
		form["currency"], form["interval"], form["productId"] = "USD", "month", products[category]
		return as[Plan](t, 201, create("/api/plans", form))
	}
}

// taxesOf returns the category, the only rate and the amount of each line by what it bills.
func taxesOf(t *testing.T, lines []invoices.InvoiceLine) map[string][3]any {
	t.Helper()
	all := map[string][3]any{}
	for _, l := range lines {
		require.Len(t, l.TaxRateIDs, 1, "%+v", l)
		all[l.Kind+" "+l.PlanID] = [3]any{l.TaxCategory, l.TaxRateIDs[0], l.Amount}
	}
	return all
}

// A plan of the standard rate and an add-on of a reduced one are on one invoice, as its preview says. A change of plan
// credits unused time with its billed tax, also if the category of the product has changed; new lines have the new
// category.
func TestTaxCategories_OfOneSubscription(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	standard, reduced, sell := b.bookshop(t)
	team := sell(map[string]any{"name": "Team", "amount": 1000}, "saas")
	pro := sell(map[string]any{"name": "Pro", "amount": 3000}, "saas")
	book := sell(map[string]any{"name": "Book", "kind": "add_on", "amount": 400}, "books")
	form := map[string]any{
		"customerId": b.newCustomer(t, b.test).ID, "planId": team.ID, "addOns": []any{map[string]any{"planId": book.ID}},
		"trialDays": 0,
	}
	bills := map[string][3]any{
		"recurring " + team.ID: {"saas", standard.ID, int64(1000)}, "recurring " + book.ID: {"books", reduced.ID, int64(400)},
	}
	taxes := []invoices.InvoiceTax{
		{TaxRateID: standard.ID, Name: "VAT", Percent: "20", Base: 1000, Amount: 200},
		{TaxRateID: reduced.ID, Name: "VAT", Percent: "5", Base: 400, Amount: 20},
	}
	shown := as[SubscriptionPreview](t, 200, b.ask(t, b.test, "POST", "/api/subscriptions/preview", form))
	require.Equal(t, bills, taxesOf(t, shown.Invoices[0].Lines))
	require.Equal(t, taxes, shown.Invoices[0].Taxes)
	require.Equal(t, bills, taxesOf(t, shown.Upcoming[0].Lines))

	sub := as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions", form))
	b.succeed(t, b.begin(t, sub.ID))
	path := "/api/subscriptions/" + sub.ID
	invoices := func() []Invoice {
		return as[httpkit.List[Invoice]](t, 200, b.ask(t, b.test, "GET", "/api/invoices?subscriptionId="+sub.ID, nil)).Data
	}
	first := invoices()[0]
	require.Equal(t, bills, taxesOf(t, first.Lines))
	require.Equal(t, taxes, first.Taxes)
	require.Equal(t, [3]int64{220, 1620, 1620}, [3]int64{first.Tax, first.Total, first.AmountPaid})

	as[Product](t, 200, b.ask(t, b.test, "PATCH", "/api/products/"+team.ProductID, `{"taxCategory":"books"}`))
	require.Equal(t, first, invoices()[0], "an issued invoice stays")
	change := map[string]any{"planId": pro.ID, "prorationBehavior": "create"}
	before := as[SubscriptionPreview](t, 200, b.ask(t, b.test, "POST", path+"/preview", change))
	changed := as[Subscription](t, 200, b.ask(t, b.test, "PATCH", path, change))
	waits := taxesOf(t, changed.PendingLines)
	back, rest := waits["proration_credit "+team.ID], waits["proration_charge "+pro.ID]
	require.Equal(t, []any{"saas", standard.ID, "books", reduced.ID}, []any{back[0], back[1], rest[0], rest[1]})
	require.Len(t, waits, 2)

	as[Product](t, 200, b.ask(t, b.test, "PATCH", "/api/products/"+team.ProductID, `{"taxCategory":"saas"}`))
	upcoming := taxesOf(t, as[SubscriptionPreview](t, 200, b.ask(t, b.test, "POST", path+"/preview", nil)).Upcoming[0].Lines)
	for of, bill := range waits {
		require.Equal(t, bill, upcoming[of], "a line that waits keeps its category")
	}
	require.Equal(t, [3]any{"saas", standard.ID, int64(3000)}, upcoming["recurring "+pro.ID])
	require.Equal(t, waits, taxesOf(t, before.Subscription.PendingLines))
}

// Reverse charge and an exemption come before categories, and so does a decision by hand to tax before both rules.
func TestTaxCategories_AfterTheCustomer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, reduced, _ := b.bookshop(t)
	as[Settings](t, 200, b.ask(t, b.test, "PATCH", "/api/settings", `{"seller":{"name":"Acme","country":"FR"}}`))
	customer := b.newCustomer(t, b.test, "country", "DE",
		"taxIds", []any{map[string]any{"type": "eu_vat", "value": "DE136695976"}})
	for exempt, want := range map[string][3]any{
		"none": {int64(0), "reverse", "Reverse charge"}, "exempt": {int64(0), "exempt", ""},
		"reverse": {int64(0), "reverse", "Reverse charge"}, "taxed": {int64(50), "", ""},
	} {
		set := as[Customer](t, 200,
			b.ask(t, b.test, "PATCH", "/api/customers/"+customer.ID, map[string]any{"taxExempt": exempt}))
		require.Equal(t, exempt, set.TaxExempt)
		draft := as[Invoice](t, 201, b.ask(t, b.test, "POST", "/api/invoices", map[string]any{
			"customerId": customer.ID, "currency": "USD", "collectionMethod": "send_invoice",
			"lines": []any{map[string]any{"description": "Book", "amount": 1000, "taxCategory": "books"}},
		}))
		require.Equal(t, "books", draft.Lines[0].TaxCategory)
		issued := as[Invoice](t, 200, b.ask(t, b.test, "POST", "/api/invoices/"+draft.ID+"/finalize", nil))
		require.Equal(t, want, [3]any{issued.Tax, issued.TaxExempt, issued.TaxNotice}, exempt)
		require.Equal(t, "books", issued.Lines[0].TaxCategory)
		if exempt == "taxed" {
			require.Equal(t, []string{reduced.ID}, issued.Lines[0].TaxRateIDs)
		}
	}
	problem(t, 422, "value_unknown", "taxExempt",
		b.ask(t, b.test, "PATCH", "/api/customers/"+customer.ID, `{"taxExempt":"sometimes"}`))
}

// The draft of a renewal keeps its tax category and rates, also if its plan moves to a product of another category
// before it is issued. The next invoice has the new category.
func TestTaxCategories_OfADraft(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	standard, reduced, _ := b.bookshop(t)
	as[Settings](t, 200, b.ask(t, b.test, "PATCH", "/api/settings", `{"invoiceGraceMinutes":60}`))
	sub := b.renew(t)
	drafts := as[httpkit.List[Invoice]](t, 200,
		b.ask(t, b.test, "GET", "/api/invoices?status=draft&subscriptionId="+sub.ID, nil))
	draft := drafts.Data[0]
	drawn := map[string][3]any{"recurring " + sub.PlanID: {"", standard.ID, int64(1900)}}
	require.Equal(t, drawn, taxesOf(t, draft.Lines))

	books := as[Product](t, 201, b.ask(t, b.test, "POST", "/api/products", `{"name":"Books","taxCategory":"books"}`))
	as[Plan](t, 200, b.ask(t, b.test, "PATCH", "/api/plans/"+sub.PlanID, map[string]any{"productId": books.ID}))
	require.Equal(t, draft, as[Invoice](t, 200, b.ask(t, b.test, "GET", "/api/invoices/"+draft.ID, nil)))
	issued := as[Invoice](t, 200, b.ask(t, b.test, "POST", "/api/invoices/"+draft.ID+"/finalize", nil))
	require.Equal(t, drawn, taxesOf(t, issued.Lines))
	require.EqualValues(t, 380, issued.Tax)

	next := as[SubscriptionPreview](t, 200, b.ask(t, b.test, "POST", "/api/subscriptions/"+sub.ID+"/preview", nil))
	require.Equal(t, map[string][3]any{"recurring " + sub.PlanID: {"books", reduced.ID, int64(1900)}},
		taxesOf(t, next.Upcoming[0].Lines))
}

// A credit note refunds the tax of its lines, at the rates of their categories.
func TestTaxCategories_OfACreditNote(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	standard, reduced, _ := b.bookshop(t)
	inv := as[Invoice](t, 201, b.ask(t, b.test, "POST", "/api/invoices", map[string]any{
		"customerId": b.newCustomer(t, b.test).ID, "currency": "USD", "collectionMethod": "send_invoice",
		"lines": []any{
			map[string]any{"description": "Book", "amount": 1000, "taxCategory": "books"},
			map[string]any{"description": "Lamp", "amount": 1000},
		},
	}))
	path := "/api/invoices/" + inv.ID
	as[Invoice](t, 200, b.ask(t, b.test, "POST", path+"/finalize", nil))
	for i, want := range []struct {
		rate string
		tax  int64
	}{{reduced.ID, 50}, {standard.ID, 200}} {
		note := as[CreditNote](t, 201, b.ask(t, b.test, "POST", path+"/credit-notes", map[string]any{
			"reason": "other", "lines": []any{map[string]any{"invoiceLineId": inv.Lines[i].ID, "amount": 1000}},
		}))
		require.Equal(t, want.tax, note.Tax)
		require.Equal(t, []any{want.rate, want.tax}, []any{note.Taxes[0].TaxRateID, note.Taxes[0].Amount})
		require.Len(t, note.Taxes, 1)
	}
}

// A change at a previewed cost is refused if the category of the product, and so the tax, has changed since. The audit
// log names the field without its values, since they are a caller's text.
func TestTaxCategories_OfAPreviewedChange(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, _, sell := b.bookshop(t)
	team, pro := sell(map[string]any{"name": "Team", "amount": 1000}, "saas"),
		sell(map[string]any{"name": "Pro", "amount": 3000}, "saas")
	sub := as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions", map[string]any{
		"customerId": b.newCustomer(t, b.test).ID, "planId": team.ID, "trialDays": 0,
	}))
	b.succeed(t, b.begin(t, sub.ID))
	path := "/api/subscriptions/" + sub.ID
	shown := as[SubscriptionPreview](t, 200, b.ask(t, b.test, "POST", path+"/preview", map[string]any{"planId": pro.ID}))
	category := func(to string) {
		as[Product](t, 200, b.ask(t, b.test, "PATCH", "/api/products/"+pro.ProductID, map[string]any{"taxCategory": to}))
	}
	change := func() response {
		return b.ask(t, b.test, "PATCH", path, map[string]any{"planId": pro.ID, "previewToken": shown.PreviewToken})
	}
	category("books")
	problem(t, http.StatusConflict, "preview_outdated", "", change())
	category("saas")
	require.Equal(t, pro.ID, as[Subscription](t, 200, change()).PlanID)

	log := as[httpkit.List[AuditEntry]](t, 200, b.ask(t, b.test, "GET", "/api/audit-log?operation=updateProduct", nil))
	require.Equal(t, []AuditChange{{Field: "taxCategory"}}, log.Data[0].Changes)
}

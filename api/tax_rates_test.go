package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/service/catalog"

	"perennial/api/httpkit"
)

func TestTaxRates_CreateRenameArchive(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rate := as[TaxRate](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/tax-rates",
		`{"name":"VAT","percent":"19.250","country":"CM","validFrom":1767225600,"validUntil":1798761600}`))
	require.Equal(t, TaxRate{
		ID: rate.ID, Name: "VAT", Percent: "19.25", Country: "CM", ValidFrom: 1767225600, ValidUntil: 1798761600,
		CreatedAt: rate.CreatedAt,
	}, rate)
	change := func(body string) TaxRate {
		return as[TaxRate](t, http.StatusOK, b.ask(t, b.test, "PATCH", "/v1/tax-rates/"+rate.ID, body))
	}
	require.Equal(t, "VAT, old", change(`{"name":"VAT, old"}`).Name)
	require.True(t, change(`{"archived":true}`).Archived)
	before := b.effects(t)
	require.True(t, change(`{"archived":true,"name":"VAT, old"}`).Archived)
	require.Equal(t, before, b.effects(t), "nothing changed, nothing happened")
	listed := func(query string) int {
		list := as[httpkit.List[TaxRate]](t, http.StatusOK, b.ask(t, b.test, "GET", "/api/tax-rates"+query, nil))
		return len(list.Data)
	}
	require.Equal(t, []int{1, 1, 0}, []int{listed(""), listed("?archived=true"), listed("?archived=false")})
	require.False(t, change(`{"archived":false}`).Archived)

	for body, want := range map[string][2]string{
		`{"name":"VAT","percent":"nineteen"}`:                                {"tax_percent_out_of_range", "percent"},
		`{"name":"VAT","percent":"101"}`:                                     {"tax_percent_out_of_range", "percent"},
		`{"name":"VAT","percent":"1","region":"CA"}`:                         {"region_needs_country", "region"},
		`{"name":"VAT","percent":"1","country":"de"}`:                        {"country_malformed", "country"},
		`{"name":"VAT","percent":"1","validFrom":1800000000,"validUntil":1}`: {"tax_validity_reversed", "validUntil"},
	} {
		problem(t, http.StatusUnprocessableEntity, want[0], want[1], b.ask(t, b.test, "POST", "/api/tax-rates", body))
	}
}

func TestCustomers_Taxes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := as[Customer](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/customers",
		`{"email":"ada@example.com","country":"US","region":"CA","taxIds":[{"type":"us_ein","value":"12-3456789"}]}`))
	require.Equal(t, "none", made.TaxExempt)
	require.Equal(t, "CA", made.Region)
	require.Equal(t, []TaxID{{Type: "us_ein", Value: "12-3456789", Country: "US", Status: "well_formed"}}, made.TaxIDs)
	path := "/api/customers/" + made.ID
	changed := as[Customer](t, http.StatusOK, b.ask(t, b.test, "PATCH", path, `{"taxExempt":"reverse","taxIds":[]}`))
	require.Equal(t, "reverse", changed.TaxExempt)
	require.Empty(t, changed.TaxIDs)
	taxed := as[Customer](t, http.StatusOK, b.ask(t, b.test, "PATCH", path, `{"taxExempt":"none"}`))
	require.Equal(t, "none", taxed.TaxExempt)
	problem(t, http.StatusUnprocessableEntity, "region_needs_country", "region",
		b.ask(t, b.test, "PATCH", path, `{"country":"","region":"CA"}`))
}

// A region belongs to its country, tax ids are text like any other, and an environment has a bounded number of rates.
func TestTaxes_Bounds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	customer := as[Customer](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/customers",
		`{"email":"ada@example.com","country":"US","region":"CA"}`))
	path := "/api/customers/" + customer.ID
	moved := as[Customer](t, http.StatusOK, b.ask(t, b.test, "PATCH", path, `{"country":"IT"}`))
	require.Empty(t, moved.Region, "California is not in Italy")
	problem(t, http.StatusUnprocessableEntity, "card_number_refused", "taxIds[0].value",
		b.ask(t, b.test, "PATCH", path, `{"taxIds":[{"type":"vat","value":"4242 4242 4242 4242"}]}`))
	for range catalog.MaxTaxRates {
		as[TaxRate](
			t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/tax-rates", `{"name":"VAT","percent":"1","stacks":true}`),
		)
	}
	problem(t, http.StatusConflict, "tax_rate_limit", "",
		b.ask(t, b.test, "POST", "/api/tax-rates", `{"name":"VAT","percent":"1"}`))
}

// Two rates of the same percentage in the same place tax twice, which is nearly always a mistake.
func TestTaxRates_Repeated(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	create := func(body string) response { return b.ask(t, b.test, "POST", "/api/tax-rates", body) }
	first := as[TaxRate](t, http.StatusCreated, create(`{"name":"VAT","percent":"19","country":"DE"}`))
	refused := problem(t, http.StatusConflict, "tax_rate_repeated", "",
		create(`{"name":"MwSt","percent":"19.0","country":"DE","inclusive":true,"validFrom":1767225600}`))
	require.Contains(t, refused.Detail, first.ID)
	as[TaxRate](t, http.StatusCreated, create(`{"name":"VAT","percent":"19","country":"AT"}`))
	stacked := as[TaxRate](t, http.StatusCreated, create(`{"name":"Levy","percent":"19","country":"DE","stacks":true}`))
	require.True(t, stacked.Stacks)
	problem(t, http.StatusConflict, "tax_rate_repeated", "", create(`{"name":"VAT","percent":"19","country":"DE"}`))

	patch := func(id, body string) response { return b.ask(t, b.test, "PATCH", "/api/tax-rates/"+id, body) }
	as[TaxRate](t, http.StatusOK, patch(first.ID, `{"archived":true}`))
	as[TaxRate](t, http.StatusOK, patch(first.ID, `{"archived":false}`)) // the other one says that they add
	as[TaxRate](t, http.StatusOK, patch(first.ID, `{"archived":true}`))
	as[TaxRate](t, http.StatusOK, patch(stacked.ID, `{"archived":true}`))
	second := as[TaxRate](t, http.StatusCreated, create(`{"name":"VAT","percent":"19","country":"DE"}`))
	refused = problem(t, http.StatusConflict, "tax_rate_repeated", "", patch(first.ID, `{"archived":false}`))
	require.Contains(t, refused.Detail, second.ID)
	as[TaxRate](t, http.StatusOK, patch(stacked.ID, `{"archived":false}`))
}

// Of many at once, one is created.
func TestTaxRates_RepeatedAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	statuses := make(chan int, 8)
	for range cap(statuses) {
		r := b.request(t, "POST", "/api/tax-rates", `{"name":"VAT","percent":"19"}`, "Authorization", "Bearer "+b.test.key)
		go func() { statuses <- b.serve(r).Status }()
	}
	seen := map[int]int{}
	for range cap(statuses) {
		seen[<-statuses]++
	}
	require.Equal(t, map[int]int{http.StatusCreated: 1, http.StatusConflict: cap(statuses) - 1}, seen)
}

package api

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const whole = `{"email":"ada@example.com","phone":"+237670000001","locale":"fr-CM","timeZone":"Africa/Douala","address":{` +
	`"line1":"12 Rue Joss","line2":"BP 1234","city":"Douala","postalCode":"00237","country":"US","region":"CA"}}`

func TestCustomerAddress_CountryAndRegionAreThoseBesideIt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := as[Customer](t, 201, b.ask(t, b.test, "POST", "/api/customers", whole))
	address := Address{
		Line1: "12 Rue Joss", Line2: "BP 1234", City: "Douala", PostalCode: "00237", Country: "US", Region: "CA",
	}
	require.Equal(t, &address, made.Address)
	require.Equal(t, []string{"US", "CA", "fr-CM", "Africa/Douala"},
		[]string{made.Country, made.Region, made.Locale, made.TimeZone})
	path := "/api/customers/" + made.ID
	change := func(body string) Customer { return as[Customer](t, 200, b.ask(t, b.test, "PATCH", path, body)) }

	address.Country, address.Region = "CM", ""
	require.Equal(t, &address, change(`{"country":"CM"}`).Address, "a region is one of its country")
	got := change(`{"address":{"line1":"1 Main St","country":"UG"},"locale":"","timeZone":"UTC"}`)
	require.Equal(t, &Address{Line1: "1 Main St", Country: "UG"}, got.Address, "replaced as a whole")
	require.Equal(t, []string{"UG", "", "UTC"}, []string{got.Country, got.Locale, got.TimeZone})
	got = change(`{"address":{}}`)
	require.Nil(t, got.Address)
	require.Equal(t, "UG", got.Country, "which taxes and routing need stays")
	require.Equal(t, got, as[Customer](t, 200, b.ask(t, b.test, "GET", path, nil)))
	before := b.effects(t)
	change(`{"address":{},"timeZone":"UTC"}`)
	require.Equal(t, before, b.effects(t), "nothing changed, nothing happened")
}

// An invoice and its credit note show the customer as at the invoice's issue, until the customer is deleted.
func TestCustomerAddress_FrozenOnDocumentsUntilErased(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	path := "/api/customers/" + sub.CustomerID
	was := as[Customer](t, 200, b.ask(t, b.test, "PATCH", path, whole))
	in := b.newInvoice(t, b.test, sub.ID)
	note := as[CreditNote](t, 201, b.ask(t, b.test, "POST", "/api/invoices/"+in+"/credit-notes",
		`{"reason":"other","amount":1}`))
	as[Customer](t, 200, b.ask(t, b.test, "PATCH", path, `{"address":{"line1":"Elsewhere"},"phone":"","locale":"en"}`))

	buyer := &Buyer{
		Name: was.Name, Email: was.Email, Phone: was.Phone, Address: was.Address, Country: "US", Region: "CA",
		Locale: "fr-CM", TimeZone: "Africa/Douala",
	}
	invoice := func() Invoice { return as[Invoice](t, 200, b.ask(t, b.test, "GET", "/api/invoices/"+in, nil)) }
	credit := func() CreditNote {
		return as[CreditNote](t, 200, b.ask(t, b.test, "GET", "/api/credit-notes/"+note.ID, nil))
	}
	require.Equal(t, buyer, invoice().Buyer)
	require.Equal(t, buyer, note.Buyer)
	require.Equal(t, note, credit())

	require.Equal(t, 200, b.ask(t, b.test, "DELETE", path, nil).Status)
	require.Zero(t, b.count(t, "select count(*) from customers x where x::text ~ 'Elsewhere|Rue Joss|Africa/Douala'"),
		"at once")
	b.eraseAll(t)
	require.Nil(t, invoice().Buyer)
	require.Nil(t, credit().Buyer)
	for _, table := range []string{
		"customers", "invoices", "credit_notes", "idempotency_keys", "events", "audit_log",
	} {
		require.Zero(t, b.count(t, "select count(*) from "+table+" x where x::text ~ 'Elsewhere|Rue Joss|237670000001'"),
			table)
	}
}

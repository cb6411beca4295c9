package db_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/billing/moving"
)

// movedTables has every table of an environment's data: the type of the record that moves it to another environment, or
// why none does. ADR 86 has the reasons in full.
var movedTables = map[string]struct {
	in    []moving.Type // imported
	books moving.Type   // exported for the books alone
	not   string        // why it stays
}{
	"customers":          {in: []moving.Type{moving.CustomerType}},
	"payment_methods":    {in: []moving.Type{moving.PaymentMethodType}},
	"credit_balances":    {in: []moving.Type{moving.BalanceType, moving.CreditGrantType}},
	"credit_grants":      {in: []moving.Type{moving.CreditGrantType}},
	"subscriptions":      {in: []moving.Type{moving.SubscriptionType}},
	"webhook_endpoints":  {in: []moving.Type{moving.EndpointType}},
	"subscription_items": {not: "follow from the plans of the subscription; their ids are new there"},

	"products": {in: []moving.Type{moving.ProductType}}, "tax_rates": {in: []moving.Type{moving.TaxRateType}},
	"metrics": {in: []moving.Type{moving.MetricType}}, "coupons": {in: []moving.Type{moving.CouponType}},
	"plans": {in: []moving.Type{moving.PlanType}}, "prices": {in: []moving.Type{moving.PlanType}},
	"catalog_entries": {in: []moving.Type{moving.ProductType, moving.TaxRateType, moving.MetricType, moving.CouponType}},

	"invoices": {books: moving.InvoiceType}, "invoice_lines": {books: moving.InvoiceType},
	"credit_notes": {books: moving.CreditNoteType}, "credit_note_lines": {books: moving.CreditNoteType},
	"transactions": {books: moving.TransactionType}, "settlements": {books: moving.TransactionType},
	"credit_entries": {not: "the ledger begins anew with the balance"},

	"api_keys":                 {not: "a secret"},
	"disputes":                 {not: "of payments"},
	"invoice_counters":         {not: "numbers of documents begin anew; choose another prefix"},
	"credit_note_counters":     {not: "numbers of documents begin anew"},
	"customer_event_sequences": {not: "of events"},
	"provider_breakers":        {not: "the present state of an account"},
	"provider_credentials":     {not: "secrets"},
	"usage_keys":               {not: "of usage records"},
	"provider_configs":         {not: "an account with its secrets, which an operator adds there"},
	"routing_rules":            {not: "name provider accounts by their ids; not yet exported"},
	"credential_changes":       {not: "a log"}, "audit_log": {not: "a log"}, "audit_seals": {not: "a log"},
	"environment_changes": {not: "a log"}, "setting_changes": {not: "a log"}, "decisions": {not: "a log"},
	"webhook_endpoint_changes": {not: "a log"},
	"events":                   {not: "tell of what happened here"},
	"emails":                   {not: "they were sent"},
	"invoice_templates":        {not: "they are saved anew, and looked at there"},
	"drawn_documents":          {not: "drawn of documents, which do not move"},
	"email_senders":            {not: "with a password, which stays; they are set up anew"},
	"webhook_deliveries":       {not: "of events"}, "webhook_attempts": {not: "of events"},
	"idempotency_keys":   {not: "answers to requests here"},
	"imported_records":   {not: "known ids of what was imported here; records have them as their ids"},
	"provider_callbacks": {not: "of payments"}, "provider_calls": {not: "of payments"}, "payment_sends": {not: "of payments"},
	"usage_records": {not: "of periods that are billed here"}, "usage_aggregates": {not: "counted from records"},
	"usage_progress": {not: "counted from records"}, "usage_touched": {not: "counted from records"},
	"usage_pages": {not: "counted from records"}, "usage_segments": {not: "of periods that are billed here"},
	"usage_charges": {not: "of invoices"}, "usage_crossings": {not: "of periods that are billed here"},
	"feature_limits_reached": {not: "of periods that are billed here"},
	"erasures":               {not: "work in progress; deleted customers are left out"},
	"test_clocks":            {not: "times of tests; an import has real time"},
}

// A table without an entry fails here: decide whether an environment that moves needs it.
func TestMoving_EveryTableIsDecided(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rows, err := b.pool.Query(t.Context(), `
		select c.relname from pg_class c
		join pg_attribute a on a.attrelid = c.oid and a.attname = 'environment_id' and not a.attisdropped
		where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
		order by c.relname`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, tables, slices.Sorted(maps.Keys(movedTables)))

	moved := map[moving.Type]bool{moving.SettingsType: true} // columns of environments, which has no environment_id
	for name, table := range movedTables {
		for _, of := range table.in {
			require.True(t, of.Imports(), name)
			moved[of] = true
		}
		if table.books != "" {
			require.False(t, table.books.Imports(), name)
			moved[table.books] = true
		}
		require.NotEqual(t, table.not == "", len(table.in) == 0 && table.books == "", name)
	}
	for _, of := range slices.Concat(moving.Imported(), moving.History()) {
		require.True(t, moved[of], of)
	}
}

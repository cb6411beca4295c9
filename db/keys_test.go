package db_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/db"
)

// Every read by key answers in the same three ways.
func TestKeys_ReadWithResource(t *testing.T) {
	t.Parallel()
	b := setup(t)
	foreign := b.filled(t)
	key, err := b.store.KeyByHash(t.Context(), b.hash)
	require.NoError(t, err)
	resources := map[string]string{
		"Subscriptions.GetWithKey": "subscription", "Payments.TransactionWithKey": "transaction",
		"Invoices.GetWithKey":  "invoice",
		"Customers.GetWithKey": "customer", "Webhooks.EventWithKey": "event", "Catalog.PlanWithKey": "plan",
		"Clocks.GetWithKey":        "test_clock",
		"Webhooks.EndpointWithKey": "webhook_endpoint", "Webhooks.DeliveryWithKey": "webhook_delivery",
		"Payments.ProviderConfigWithKey": "provider_config", "Payments.DisputeWithKey": "dispute",
		"Catalog.TaxRateWithKey": "tax_rate",
		"Catalog.ProductWithKey": "product", "Catalog.CouponWithKey": "coupon", "Invoices.CreditNoteWithKey": "credit_note",
		"Customers.CreditGrantWithKey": "credit_grant", "Customers.PaymentMethodWithKey": "payment_method",
		"Usage.MetricWithKey": "metric", "Tenancy.AuditEntryWithKey": "audit_entry",
		"Tenancy.APIKeyWithKey": "api_key", "Emails.EmailWithKey": "email", "Templates.TemplateWithKey": "invoice_template",
	}
	var seen int
	for _, method := range reads() {
		if !strings.HasSuffix(method.name, "WithKey") {
			continue
		}
		seen++
		found := b.call(t, method, foreign, b.env, b.hash)
		require.Empty(t, found.Code)
		require.Equal(t, key, found.Results[0])
		require.Equal(t, foreign.ids[method.name], reflect.ValueOf(found.Results[1]).FieldByName("ID").String())

		absent := b.call(t, method, foreign.absent(), b.env, b.hash)
		require.Contains(t, resources, method.name, "say in resources what it reads")
		require.Equal(t, resources[method.name]+"_not_found", absent.Code)
		require.Equal(t, key, absent.Results[0], "the key comes back, so that a revoked one is noticed")

		unknown := b.call(t, method, foreign, b.env, []byte("no such hash"))
		require.Equal(t, "api_key_unknown", unknown.Code)
		require.Zero(t, unknown.Results[0])
		require.Zero(t, unknown.Results[1])
	}
	require.Equal(t, len(resources), seen)
}

func TestOperators_FindByName(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	tenant, err := b.store.Tenancy.TenantNamed(ctx, "tenant")
	require.NoError(t, err)
	require.Equal(t, db.Tenant{ID: b.tenant, Name: "tenant", CreatedAt: wall}, tenant)
	app, err := b.store.Tenancy.AppNamed(ctx, b.tenant, "app")
	require.NoError(t, err)
	require.Equal(t, b.app, app.ID)
	env, err := b.store.Tenancy.EnvironmentOf(ctx, b.app, "test")
	require.NoError(t, err)
	require.Equal(t, newEnvironment(b.environment), env)
	all, err := b.store.Tenancy.Environments(ctx)
	require.NoError(t, err)
	require.Equal(t, []db.Environment{env}, all)
	keys, err := b.store.Tenancy.Keys(ctx)
	require.NoError(t, err)
	require.Equal(t, []db.KeyListing{{
		ID: b.key, EnvironmentID: b.env, Tenant: "tenant", App: "app", Mode: "test", Kind: "secret", Hint: "sk_test_…abcd",
		Scopes: []string{"*"}, CreatedAt: wall,
	}}, keys)
	owner, err := b.store.Tenancy.EnvironmentOfKey(ctx, b.key)
	require.NoError(t, err)
	require.Equal(t, b.env, owner)

	_, err = b.store.Tenancy.TenantNamed(ctx, "nobody")
	requireFault(t, err, fault.NotFound, "tenant_not_found")
	_, err = b.store.Tenancy.AppNamed(ctx, b.tenant, "nothing")
	requireFault(t, err, fault.NotFound, "app_not_found")
	_, err = b.store.Tenancy.EnvironmentOf(ctx, b.app, "live")
	requireFault(t, err, fault.NotFound, "environment_not_found")
	_, err = b.store.Tenancy.EnvironmentOfKey(ctx, "key_absent")
	requireFault(t, err, fault.NotFound, "api_key_not_found")
}

func TestStore_ClosedIsUnavailable(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.store.Ping(t.Context()))
	b.store.Close()
	requireFault(t, b.store.Ping(t.Context()), fault.Unavailable, "database_unavailable")
	err := b.store.InTx(context.Background(), db.BySystem("test"), now, func(*db.Tx) error { return nil })
	requireFault(t, err, fault.Unavailable, "database_unavailable")
}

package db_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/catalog"
	"perennial/billing/document"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/monthly"
	"perennial/billing/moving"
	"perennial/billing/overdue"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/routing"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/id"
)

// global are the reads that take no environment, each for a reason that its comment gives.
var global = []string{
	"KeyByHash",
	"Customers.DueGrants", "Customers.DueRemovals", "Customers.ExpiringMethods", "Customers.StuckErasures",
	"Customers.Sweeps", "Customers.ToReview", "Customers.UnstartedErasures",
	"Invoices.Due", "Invoices.EnvironmentOf",
	"Payments.Accounts", "Payments.EnvironmentOfCallback", "Payments.EnvironmentOfTransaction",
	"Payments.LostCallbacks", "Payments.OpenBreakers", "Payments.OverdueActions", "Payments.OverduePayments",
	"Payments.PausedCharging", "Payments.PaymentsInReview", "Payments.ProviderConfigByID", "Payments.RefundsOwed",
	"Payments.TransactionByConfirmToken", "Payments.TransactionIsKnown", "Payments.UnansweredDisputes",
	"Payments.UndecidedPayments", "Payments.UnratedUsage", "Payments.UntakenCharges",
	"Reconcile.AsleepEndpoints", "Reconcile.AsleepSenders", "Reconcile.UnstartedSenders", "Reconcile.Backlog", "Reconcile.BehindClock", "Reconcile.BusyClocks",
	"Reconcile.Epoch", "Reconcile.KeptReturns", "Reconcile.Keysets", "Reconcile.LateSubscriptions",
	"Reconcile.OpenCallbacksBefore", "Reconcile.OverdueChecks", "Reconcile.OverdueSubscriptions",
	"Reconcile.OverlookedDates", "Reconcile.OverlookedSubscriptions", "Reconcile.Reviews",
	"Reconcile.SilentProbes", "Reconcile.UnstartedEndpoints", "Reconcile.UnstartedSubscriptions",
	"Reconcile.UnstartedTransactions", "Reconcile.WakePendingBefore", "Reconcile.WakePendingPayments",
	"Emails.Backlog", "Emails.FailingSenders", "Reconcile.Workers", "Reconcile.WorkersOf",
	"Tenancy.App", "Tenancy.AppNamed", "Tenancy.Apps", "Tenancy.AuditBehind", "Tenancy.EnvironmentOf",
	"Tenancy.EnvironmentOfKey", "Tenancy.Environments", "Tenancy.Keys", "Tenancy.TenantNamed",
	"Usage.Behind", "Usage.MonthReady", "Usage.Subscriptions", "Usage.Versions",
	"Webhooks.Backlog", "Webhooks.EventHorizon", "Webhooks.TroubledEndpoints",
}

// TestIsolation_Reads calls every other read of db.Reader with rows of another environment, and expects exactly the
// result for rows that do not exist. A read that is added later is called too, or fails here.
func TestIsolation_Reads(t *testing.T) {
	t.Parallel()
	b := setup(t)
	foreign := b.filled(t)
	ours := b.bareEnvironment(t)
	for _, method := range reads() {
		t.Run(method.name, func(t *testing.T) {
			t.Parallel()
			own := b.call(t, method, foreign, foreign.env, foreign.hash)
			require.True(t, own.found(), "the fixture has nothing to find: %v", own)
			there := b.call(t, method, foreign, ours.env, ours.hash)
			nowhere := b.call(t, method, foreign.absent(), ours.env, ours.hash)
			require.Equal(t, nowhere, there)
			require.False(t, there.found(), "%v", there)
		})
	}
}

// filled makes an environment where every read finds something.
func (b *bundle) filled(t *testing.T) filling {
	t.Helper()
	inv := b.openInvoice(t)
	txn := b.pendingCharge(t, inv.ID)
	endpoint, idle := b.endpoint(t, b.env, "*"), b.endpoint(t, b.env, "*")
	charged, dispute, taxRate := "", id.New(id.Dispute, wall), id.New(id.TaxRate, wall)
	note, coupon := b.creditNote(inv), id.New(id.Coupon, wall)
	product := aProduct(id.New(id.Product, wall))
	metric := usage.Metric{
		ID: id.New(id.Metric, wall), Version: 1, Name: "calls", DisplayName: "Calls", Active: true,
		CreatedAt: wall, VersionAt: wall,
		Definition: usage.Definition{Aggregation: usage.Sum},
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Usage.InsertMetric(ctx, b.env, metric))
		require.NoError(t, tx.Catalog.PutCatalogEntry(ctx, b.env,
			catalog.Entry{Kind: catalog.MetricKind, Key: metric.Name, ID: metric.ID}))
		former := db.NewAPIKey{ID: id.New(id.APIKey, wall), Kind: "secret", Hash: []byte(rand.Text() + "......"),
			Scopes: []string{"*"}}
		require.NoError(t, tx.Tenancy.InsertAPIKey(ctx, b.env, former))
		require.NoError(t, tx.Tenancy.RevokeAPIKey(ctx, b.env, former.ID))
		sub := b.subscription
		sub.PendingPlanID, sub.PendingPlanVersion, sub.CollectingInvoiceID = b.plan.ID, b.plan.Version, inv.ID
		sub.PaymentMethodID = b.customer.FirstMethodID()
		require.NoError(t, tx.Subscriptions.Save(ctx, b.env, sub))
		require.NoError(t, tx.Customers.SaveStanding(ctx, b.env, b.customer.ID, overdue.Standing{NextAt: now}))
		txn.ProviderRef, txn.Status, txn.CompletedAt = "pi_1", payment.Canceled, now
		require.NoError(t, tx.Payments.SaveTransaction(ctx, b.env, txn))
		recovered := b.charge(inv.ID)
		recovered.RecoveredFrom, recovered.ProviderRef = txn.ID, "pi_again"
		recovered.Disputes = payment.Disputes{{
			ID: dispute, OpenedAt: wall,
			Dispute: answer.Dispute{Ref: "du_1", State: answer.DisputeOpen, Amount: 1500, Currency: eur},
		}}
		require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, recovered))
		require.NoError(t, tx.Payments.InsertSettlement(ctx, b.env, inv.ID, recovered.ID, 1500, now))
		refund := b.charge("")
		refund.Type, refund.ChargeID = payment.Refund, recovered.ID
		require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, refund))
		collected := b.charge("")
		collected.Status, collected.CompletedAt = payment.Success, now
		require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, collected))
		held := b.charge("")
		require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, held))
		held.HeldBack = payment.Hold{At: wall, ByStop: true}
		require.NoError(t, tx.Payments.SaveTransaction(ctx, b.env, held))
		require.NoError(t, tx.Payments.SetCharging(ctx, b.env, wall, []string{"chargingPaused"}))
		charged = recovered.ID
		require.NoError(t, tx.Payments.InsertDecision(ctx, b.env,
			db.Decision{TransactionID: txn.ID, Reason: "second_capture", Outcome: "returned"}))
		require.NoError(t, tx.Catalog.InsertTaxRate(ctx, b.env, aTaxRate(taxRate)))
		everywhere := aTaxRate(id.New(id.TaxRate, wall))
		everywhere.Country, everywhere.Region = "", ""
		require.NoError(t, tx.Catalog.InsertTaxRate(ctx, b.env, everywhere))
		note.Subtotal, note.Total, note.Refund, note.RefundID = 2, 2, 1, refund.ID
		require.NoError(t, tx.Invoices.InsertCreditNote(ctx, b.env, &note))
		require.NoError(t, tx.Catalog.InsertCoupon(ctx, b.env, aCoupon(coupon, "WELCOME")))
		require.NoError(t, tx.Moving.InsertImportedRecords(ctx, b.env, "c-1", moving.CustomerType, []db.ImportedRecord{
			{ExternalID: "c-1", ObjectID: b.customer.ID, CustomerID: b.customer.ID, Hash: make([]byte, 32)},
		}))
		require.NoError(t, tx.Catalog.InsertProduct(ctx, b.env, product))
		strict := b.plan
		strict.Key, strict.ProductID = "solo", product.ID
		policy := somePolicy()
		strict.Dunning = &policy
		require.NoError(t, tx.Catalog.SavePlan(ctx, b.env, b.plan, strict))
		version := db.SealedCredentials{Version: 2, Fields: []string{"secretKey"}, Sealed: []byte("sealed")}
		require.NoError(t, tx.Payments.SaveCredentials(ctx, b.env, b.provider, version, []string{"secretKey"}))
		require.NoError(t, tx.Emit(ctx, b.env, anEvent(b.subscription)))
		stored, err := tx.Payments.InsertCallback(ctx, b.env, db.Callback{
			ID: id.New(id.Callback, wall), ProviderConfigID: b.provider, ProviderEventID: "evt_1", TransactionID: txn.ID,
			ProviderRef: "pi_1", ReceivedAt: wall, Evidence: &answer.Answer{Outcome: answer.Succeeded},
		})
		require.NoError(t, err)
		require.True(t, stored)
		_, err = tx.Payments.InsertCallback(ctx, b.env, db.Callback{
			ID: id.New(id.Callback, wall), ProviderConfigID: b.provider, ProviderEventID: "evt_2", TransactionID: txn.ID,
			ProviderRef: "re_2", ReceivedAt: wall, Processed: true,
			Evidence: &answer.Answer{Outcome: answer.Failed, Ref: "re_2"},
		})
		require.NoError(t, err)
		require.NoError(t, tx.Customers.AddCredit(ctx, b.env, b.customer.ID, eur,
			invoice.CreditEntry{Amount: 5, Reason: invoice.CreditProration}, inv.ID, now))
		require.NoError(t, tx.Payments.InsertSend(ctx, b.env, txn.ID, payment.Send{
			Number: 1, Provider: "stripe", ProviderConfigID: b.provider, Key: "key_1", Reason: "primary", SentAt: wall,
		}))
		require.NoError(t, tx.Payments.ReplaceRoutingRules(ctx, b.env, []routing.Rule{{Position: 1, AccountID: b.provider}}))
		_, err = tx.Payments.LockBreaker(ctx, b.env, b.provider)
		require.NoError(t, err)
		require.NoError(t, tx.Payments.InsertProviderCall(ctx, b.env, db.ProviderCall{
			ID: id.New(id.ProviderCall, wall), TransactionID: txn.ID, Operation: db.CallLookup, StartedAt: wall,
			SendNumber: 1, Searched: db.Searched{ProviderConfigID: b.provider, Since: now.Add(2 * month)},
		}))
		refused := db.ProviderCall{
			ID: id.New(id.ProviderCall, wall), TransactionID: txn.ID, Operation: db.CallCharge, StartedAt: wall, SendNumber: 1,
			Outcome: "not_sent", HTTPStatus: http.StatusTooManyRequests, EndedAt: wall,
		}
		require.NoError(t, tx.Payments.InsertProviderCall(ctx, b.env, refused))
		require.NoError(t, tx.Payments.FinishProviderCall(ctx, b.env, refused))
		require.NoError(t, tx.InsertAnsweredIdempotency(ctx, b.env,
			db.IdempotencyKey{Route: "POST /long", Key: "POST /long", Fingerprint: []byte("f"), StatusCode: 200}))
	})
	auditID := b.audited(t, db.Call{EnvironmentID: b.env, Operation: "updatePlan"})
	b.seal(t, b.env)
	b.audited(t, db.Call{EnvironmentID: b.env, Operation: "updatePlan"})
	b.dueInvoice(t)
	grant := b.grant(t, 500, now.Add(time.Hour)).ID
	mailed := b.mailed(t, b.env, b.customer.ID)
	look := b.drawn(t, b.env, b.customer.ID, inv.ID)
	events, _, err := b.store.Webhooks.Events(t.Context(), b.env, db.EventFilter{}, db.Page{})
	require.NoError(t, err)
	owed := b.deliveries(t, b.env, endpoint)
	_, err = b.pool.Exec(t.Context(), `insert into webhook_attempts (environment_id, delivery_id, number, endpoint_id, manual, started_at)
		values ($1, $2, 1, $3, false, now())`, b.env, owed[0].ID, endpoint)
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), `
		with segment as (
		    insert into usage_segments (environment_id, subscription_id, started_at, ended_at, period_index, plan_id, share_from,
		        share_to, share_length, share_measure, period_seconds)
		    values ($1, $2, $4::timestamptz - interval '1 hour', $4, 1, $3, 0, 1, 1, 'second', 3600))
		insert into usage_charges (environment_id, subscription_id, invoice_id, segment_start, price_id, rate, dimension, quantity, amount)
		values ($1, $2, $5, $4, 'price_1', 0, '', 1, 1)`,
		b.env, b.subscription.ID, b.plan.ID, wall.Add(-time.Hour), inv.ID)
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(), `
		with crossing as (
		    insert into usage_crossings (environment_id, subscription_id, period_index, threshold, crossed_at, invoice_id)
		    values ($1, $5, 10, 'amount 5', $4, $2)),
		limited as (
		    insert into feature_limits_reached (environment_id, customer_id, feature, most, resets_at, reached_at)
		    select $1, s.customer_id, 'calls', 5, $4, $4 from subscriptions s where s.environment_id = $1 and s.id = $5),
		until as (update invoices set usage_until = $4 where environment_id = $1 and id = $2)
		insert into invoice_lines (environment_id, invoice_id, id, position, kind, description, plan_id, amount, period_start, period_end)
		values ($1, $2, 'il_usage', 99, 'usage', 'Calls', $3, 1, $4::timestamptz - interval '1 hour', $4)`,
		b.env, inv.ID, b.plan.ID, wall.Add(-time.Hour), b.subscription.ID)
	require.NoError(t, err)
	ended := true
	return b.withMethods(t, filling{
		environment: b.environment,
		ids: map[string]string{
			"Tenancy.Environment":     b.env,
			"Payments.ProviderConfig": b.env, "Payments.ProviderConfigOf": b.provider, "Catalog.Plan": b.plan.ID,
			"Catalog.PlanWithKey": b.plan.ID,
			"Catalog.PlanVersion": b.plan.ID, "Catalog.PlanVersions": b.plan.ID, "Catalog.VersionsOf": b.plan.ID,
			"Tenancy.AuditLog": "none", "Tenancy.AuditEntryWithKey": auditID, "Tenancy.LastSeal": "none",
			"Tenancy.FollowAudit": "none", "Tenancy.Unsealed": "none",
			"Catalog.TaxRates": "none", "Catalog.TaxRateWithKey": taxRate, "Catalog.Products": "none",
			"Catalog.ProductWithKey": product.ID,
			"Tenancy.APIKeys":        "none", "Tenancy.APIKeyWithKey": b.key,
			"Catalog.CatalogPlans": b.plan.ID, "Catalog.RunningOn": b.plan.ID,
			"Usage.Metrics": "none", "Usage.MetricWithKey": metric.ID, "Usage.MetricVersions": metric.ID,
			"Usage.MetricVersion": metric.ID, "Usage.MetricsByVersion": metric.ID,
			"Usage.ServedMetric": "calls", "Usage.ServedMetrics": "none", "Usage.VersionsNamed": "calls",
			"Invoices.CreditNotes": "none", "Invoices.CreditNoteWithKey": note.ID,
			"Catalog.Coupons": "none", "Catalog.CouponWithKey": coupon, "Catalog.CouponByCode": "WELCOME",
			"Catalog.CouponsByCode": "WELCOME",
			"Customers.Get":         b.customer.ID, "Customers.GetWithKey": b.customer.ID, "Customers.ListByID": b.customer.ID,
			"Moving.ImportedRecords":  "c-1",
			"Moving.ImportedObjects":  "c-1",
			"Customers.MethodTallies": b.customer.ID, "Customers.MethodOwners": b.customer.FirstMethodID(),
			"Customers.GrantTallies": b.customer.ID, "Customers.GrantIDs": grant,
			"Catalog.CatalogEntries": "none", "Webhooks.EndpointIDs": endpoint,
			"Subscriptions.IDs":       b.subscription.ID,
			"Customers.CreditBalance": b.customer.ID, "Customers.Credits": b.customer.ID,
			"Customers.BalanceEntries": b.customer.ID,
			"Customers.CreditGrants":   b.customer.ID, "Customers.CreditGrantWithKey": grant,
			"Customers.DueGrantsOnClock": b.clock.ID, "Customers.ToReviewOnClock": b.clock.ID,
			"Subscriptions.ToCancelForDebt": b.customer.ID,
			"Invoices.DueOnClock":           b.clock.ID, "Catalog.TaxRatesOf": b.customer.ID,
			"Clocks.Get": b.clock.ID, "Clocks.GetWithKey": b.clock.ID, "Clocks.NextDue": b.clock.ID, "Clocks.Due": b.clock.ID,
			"Clocks.Pending":    b.clock.ID,
			"Subscriptions.Get": b.subscription.ID, "Subscriptions.GetWithKey": b.subscription.ID,
			"Invoices.Get": inv.ID, "Invoices.Hosted": inv.ID, "Invoices.GetWithKey": inv.ID, "Payments.Settlement": inv.ID,
			"Payments.Transaction": txn.ID, "Payments.TransactionWithKey": txn.ID, "Payments.Refunds": charged,
			"Payments.Charging": b.env, "Subscriptions.Billings": b.customer.ID,
			"Subscriptions.Segments":    b.subscription.ID,
			"Subscriptions.AllSegments": b.subscription.ID, "Subscriptions.UsageBilled": b.subscription.ID,
			"Subscriptions.UnbilledSegments": b.subscription.ID,
			"Subscriptions.UsageReached":     b.subscription.ID,
			"Subscriptions.UsageBilledUntil": b.subscription.ID, "Invoices.UsageLines": b.subscription.ID,
			"Payments.EnvironmentChanges": "none", "Payments.HeldCharges": "none",
			"Payments.HeldTransactions": "none",
			"Payments.Decisions":        txn.ID, "Payments.CredentialChanges": b.provider,
			"Payments.CredentialNames": b.provider,
			"Payments.ProviderConfigs": "none", "Payments.ProviderConfigWithKey": b.provider,
			"Payments.HasPendingPayments": b.provider,
			"Payments.ProviderCalls":      txn.ID, "Payments.CallbackRef": txn.ID,
			"Payments.Routing": b.env, "Payments.RoutingSince": b.env, "Payments.TransactionSuperseding": b.provider,
			"Payments.RoutingRules":     "none",
			"Payments.FailedOperations": txn.ID,
			"Payments.Evidence":         txn.ID, "Payments.Sends": txn.ID, "Payments.TransactionOfSend": b.provider,
			"Payments.CallbackElsewhere": txn.ID,
			"Payments.CallbackTells":     txn.ID, "Payments.Searched": txn.ID, "Subscriptions.AccessClaims": b.customer.ID,
			"Subscriptions.Features":            b.plan.ID,
			"Payments.TransactionByProviderRef": b.provider,
			"Webhooks.EventWithKey":             events[0].ID, "IdempotencyKey": "POST /long",
			"Webhooks.Endpoint": endpoint, "Webhooks.EndpointWithKey": endpoint, "Webhooks.EndpointCount": "none",
			"Webhooks.Endpoints": "none",
			"Webhooks.Delivery":  owed[0].ID, "Webhooks.DeliveryWithKey": owed[0].ID, "Webhooks.Deliveries": "none",
			"Webhooks.Log": owed[0].ID, "Webhooks.EventsFor": endpoint,
			"Webhooks.EndpointChanges": endpoint, "Webhooks.WaitingDeliveries": endpoint,
			"Webhooks.LostAttempts": endpoint, "Webhooks.EndpointBacklog": endpoint, "Webhooks.DueDeliveries": idle,
			"Webhooks.MayBeDue": idle, "Webhooks.Event": events[0].ID, "Invoices.CreditNote": note.ID,
			"Emails.Sender": "none", "Emails.Email": mailed, "Emails.EmailWithKey": mailed, "Emails.List": "none",
			"Emails.Due": "none", "Emails.Waiting": "none",
			"Templates.Template": look, "Templates.TemplateWithKey": look, "Templates.List": "none", "Templates.Count": "none",
			"Templates.Drawing": inv.ID,
			"Catalog.Plans":     "none", "Customers.List": "none", "Clocks.List": "none", "Subscriptions.List": "none",
			"Invoices.List":          "none",
			"Invoices.MonthInvoices": "none", "Invoices.MonthNotes": "none", "Invoices.MonthPayments": "none",
			"Invoices.MonthSettlements": "none", "Invoices.MonthEntries": "none", "Invoices.MonthReceivables": "none",
			"Invoices.MonthCredit": "none", "Payments.OfProvider": "stripe", "Payments.RefundsOf": charged,
			"Payments.Transactions": "none", "Webhooks.Events": "none", "Payments.Disputes": "none",
			"Payments.DisputeWithKey": dispute,
		},
		filters: map[reflect.Type]any{
			reflect.TypeFor[db.APIKeyFilter]():       db.APIKeyFilter{Ended: &ended}, // each environment has a key that has not
			reflect.TypeFor[db.CustomerFilter]():     db.CustomerFilter{TestClockID: b.clock.ID},
			reflect.TypeFor[db.SubscriptionFilter](): db.SubscriptionFilter{CustomerID: b.customer.ID},
			reflect.TypeFor[db.InvoiceFilter]():      db.InvoiceFilter{SubscriptionID: b.subscription.ID},
			reflect.TypeFor[db.TransactionFilter]():  db.TransactionFilter{InvoiceID: inv.ID},
			reflect.TypeFor[db.CreditNoteFilter]():   db.CreditNoteFilter{InvoiceID: inv.ID},
			reflect.TypeFor[db.DisputeFilter]():      db.DisputeFilter{CustomerID: b.customer.ID},
			reflect.TypeFor[db.MonthFilter](): db.MonthFilter{
				Movement: monthly.Issued, From: now.Add(-month), To: now.Add(month),
			},
			reflect.TypeFor[db.EventRange]():  db.EventRange{Before: wall.Add(time.Hour), Limit: 10},
			reflect.TypeFor[db.Log]():         db.Log{Attempts: 1},
			reflect.TypeFor[plan.Ref]():       b.plan.Ref(),
			reflect.TypeFor[[]plan.Ref]():     []plan.Ref{b.plan.Ref()},
			reflect.TypeFor[db.EventFilter](): db.EventFilter{SubscriptionID: b.subscription.ID},
		},
	})
}

// sinceThen are the reads whose time is the begin of their result.
var sinceThen = []string{"Subscriptions.UsageBilled", "Invoices.UsageLines"}

// call fills the arguments of a read by their types: the first string is the environment, the next the id.
func (b *bundle) call(t *testing.T, method read, f filling, env string, hash []byte) reading {
	t.Helper()
	asked, ok := f.ids[method.name]
	require.True(t, ok, "%s is new: name a row for it in filled, or list it as global", method.name)
	reader := reflect.ValueOf(b.store.Reader)
	if method.column != "" {
		reader = reader.FieldByName(method.column)
	}
	args := []reflect.Value{reader, reflect.ValueOf(t.Context())}
	strings := []string{env, asked, asked, "none"}
	switch method.name {
	case "Payments.TransactionByProviderRef", "Payments.OfProvider":
		strings[2] = "pi_1"
	case "Payments.TransactionSuperseding":
		strings[2] = "pi_again"
	case "Payments.TransactionOfSend":
		strings[2] = "key_1"
	case "Payments.CallbackRef", "Payments.Evidence", "Payments.FailedOperations":
		strings[2] = f.provider
	case "Payments.CallbackElsewhere":
		strings[2] = "another"
	}
	for i := 2; i < method.Type.NumIn(); i++ {
		switch typ := method.Type.In(i); {
		case typ == reflect.TypeFor[[]byte]():
			args = append(args, reflect.ValueOf(hash))
			strings = strings[1:]
		case typ == reflect.TypeFor[[]string]():
			args = append(args, reflect.ValueOf(strings[:1]))
		case typ == reflect.TypeFor[payment.Type]():
			args = append(args, reflect.ValueOf(payment.Charge))
		case typ.Kind() == reflect.Int64:
			args = append(args, reflect.ValueOf(int64(1))) // the revision of a new row
		case typ.Kind() == reflect.Int:
			args = append(args, reflect.ValueOf(10))
		case typ == reflect.TypeFor[time.Time]() && slices.Contains(sinceThen, method.name):
			args = append(args, reflect.ValueOf(time.Time{}))
		case typ == reflect.TypeFor[time.Time]():
			args = append(args, reflect.ValueOf(now.Add(2*month)))
		case typ == reflect.TypeFor[document.Form]():
			args = append(args, reflect.ValueOf(document.Page))
		case typ == reflect.TypeFor[moving.Type]():
			args = append(args, reflect.ValueOf(moving.CustomerType))
		case typ.Kind() == reflect.String && typ != reflect.TypeFor[string]():
			args = append(args, reflect.ValueOf(eur))
		case typ.Kind() == reflect.String:
			args = append(args, reflect.ValueOf(strings[0]))
			strings = strings[1:]
		case typ == reflect.TypeFor[db.MonthFilter]() && method.name == "Invoices.MonthPayments":
			args = append(args, reflect.ValueOf(db.MonthFilter{
				Movement: monthly.Collected, From: now.Add(-month), To: now.Add(month),
			}))
		case f.filters[typ] != nil:
			args = append(args, reflect.ValueOf(f.filters[typ]))
		default:
			args = append(args, reflect.Zero(typ))
		}
	}
	switch method.name {
	case "Tenancy.Environment", "Payments.ProviderConfig", "Payments.Charging", "Payments.Routing",
		"Payments.RoutingSince":
		args[2] = reflect.ValueOf(asked) // the environment is the row, so there is nothing else to ask for
		if env != f.env {
			args[2] = reflect.ValueOf("env_absent")
		}
	}
	var a reading
	for _, out := range method.Func.Call(args) {
		err, failed := out.Interface().(error)
		var known *fault.Error
		switch {
		case failed && errors.As(err, &known):
			a.Code, a.Detail = known.Code, known.Detail
		case failed:
			t.Fatalf("%s: %v", method.name, err)
		case out.Type() != reflect.TypeFor[error]():
			a.Results = append(a.Results, out.Interface())
		}
	}
	return a
}

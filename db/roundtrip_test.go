package db_test

import (
	"context"
	"encoding/json"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/account"
	"perennial/billing/answer"
	"perennial/billing/collection"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/metadata"
	"perennial/billing/payment"
	"perennial/billing/postal"
	"perennial/billing/proration"
	"perennial/billing/tax"
	"perennial/billing/testclock"
	"perennial/db"
	"perennial/internal/id"
)

// Whatever is written comes back as it was, with every field set to something that shows a swap.

func TestTenancyRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()

	env, err := b.store.Tenancy.EnvironmentOf(ctx, b.app, "test")
	require.NoError(t, err)
	require.Equal(t, newEnvironment(b.environment), env)

	chosen := newEnvironment(b.environment)
	chosen.ID, chosen.Mode = id.New(id.Environment, wall), "live"
	chosen.Settings.RenewalReminderDays, chosen.Settings.InvoiceGraceMinutes = 3, 90
	chosen.Settings.InvoiceNumbers = invoice.Numbering{Prefix: "AC-", Digits: 6}
	chosen.Settings.Seller = invoice.Seller{Name: "Acme", Address: "1 Street", Country: "UG", TaxID: "123",
		Email: "a@example.com"}
	chosen.Settings.ProrationMeasure = proration.Day
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Tenancy.InsertEnvironment(ctx, chosen)) })
	env, err = b.store.Tenancy.EnvironmentOf(ctx, b.app, "live")
	require.NoError(t, err)
	require.Equal(t, chosen, env, "nothing that was chosen is left out")

	app, err := b.store.Tenancy.App(ctx, b.app)
	require.NoError(t, err)
	require.Equal(t, db.App{ID: b.app, TenantID: b.tenant, Name: "app", Keyset: []byte("keyset"), CreatedAt: wall}, app)

	apps, more, err := b.store.Tenancy.Apps(ctx, b.tenant, db.Page{})
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, []db.App{app}, apps)
}

func TestAPIKeyRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key := db.NewAPIKey{
		ID: id.New(id.APIKey, wall), Kind: "publishable", Hash: make([]byte, 32), Hint: "pk_test_…wxyz",
		Scopes:       []string{"read", "webhooks"},
		AllowedCIDRs: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")},
		ExpiresAt:    now,
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Tenancy.InsertAPIKey(ctx, b.env, key)) })

	got, err := b.store.KeyByHash(t.Context(), key.Hash)
	require.NoError(t, err)
	want := db.APIKey{
		ID: key.ID, EnvironmentID: b.env, TenantID: b.tenant, Mode: "test", Kind: "publishable", Scopes: key.Scopes,
		AllowedCIDRs: key.AllowedCIDRs, ExpiresAt: now, TimeZone: "Africa/Kampala",
	}
	require.Len(t, got.LinkKey, 32)
	want.LinkKey = got.LinkKey
	require.Equal(t, want, got)

	revoke := func(ctx context.Context, tx *db.Tx) error { return tx.Tenancy.RevokeAPIKey(ctx, b.env, key.ID) }
	require.NoError(t, b.try(t, revoke))
	require.NoError(t, b.try(t, revoke), "a repeat keeps the first time")
	got, err = b.store.KeyByHash(t.Context(), key.Hash)
	require.NoError(t, err)
	require.Equal(t, wall, got.RevokedAt)

	err = b.try(t, func(ctx context.Context, tx *db.Tx) error { return tx.Tenancy.RevokeAPIKey(ctx, b.env, "key_absent") })
	requireFault(t, err, fault.NotFound, "api_key_not_found")
	_, err = b.store.KeyByHash(t.Context(), []byte("no such hash"))
	requireFault(t, err, fault.Unauthorized, "api_key_unknown")
}

func TestProviderConfigRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	want := db.ProviderConfig{
		ID: b.provider, EnvironmentID: b.env, AppID: b.app, Mode: "test", Provider: "stripe",
		CreatedAt:   wall,
		Account:     account.Account{Primary: true},
		Keyset:      []byte("keyset"),
		Credentials: []db.SealedCredentials{{Version: 1, Sealed: []byte("sealed"), CreatedAt: wall}},
	}
	got, err := b.store.Payments.ProviderConfig(t.Context(), b.env)
	require.NoError(t, err)
	require.Equal(t, want, got)
	got, err = b.store.Payments.ProviderConfigOf(t.Context(), b.env, b.provider)
	require.NoError(t, err)
	require.Equal(t, want, got)
	got, err = b.store.Payments.ProviderConfigByID(t.Context(), b.provider)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestPlanRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bare := newPlan()
	bare.Metadata, bare.Prices = nil, bare.Prices[:1]
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Catalog.InsertPlan(ctx, b.env, bare)) })

	got, err := b.store.Catalog.Plan(t.Context(), b.env, b.plan.ID)
	require.NoError(t, err)
	require.Equal(t, b.plan, got)
	plans, more, err := b.store.Catalog.Plans(t.Context(), b.env, db.PlanFilter{}, db.Page{})
	require.NoError(t, err)
	require.False(t, more)
	bare.Metadata = metadata.Pairs{}
	require.ElementsMatch(t, []any{bare, b.plan}, []any{plans[0], plans[1]})

	want := b.plan
	policy := somePolicy()
	want.Dunning, want.ProrationMeasure = &policy, proration.Day
	want.Name, want.Active, want.Metadata = "Pro, old", false, metadata.Pairs{"shelf": json.Number("1.50")}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		locked, err := tx.Catalog.LockPlan(ctx, b.env, b.plan.ID)
		require.NoError(t, err)
		require.Equal(t, b.plan, locked)
		require.NoError(t, tx.Catalog.SavePlan(ctx, b.env, b.plan, want))
	})
	got, err = b.store.Catalog.Plan(t.Context(), b.env, b.plan.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestCustomerRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.store.Customers.Get(t.Context(), b.env, b.customer.ID)
	require.NoError(t, err)
	require.Equal(t, b.customer, got)

	ids := tax.IDs{{Type: "us_ein", Value: "12-3456789", Country: "US", VerifiedAt: now, VerifiedBy: "key_1"}}
	address := postal.Address{Line1: "1 Main St", Line2: "Floor 2", City: "Los Angeles", PostalCode: "90001"}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		c, err := tx.Customers.Lock(ctx, b.env, b.customer.ID)
		require.NoError(t, err)
		c.Email, c.Phone, c.PaymentMethod, c.PaymentDetails.PhoneNumber = "new@example.com", "",
			"mobile_money_mtn", "+256700000002"
		c.Country, c.Region, c.TaxExempt, c.TaxIDs = "US", "CA", tax.Exempt, ids
		c.Address, c.Locale, c.TimeZone = address, "en-US", "America/Los_Angeles"
		policy := somePolicy()
		c.Dunning = &policy
		require.NoError(t, tx.Customers.Save(ctx, b.env, c))
	})
	want, policy := b.customer, somePolicy()
	want.Dunning = &policy
	want.Email, want.Phone, want.PaymentMethod, want.PaymentDetails.PhoneNumber = "new@example.com", "",
		"mobile_money_mtn", "+256700000002"
	want.Country, want.Region, want.TaxExempt, want.TaxIDs = "US", "CA", tax.Exempt, ids
	want.Address, want.Locale, want.TimeZone = address, "en-US", "America/Los_Angeles"
	want.Revision = 2
	got, err = b.store.Customers.Get(t.Context(), b.env, b.customer.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)

	err = b.try(t, func(ctx context.Context, tx *db.Tx) error { return tx.Customers.Save(ctx, b.env, b.customer) })
	requireFault(t, err, fault.Unavailable, "customer_changed")
}

func TestTestClockRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.store.Clocks.Get(t.Context(), b.env, b.clock.ID)
	require.NoError(t, err)
	require.Equal(t, b.clock, got)

	want := b.clock
	want.Status, want.TargetAt, want.BlockedBy, want.Revision = testclock.Advancing, now.Add(month), []string{"txn_1"}, 2
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		c, err := tx.Clocks.Lock(ctx, b.env, b.clock.ID)
		require.NoError(t, err)
		c.Status, c.TargetAt, c.BlockedBy = want.Status, want.TargetAt, want.BlockedBy
		require.NoError(t, tx.Clocks.Save(ctx, b.env, c))
	})
	got, err = b.store.Clocks.Get(t.Context(), b.env, b.clock.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)

	err = b.try(t, func(ctx context.Context, tx *db.Tx) error { return tx.Clocks.Save(ctx, b.env, b.clock) })
	requireFault(t, err, fault.Unavailable, "test_clock_changed")
}

func TestInvoiceRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv := b.invoice()
	inv.Collection.RetryAt, inv.Collection.Skipped = now.Add(time.Hour), 1
	credit := invoice.Line{
		ID: id.New(id.InvoiceLine, wall), Kind: invoice.ProrationCredit, Description: "unused", PlanID: b.plan.ID,
		PriceID: b.plan.Prices[0].ID, ItemID: b.itemID(0), PeriodIndex: 1, Quantity: "2.5", UnitPrice: "0.0035",
		Reverses: inv.Lines[0].ID, Amount: -100, Period: inv.Period, Rates: []tax.Rate{aTaxRate("txr_1").Rate},
		Discounts:   invoice.Shares{{CouponID: "coup_1", Code: "WELCOME", Amount: -40}},
		TaxCategory: "books",
	}
	inv.Discount = -40
	inv.Taxes = invoice.Taxes{{Rate: credit.Rates[0], Base: -100, Amount: -19}}
	inv.Tax, inv.TaxExempt = -19, tax.Reverse
	inv.Lines = append(inv.Lines, credit)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Invoices.Insert(ctx, b.env, inv))
		inv.Collection.Attempts = 2
		require.NoError(t, tx.Invoices.Save(ctx, b.env, inv), "one that this transaction inserts")
	})
	got, err := b.store.Invoices.Get(t.Context(), b.env, inv.ID)
	require.NoError(t, err)
	inv.Number, inv.Buyer = 1, b.buyer()
	require.Equal(t, inv, got)

	paid := got.Settle(now.Add(time.Hour))
	void := b.invoice()
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		locked, err := tx.Invoices.Lock(ctx, b.env, inv.ID)
		require.NoError(t, err)
		require.Equal(t, inv.Collection, locked.Collection)
		require.NoError(t, tx.Invoices.Save(ctx, b.env, paid))
		void.Status, void.VoidedAt, void.ReplacedBy, void.Collection.Phase = invoice.Void, now.Add(2*time.Hour),
			inv.ID, collection.Closed
		require.NoError(t, tx.Invoices.Insert(ctx, b.env, void))
	})
	list, more, err := b.store.Invoices.List(t.Context(), b.env, db.InvoiceFilter{SubscriptionID: b.subscription.ID},
		db.Page{})
	require.NoError(t, err)
	require.False(t, more)
	byID := map[string]invoice.Invoice{}
	for _, i := range list {
		byID[i.ID] = i
	}
	require.Equal(t, paid, byID[inv.ID])
	void.Number, void.Buyer = 2, inv.Buyer
	require.Equal(t, void, byID[void.ID])

	err = b.try(t, func(ctx context.Context, tx *db.Tx) error { return tx.Invoices.Save(ctx, b.env, b.invoice()) })
	requireFault(t, err, fault.NotFound, "invoice_not_found")
}

func TestTransactionRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv := b.openInvoice(t)
	txn := b.pendingCharge(t, inv.ID)
	got, err := b.store.Payments.Transaction(t.Context(), b.env, txn.ID)
	require.NoError(t, err)
	require.Equal(t, txn, got)

	b.write(t, func(ctx context.Context, tx *db.Tx) { // before it ends: then the page is gone
		want := txn
		want.Action = payment.Action{
			Token: "4LTZ6E3Y2NQ5WCJD7ROKAHVSXM", URL: "https://bank.example", ExpiresAt: wall, ReturnedAt: wall.Add(time.Second),
			Brought: "redirectResult=X6Xtf", HandedAt: wall.Add(time.Minute), ApartSend: 1,
		}
		require.NoError(t, tx.Payments.SaveTransaction(ctx, b.env, want))
		env, asked, err := tx.Payments.TransactionByConfirmToken(ctx, want.Action.Token)
		require.NoError(t, err)
		want.Revision++
		require.Equal(t, b.env, env)
		require.Equal(t, want, asked)
		txn = asked
	})

	want := txn
	want.Action.URL = ""
	want.Status, want.ProviderRef, want.FailureCode, want.FailureReason = payment.Success, "pi_1", "DECLINED", "the "+
		"bank said no"
	want.ProviderResponse, want.AmountRefunded = []byte(`{"id": "pi_1"}`), 700
	want.SendNumber, want.Checks, want.NotFoundCount = 1, 2, 3
	want.FirstSentAt, want.CancelRequestedAt, want.NextCheckAt = wall.Add(1*time.Second), wall.Add(2*time.Second),
		wall.Add(3*time.Second)
	want.NotFoundAt, want.ParkedAt, want.CompletedAt = wall.Add(4*time.Second), wall.Add(5*time.Second),
		now.Add(6*time.Second)
	want.Disputes = payment.Disputes{{
		ID: id.New(id.Dispute, wall), WithdrawalID: "txn_w", Withdrawals: 2, OpenedAt: wall,
		Dispute: answer.Dispute{
			Ref: "du_1", State: answer.DisputeOpen, Amount: 900, Currency: eur, Withdrawn: 800, Order: 3,
			Stage: answer.StageChargeback, Reason: "fraudulent", EvidenceDueAt: wall.Add(time.Hour),
		},
	}}
	want.DisputedAt, want.Review = wall.Add(7*time.Second), payment.Review{
		Reason: "second_capture", Ref: "pi_2", At: wall.Add(8 * time.Second),
	}
	want.HeldBack = payment.Hold{At: wall.Add(9 * time.Second), Revision: 7, ByStop: true}
	want.UnsentAt = wall.Add(10 * time.Second)
	want.Silence = payment.Silence{Since: wall.Add(11 * time.Second), At: wall.Add(12 * time.Second)}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		locked, err := tx.Payments.LockTransaction(ctx, b.env, txn.ID)
		require.NoError(t, err)
		require.Equal(t, txn, locked)
		require.NoError(t, tx.Payments.SaveTransaction(ctx, b.env, want))
	})
	want.Revision = 3
	got, err = b.store.Payments.Transaction(t.Context(), b.env, txn.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)
	byRef, err := b.store.Payments.TransactionByProviderRef(t.Context(), b.env, b.provider, payment.Charge, "pi_1")
	require.NoError(t, err)
	require.Equal(t, want, byRef)
	listed, _, err := b.store.Payments.Disputes(t.Context(), b.env, db.DisputeFilter{}, db.Page{})
	require.NoError(t, err)
	seen := want.Disputes[0]
	seen.WithdrawalID, seen.Withdrawals, seen.Order = "", 0, 0 // of the charge's row only
	require.Equal(t, []db.Dispute{{Dispute: seen, Charge: want}}, listed)

	refund := b.charge("")
	refund.Type, refund.ChargeID, refund.AttemptNumber, refund.Trigger = payment.Refund, txn.ID, 0, collection.Manual
	refund.Status, refund.CompletedAt, refund.ReturnedAt = payment.Refunded, now, now.Add(time.Second)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, refund))
	})
	got, err = b.store.Payments.Transaction(t.Context(), b.env, refund.ID)
	require.NoError(t, err)
	require.Equal(t, refund, got)

	err = b.try(t, func(ctx context.Context, tx *db.Tx) error { return tx.Payments.SaveTransaction(ctx, b.env, txn) })
	requireFault(t, err, fault.Unavailable, "transaction_changed")
}

func TestRecoveredCharge(t *testing.T) {
	t.Parallel()
	b := setup(t)
	canceled := b.pendingCharge(t, "")
	recovered := func() (found *payment.Transaction) {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			var err error
			found, err = tx.Payments.LockRecovered(ctx, b.env, canceled.ID)
			require.NoError(t, err)
		})
		return found
	}
	require.Nil(t, recovered())

	record := func(ctx context.Context, tx *db.Tx) error {
		found := canceled
		found.ID, found.RecoveredFrom, found.Status, found.CompletedAt = id.New(id.Transaction,
			wall), canceled.ID, payment.Success, now
		return tx.Payments.InsertTransaction(ctx, b.env, found)
	}
	require.NoError(t, b.try(t, record))
	require.Equal(t, canceled.ID, recovered().RecoveredFrom)
	requireFault(t, b.try(t, record), fault.Conflict, "charge_recovered")
}

package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/erasure"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/overdue"
	"perennial/billing/routing"
	"perennial/db"
	"perennial/internal/id"
)

// Locks and writes of another environment's rows find nothing either.
func TestIsolation_Writes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv := b.openInvoice(t)
	txn, grant := b.pendingCharge(t, inv.ID), b.grant(t, 5, time.Time{})
	ours := b.newEnvironment(t)
	mailed := b.mailed(t, b.env, b.customer.ID)
	endpoint, err := b.store.Webhooks.Endpoint(t.Context(), b.env, b.endpoint(t, b.env, "*"))
	require.NoError(t, err)
	for name, write := range map[string]struct {
		code string
		do   func(context.Context, *db.Tx) error
	}{
		"lock customer": {"customer_not_found", func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Customers.Lock(ctx, ours.env, b.customer.ID)
			return err
		}},
		"save standing": {"customer_not_found", func(ctx context.Context, tx *db.Tx) error {
			return tx.Customers.SaveStanding(ctx, ours.env, b.customer.ID, overdue.Standing{})
		}},
		"lock debts": {"customer_not_found", func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Lifecycle.LockDebts(ctx, ours.env, b.customer.ID)
			return err
		}},
		"lock plan": {"plan_not_found", func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Catalog.LockPlan(ctx, ours.env, b.plan.ID)
			return err
		}},
		"update plan": {"plan_not_found", func(ctx context.Context, tx *db.Tx) error {
			return tx.Catalog.SavePlan(ctx, ours.env, b.plan, b.plan)
		}},
		"lock product": {"product_not_found", func(ctx context.Context, tx *db.Tx) error {
			other := aProduct(id.New(id.Product, wall))
			if err := tx.Catalog.InsertProduct(ctx, b.env, other); err != nil {
				return err
			}
			_, err := tx.Catalog.LockProduct(ctx, ours.env, other.ID)
			return err
		}},
		"save product": {"product_not_found", func(ctx context.Context, tx *db.Tx) error {
			other := aProduct(id.New(id.Product, wall))
			if err := tx.Catalog.InsertProduct(ctx, b.env, other); err != nil {
				return err
			}
			return tx.Catalog.SaveProduct(ctx, ours.env, other)
		}},
		"a foreign product": {"product_not_found", func(ctx context.Context, tx *db.Tx) error {
			other, p := aProduct(id.New(id.Product, wall)), ours.plan
			if err := tx.Catalog.InsertProduct(ctx, b.env, other); err != nil {
				return err
			}
			p.ProductID = other.ID
			return tx.Catalog.SavePlan(ctx, ours.env, ours.plan, p)
		}},
		"lock tax rate": {"tax_rate_not_found", func(ctx context.Context, tx *db.Tx) error {
			rate := aTaxRate(id.New(id.TaxRate, wall))
			if err := tx.Catalog.InsertTaxRate(ctx, b.env, rate); err != nil {
				return err
			}
			_, err := tx.Catalog.LockTaxRate(ctx, ours.env, rate.ID)
			return err
		}},
		"save tax rate": {"tax_rate_not_found", func(ctx context.Context, tx *db.Tx) error {
			rate := aTaxRate(id.New(id.TaxRate, wall))
			if err := tx.Catalog.InsertTaxRate(ctx, b.env, rate); err != nil {
				return err
			}
			return tx.Catalog.SaveTaxRate(ctx, ours.env, rate)
		}},
		"lock key": {"api_key_not_found", func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Tenancy.LockAPIKey(ctx, ours.env, b.key)
			return err
		}},
		"save key": {"api_key_not_found", func(ctx context.Context, tx *db.Tx) error {
			return tx.Tenancy.SaveAPIKey(ctx, ours.env, db.ManagedKey{ID: b.key})
		}},
		"lock coupon": {"coupon_not_found", func(ctx context.Context, tx *db.Tx) error {
			coupon := aCoupon(id.New(id.Coupon, wall), "WELCOME")
			if err := tx.Catalog.InsertCoupon(ctx, b.env, coupon); err != nil {
				return err
			}
			_, err := tx.Catalog.LockCoupon(ctx, ours.env, coupon.ID)
			return err
		}},
		"redeem coupon": {"coupon_used_up", func(ctx context.Context, tx *db.Tx) error {
			coupon := aCoupon(id.New(id.Coupon, wall), "WELCOME")
			tx.RedeemCoupon(ours.env, coupon.ID)
			return tx.Catalog.InsertCoupon(ctx, b.env, coupon)
		}},
		"lock grant": {"credit_grant_not_found", func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Customers.LockCreditGrant(ctx, ours.env, grant.ID)
			return err
		}},
		"use grant": {"credit_insufficient", func(ctx context.Context, tx *db.Tx) error {
			return tx.Customers.AddCredit(ctx, ours.env, b.customer.ID, eur, use(grant, -1), inv.ID, now)
		}},
		"end grant": {"credit_grant_not_found", func(ctx context.Context, tx *db.Tx) error {
			return tx.Customers.EndCreditGrant(ctx, ours.env, grant, 0, invoice.CreditVoided, now)
		}},
		"save payment method": {"payment_method_changed", func(ctx context.Context, tx *db.Tx) error {
			methods, err := tx.Customers.AllPaymentMethods(ctx, b.env, b.customer.ID)
			require.NoError(t, err)
			require.NotEmpty(t, methods)
			return tx.Customers.SavePaymentMethod(ctx, ours.env, methods[0])
		}},
		"lock clock": {"test_clock_not_found", func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Clocks.Lock(ctx, ours.env, b.clock.ID)
			return err
		}},
		"lock subscription": {"subscription_not_found", func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Lifecycle.LockSubscription(ctx, ours.env, b.subscription.ID)
			return err
		}},
		"lock invoice": {"invoice_not_found", func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Invoices.Lock(ctx, ours.env, inv.ID)
			return err
		}},
		"lock for credit": {"invoice_not_found", func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Invoices.LockForCredit(ctx, ours.env, inv.ID)
			return err
		}},
		"lock transaction": {"transaction_not_found", func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Payments.LockTransaction(ctx, ours.env, txn.ID)
			return err
		}},
		"revoke key": {"api_key_not_found", func(ctx context.Context, tx *db.Tx) error {
			return tx.Tenancy.RevokeAPIKey(ctx, ours.env, b.key)
		}},
		"update customer": {"customer_changed", func(ctx context.Context, tx *db.Tx) error {
			return tx.Customers.Save(ctx, ours.env, b.customer)
		}},
		"erase customer": {"customer_not_found", func(ctx context.Context, tx *db.Tx) error {
			return tx.Customers.Erase(ctx, ours.env, b.customer.ID)
		}},
		"save clock": {"test_clock_changed", func(ctx context.Context, tx *db.Tx) error {
			return tx.Clocks.Save(ctx, ours.env, b.clock)
		}},
		"save subscription": {"subscription_changed", func(ctx context.Context, tx *db.Tx) error {
			return tx.Subscriptions.Save(ctx, ours.env, b.subscription)
		}},
		"lock endpoint": {"webhook_endpoint_not_found", func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Webhooks.LockEndpoint(ctx, ours.env, endpoint.ID)
			return err
		}},
		"save endpoint": {"webhook_endpoint_changed", func(ctx context.Context, tx *db.Tx) error {
			return tx.Webhooks.SaveEndpoint(ctx, ours.env, endpoint, db.EndpointChange{Action: db.EndpointUpdated})
		}},
		"lock mail": {"email_not_found", func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Emails.Lock(ctx, ours.env, mailed)
			return err
		}},
		"begin sending": {"email_settings_not_found", func(ctx context.Context, tx *db.Tx) error {
			sender, err := b.store.Emails.Sender(ctx, b.env)
			if err != nil {
				return err
			}
			_, err = tx.Emails.BeginSending(ctx, ours.env, sender.ID)
			return err
		}},
		"lock erasure": {"erasure_not_found", func(ctx context.Context, tx *db.Tx) error {
			e := erasure.OfTestClock(id.New(id.Erasure, wall), b.clock.ID, wall)
			if err := tx.Customers.BeginErasure(ctx, b.env, e); err != nil {
				return err
			}
			_, err := tx.Customers.LockErasure(ctx, ours.env, e.ID)
			return err
		}},
		"save invoice": {"invoice_not_found", func(ctx context.Context, tx *db.Tx) error {
			return tx.Invoices.Save(ctx, ours.env, inv)
		}},
		"lock breaker": {"provider_config_not_found", func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Payments.LockBreaker(ctx, ours.env, b.provider)
			return err
		}},
		"route to an account": {"provider_config_not_found", func(ctx context.Context, tx *db.Tx) error {
			return tx.Payments.ReplaceRoutingRules(ctx, ours.env, []routing.Rule{{Position: 1, AccountID: b.provider}})
		}},
		"save transaction": {"transaction_changed", func(ctx context.Context, tx *db.Tx) error {
			return tx.Payments.SaveTransaction(ctx, ours.env, txn)
		}},
	} {
		err := b.try(t, write.do)
		require.Error(t, err, name)
		require.Equal(t, write.code, fault.From(err).Code, name)
	}
}

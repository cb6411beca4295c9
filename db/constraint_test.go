package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/account"
	"perennial/billing/collection"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
)

// Each CHECK and unique key is broken once, by one change to a row that is fine otherwise.
func TestConstraint_Refuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv := b.openInvoice(t)
	txn := b.pendingCharge(t, inv.ID)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Customers.AddCredit(ctx, b.env, b.customer.ID, eur,
			invoice.CreditEntry{Amount: 5, Reason: invoice.CreditProration}, inv.ID, now))
		require.NoError(t, tx.Payments.InsertProviderCall(ctx, b.env,
			db.ProviderCall{ID: "call_1", TransactionID: txn.ID, Operation: db.CallCharge, StartedAt: wall}))
		require.NoError(t, tx.Emit(ctx, b.env, anEvent(b.subscription)))
		require.NoError(t, tx.InsertAnsweredIdempotency(ctx, b.env, db.IdempotencyKey{
			Route: "POST /", Key: "k", Fingerprint: []byte("f"), StatusCode: 201,
		}))
	})
	const check = "23514"
	for _, broken := range []string{
		"update apps set name = ''",
		"update environments set mode = 'staging'",
		"update environments set retry_base_seconds = 59",
		"update environments set retry_factor = 0",
		"update environments set retry_count = 11",
		"update environments set retry_jitter_seconds = 3601",
		"update environments set past_due_billing = 'forgive'",
		"update environments set past_due_cancel_after_days = 0",
		"update api_keys set kind = 'master'",
		"update api_keys set hash = 'short'",
		"update api_keys set scopes = '{}'",
		"update api_keys set scopes = '{admin}'",
		"update provider_configs set provider = 'cash'",
		"update plans set currency = 'eur'",
		"update plans set interval_unit = 'hour'",
		"update plans set interval_count = 0",
		"update plans set trial_days = 731",
		"update prices set amount = -1",
		"update prices set amount = 1000000000000",
		"update prices set model = 'tiered'",
		"update test_clocks set status = 'advancing'",
		"update test_clocks set target_at = now_at",
		"update test_clocks set status = 'advancing', target_at = now_at - interval '1 second'",
		"update customers set erased_at = now()",
		"update subscriptions set status = 'paused'",
		"update subscriptions set current_period_end = current_period_start",
		"update subscriptions set status = 'canceled'",
		"update subscriptions set canceled_at = now()",
		"update subscriptions set status = 'past_due'",
		"update subscriptions set past_due_at = now()",
		"update subscriptions set next_action = 'none'",
		"update subscriptions set next_action_at = null",
		"update subscriptions set next_period = -1",
		"update subscriptions set finished_at = now()",
		"update invoices set status = 'lost'",
		"update invoices set amount_due = amount_due - 1",
		"update invoices set amount_paid = 1",
		"update invoices set credit_applied = -1, amount_due = amount_due + 1",
		"update invoices set status = 'paid', amount_paid = amount_due",
		"update invoices set status = 'paid', amount_paid = amount_due, paid_at = now()",
		"update invoices set phase = 'settled'",
		"update invoices set phase = 'dunning'",
		"update invoices set status = 'void'",
		"update invoices set attempts = 0",
		"update invoices set attempt_trigger = 'cron'",
		"update invoices set status = 'uncollectible'",
		"update transactions set refund_owed = -1",
		"update transactions set refund_owed = amount + 1",
		"update transactions set status = 'success'",
		"update transactions set completed_at = now()",
		"update transactions set status = 'refunded', completed_at = now()",
		"update transactions set amount_refunded = amount + 1",
		"update transactions set amount_refunded = -1",
		"update transactions set attempt_number = 0",
		"update transactions set failure_code = 'TIRED'",
		"update transactions set trigger = 'cron'",
		"insert into settlements values ('" + b.env + "', '" + inv.ID + "', null, 1, now())",
		"insert into settlements values ('" + b.env + "', '" + inv.ID + "', '" + txn.ID + "', 0, now())",
		"update provider_calls set operation = 'guess'",
		"update provider_calls set outcome = 'succeeded'",
		"update provider_calls set ended_at = now()",
		"update provider_calls set outcome = 'perhaps', ended_at = now()",
		"update idempotency_keys set key = ''",
		"update temporal_epoch set only_row = false",
	} {
		_, err := b.pool.Exec(t.Context(), broken)
		if broken == "update transactions set status = 'refunded', completed_at = now()" {
			requireSQLState(t, err, "PB004") // the trigger comes first
			continue
		}
		if err == nil {
			t.Errorf("not refused: %s", broken)
			continue
		}
		requireSQLState(t, err, check)
	}
}

func TestConstraint_UniqueKeysNameTheField(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv, other := b.openInvoice(t), b.openInvoice(t)
	txn := b.pendingCharge(t, inv.ID)

	t.Run("one live attempt", func(t *testing.T) {
		t.Parallel()
		second := b.charge(inv.ID)
		err := b.try(t, func(ctx context.Context, tx *db.Tx) error {
			return tx.Payments.InsertTransaction(ctx, b.env, second)
		})
		requireFault(t, err, fault.Conflict, "payment_in_progress")
		failed := b.charge(inv.ID)
		failed.Status, failed.CompletedAt = payment.Failed, now
		require.NoError(t, b.try(t, func(ctx context.Context, tx *db.Tx) error {
			return tx.Payments.InsertTransaction(ctx, b.env, failed)
		}))
	})
	t.Run("one live invoice opens a period", func(t *testing.T) {
		t.Parallel()
		issue := func(reason invoice.Reason, voided bool) error {
			opening := b.invoice()
			opening.Reason = reason
			if voided {
				opening.Status, opening.VoidedAt, opening.Collection.Phase = invoice.Void, now, collection.Closed
			}
			return b.try(t, func(ctx context.Context, tx *db.Tx) error { return tx.Invoices.Insert(ctx, b.env, opening) })
		}
		require.NoError(t, issue(invoice.Create, true), "one that was withdrawn does not count")
		require.NoError(t, issue(invoice.Create, false))
		for _, reason := range []invoice.Reason{invoice.Create, invoice.Cycle, invoice.Recovery} {
			requireFault(t, issue(reason, false), fault.Conflict, "period_invoiced")
		}
		require.NoError(t, issue(invoice.Update, false), "a change within the period has invoices of its own")
	})
	t.Run("one transaction per provider reference", func(t *testing.T) {
		t.Parallel()
		first, second := b.charge(""), b.charge("")
		first.ProviderRef, second.ProviderRef = "pi_9", "pi_9"
		err := b.try(t, func(ctx context.Context, tx *db.Tx) error {
			require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, first))
			return tx.Payments.InsertTransaction(ctx, b.env, second)
		})
		requireFault(t, err, fault.Conflict, "provider_ref_taken")
	})
	t.Run("a transaction settles one invoice", func(t *testing.T) {
		t.Parallel()
		err := b.try(t, func(ctx context.Context, tx *db.Tx) error {
			if err := tx.Payments.InsertSettlement(ctx, b.env, inv.ID, txn.ID, 1500, now); err != nil {
				return err
			}
			return tx.Payments.InsertSettlement(ctx, b.env, other.ID, txn.ID, 1500, now)
		})
		requireFault(t, err, fault.Conflict, "transaction_settled")
	})
	t.Run("one environment of a mode", func(t *testing.T) {
		t.Parallel()
		again := b.environment
		again.env = id.New(id.Environment, wall)
		err := b.try(t, func(ctx context.Context, tx *db.Tx) error {
			return tx.Tenancy.InsertEnvironment(ctx, newEnvironment(again))
		})
		requireFault(t, err, fault.Conflict, "environment_exists")
	})
	t.Run("one primary provider", func(t *testing.T) {
		t.Parallel()
		second := db.ProviderConfig{
			ID: id.New(id.ProviderConfig, wall), Provider: "stripe",
			Account: account.Account{Primary: true}, Credentials: sealed,
		}
		err := b.try(t, func(ctx context.Context, tx *db.Tx) error {
			return tx.Payments.InsertProviderConfig(ctx, b.env, second)
		})
		requireFault(t, err, fault.Conflict, "primary_provider_exists")
		second.Primary = false
		require.NoError(t, b.try(t, func(ctx context.Context, tx *db.Tx) error {
			return tx.Payments.InsertProviderConfig(ctx, b.env, second)
		}))
	})
}

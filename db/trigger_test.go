package db_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/internal/id"
)

// The guarantees that only the database can give for every writer: plain SQL here, past every check in Go.

// requireSQLState checks which rule of the database refused.
func requireSQLState(t *testing.T, err error, state string) *pgconn.PgError {
	t.Helper()
	var pg *pgconn.PgError
	require.ErrorAs(t, err, &pg)
	require.Equal(t, state, pg.Code, pg.Message)
	return pg
}

func TestTrigger_TransactionStatuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	charge := b.pendingCharge(t, "")
	statuses := []payment.Status{
		payment.Pending, payment.Success, payment.Failed, payment.Declined, payment.Canceled, payment.Refunded,
	}
	insert := func(typ payment.Type, status payment.Status) (string, error) {
		newID, chargeID := id.New(id.Transaction, wall), "null"
		if typ == payment.Refund {
			chargeID = "'" + charge.ID + "'"
		}
		_, err := b.pool.Exec(t.Context(), fmt.Sprintf(`
			insert into transactions (id, environment_id, type, status, customer_id, amount, currency, description, trigger, amount_refunded,
				send_number, checks, not_found_count, due_at, completed_at, created_at, charge_id)
			select $1, environment_id, $2, $3, customer_id, amount, currency, '', trigger, 0, 0, 0, 0, due_at,
				case when $3 = 'pending' then null else now() end, created_at, %s
			from transactions where id = $4`, chargeID), newID, string(typ), string(status), charge.ID)
		return newID, err
	}
	var allowed, refused, unreachable int
	for _, typ := range []payment.Type{payment.Charge, payment.Refund} {
		for _, from := range statuses {
			for _, to := range statuses {
				name := fmt.Sprintf("a %s: %s to %s", typ, from, to)
				txn, err := insert(typ, from)
				if err != nil { // a check keeps the type from ever having this status, so nothing may lead out of it
					requireSQLState(t, err, "23514")
					require.False(t, payment.CanBecome(typ, from, to), name)
					unreachable++
					continue
				}
				_, err = b.pool.Exec(t.Context(), `
					update transactions set status = $1, completed_at = case when $1 = 'pending' then null else now() end where id = $2`, string(to), txn)
				switch {
				case from == to:
					require.NoError(t, err, "%s: other columns may change", name)
				case payment.CanBecome(typ, from, to):
					require.NoError(t, err, name)
					allowed++
				default:
					requireSQLState(t, err, "PB004")
					refused++
				}
			}
		}
	}
	require.Equal(t, 12, unreachable, "a charge is never refunded, a refund never success")
	require.Equal(t, 72-12-10, allowed+refused)
	require.Equal(t, 11, allowed)
}

func TestTrigger_TransactionsAreNeverDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.pendingCharge(t, "")
	for _, sql := range []string{"delete from transactions", "truncate transactions cascade"} {
		_, err := b.pool.Exec(t.Context(), sql)
		requireSQLState(t, err, "PB003")
	}
	require.Equal(t, 1, b.count(t, "select count(*) from transactions"))
}

func TestTrigger_LedgersAreAppendOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv := b.openInvoice(t)
	_, err := b.pool.Exec(t.Context(), `insert into settlements values ($1, $2, null, 0, now())`, b.env, inv.ID)
	require.NoError(t, err)
	_, err = b.pool.Exec(t.Context(),
		`insert into credit_entries values ('cr_1', $1, $2, 'EUR', 5, 'proration', $3, 5, now())`, b.env,
		b.customer.ID, inv.ID)
	require.NoError(t, err)
	for _, table := range []string{"settlements", "credit_entries"} {
		for _, sql := range []string{"update %s set amount = 7", "delete from %s", "truncate %s"} {
			_, err := b.pool.Exec(t.Context(), fmt.Sprintf(sql, table))
			requireSQLState(t, err, "PB003")
		}
	}
}

func TestTrigger_CanceledIsFinal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.pool.Exec(t.Context(), `update subscriptions set status = 'canceled', canceled_at = now()`)
	require.NoError(t, err)
	for _, status := range []string{"trialing", "active", "past_due"} {
		_, err := b.pool.Exec(t.Context(), `
			update subscriptions set status = $1, canceled_at = null, past_due_at = case when $1 = 'past_due' then now() end`, status)
		requireSQLState(t, err, "PB001")
	}
	_, err = b.pool.Exec(t.Context(), `update subscriptions set cancel_reason = 'said so'`)
	require.NoError(t, err, "other columns may change")
}

func TestTrigger_PaidAndVoidAreFinal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	set := map[string]string{
		"open": "status = 'open', paid_at = null, voided_at = null, amount_paid = 0, phase = 'waiting'",
		"paid": "status = 'paid', paid_at = now(), voided_at = null, amount_paid = amount_due, phase = 'settled'",
		"void": "status = 'void', paid_at = null, voided_at = now(), amount_paid = 0, phase = 'closed'",
	}
	for from := range set {
		for to := range set {
			inv := b.openInvoice(t)
			_, err := b.pool.Exec(t.Context(), "update invoices set "+set[from]+" where id = $1", inv.ID)
			require.NoError(t, err)
			_, err = b.pool.Exec(t.Context(), "update invoices set "+set[to]+" where id = $1", inv.ID)
			if from == "open" || from == to {
				require.NoError(t, err, "%s to %s", from, to)
			} else {
				requireSQLState(t, err, "PB005")
			}
		}
	}
}

func TestTrigger_ImmutableColumns(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv := b.openInvoice(t)
	b.pendingCharge(t, inv.ID)
	columns := map[string]string{
		"subscriptions": "environment_id id customer_id currency created_at",
		"invoices": "environment_id id number customer_id subscription_id reason currency total period_start " +
			"period_end created_at",
		"transactions": "environment_id id type customer_id subscription_id invoice_id amount currency charge_id " +
			"recovered_from created_at",
	}
	other := map[string]string{
		"number": "99", "total": "1501", "amount": "1501", "currency": "'USD'", "type": "'refund'",
		"reason":     "'subscription_cycle'",
		"created_at": "now()", "period_start": "now()", "period_end": "now()",
	}
	for table, names := range columns {
		for column := range strings.FieldsSeq(names) {
			value, ok := other[column]
			if !ok {
				value = "'another'"
			}
			_, err := b.pool.Exec(t.Context(), fmt.Sprintf("update %s set %s = %s", table, column, value))
			pg := requireSQLState(t, err, "PB002")
			require.Contains(t, pg.Message, "immutable", "%s.%s", table, column)
		}
	}
}

package life

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/routing"
)

// RefundRows lists the refunds, oldest first.
func (l *Life) RefundRows(t testing.TB) (refunds []payment.Transaction) {
	t.Helper()
	rows, err := l.Pool.Query(t.Context(), "select id from transactions where type = 'refund' order by created_at, id")
	require.NoError(t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	for _, id := range ids {
		txn, err := l.Store.Payments.Transaction(t.Context(), l.Env, id)
		require.NoError(t, err)
		refunds = append(refunds, txn)
	}
	return refunds
}

// Outcomes lists the outcomes of the sends of a transaction.
func (l *Life) Outcomes(txn string) (out []answer.Outcome) {
	for _, s := range l.Sends(txn) {
		out = append(out, s.Outcome)
	}
	return out
}

// RequireBalanced checks that all invoices that count sum to the amounts paid, due and left as credit.
func (l *Life) RequireBalanced(t *testing.T) {
	t.Helper()
	var billed, due, kept money.Minor
	for _, i := range l.Invoices() {
		if i.Status == invoice.Void {
			continue
		}
		billed += i.Total
		if i.Status == invoice.Open {
			due += i.AmountDue
		}
	}
	for _, n := range l.CreditNotes() {
		billed -= n.Total
	}
	for _, txn := range l.Transactions() {
		switch txn.Status {
		case payment.Success:
			kept += txn.Amount
		case payment.Refunded:
			kept -= txn.Amount
		default:
		}
	}
	credit, err := l.Store.Customers.CreditBalance(t.Context(), l.Env, l.Payer.ID, "EUR")
	require.NoError(t, err)
	require.Equal(t, billed, kept+due-credit)
}

// Disputes lists the announcements of disputes: the events and the statuses in them.
func (l *Life) Disputes() (said []string) {
	l.T.Helper()
	rows, err := l.Pool.Query(l.T.Context(),
		"select type || ' ' || (data ->> 'status') from events where type like 'dispute.%' order by position")
	require.NoError(l.T, err)
	defer rows.Close()
	for rows.Next() {
		var one string
		require.NoError(l.T, rows.Scan(&one))
		said = append(said, strings.TrimPrefix(one, "dispute."))
	}
	require.NoError(l.T, rows.Err())
	return said
}

// Transaction reads a transaction again.
func (l *Life) Transaction(id string) payment.Transaction {
	l.T.Helper()
	txn, err := l.Store.Payments.Transaction(l.T.Context(), l.Env, id)
	require.NoError(l.T, err)
	return txn
}

// Net returns the money that a charge has brought in, by the books.
func (l *Life) Net(id string) money.Minor {
	sum := l.Transaction(id).Amount
	for _, r := range l.RefundRows(l.T) {
		if r.Status == payment.Refunded && r.ReturnedAt.IsZero() {
			sum -= r.Amount
		}
	}
	return sum
}

// RequireAnnounced wants one event of success for each of the payments.
func (l *Life) RequireAnnounced(paid ...string) {
	l.T.Helper()
	var announced int
	require.NoError(l.T, l.Pool.QueryRow(l.T.Context(),
		"select count(*) from events where type = 'payment.success' and object_id = any($1)", paid).Scan(&announced))
	require.Equal(l.T, len(paid), announced)
}

// Breaker reads the breaker of an account.
func (l *Life) Breaker(configID string) routing.Breaker {
	l.T.Helper()
	found, err := l.Store.Payments.Routing(l.T.Context(), l.Env)
	require.NoError(l.T, err)
	for _, account := range found.Accounts {
		if account.ID == configID {
			return account.Breaker
		}
	}
	require.FailNow(l.T, "no such account", configID)
	return routing.Breaker{}
}

// PaidInOrder lists the numbers of the subscription's invoices as they were paid.
func (l *Life) PaidInOrder() []int64 {
	l.T.Helper()
	rows, err := l.Pool.Query(l.T.Context(), `select i.number from events e join invoices i on i.id = e.object_id
		where e.type = 'invoice.paid' and e.subscription_id = $1 order by e.sequence`, l.Ref.ID)
	require.NoError(l.T, err)
	numbers, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	require.NoError(l.T, err)
	return numbers
}

// OverlookedKinds are the kinds of dates that have passed and that nothing waits for.
func (l *Life) OverlookedKinds() (kinds []string) {
	l.T.Helper()
	found, err := l.Store.Reconcile.OverlookedDates(l.T.Context(), l.Clock.Now().Add(-time.Minute))
	require.NoError(l.T, err)
	for _, o := range found {
		require.Equal(l.T, 1, o.Count, o.Kind)
		kinds = append(kinds, o.Kind)
	}
	return kinds
}

// Operations lists the provider's requests about a transaction, in order.
func (l *Life) Operations(txn string) []string {
	var out []string
	for _, c := range l.Provider.Calls() {
		if c.TransactionID == txn {
			out = append(out, c.Operation)
		}
	}
	return out
}

// Sends lists the sends of a transaction.
func (l *Life) Sends(txn string) []payment.Send {
	l.T.Helper()
	sends, err := l.Store.Payments.Sends(l.T.Context(), l.Env, txn)
	require.NoError(l.T, err)
	return sends
}

// CountEvents counts the events of a type.
func (l *Life) CountEvents(typ string) (n int) {
	l.T.Helper()
	require.NoError(l.T, l.Pool.QueryRow(l.T.Context(), "select count(*) from events where type = $1", typ).Scan(&n))
	return n
}

package life

import (
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
	"perennial/billing/lifecycle"
	"perennial/db"
)

// ForgetDates makes the subscription wait for its next boundary only, as a build that does not know its other dates
// leaves it.
func (l *Life) ForgetDates() {
	l.T.Helper()
	_, err := l.Pool.Exec(l.T.Context(), `update subscriptions set next_action_at = case when status in ('paused', 'canceled') then null
		else current_period_end end, next_action = case when status in ('paused', 'canceled') then 'none' else 'renewal' end where id = $1`,
		l.Ref.ID)
	require.NoError(l.T, err)
}

// Restore simulates a restored database under another server, seconds after the loss, for the next payment.
func (l *Life) Restore() {
	l.T.Helper()
	_, err := l.Pool.Exec(l.T.Context(), "update database_server set identity = 'another'")
	require.NoError(l.T, err)
	l.Clock.Add(time.Minute)
}

// ChangeCustomer changes who pays.
func (l *Life) ChangeCustomer(change func(*customer.Customer)) {
	l.T.Helper()
	l.InTx(l.T, func(tx *db.Tx) error {
		c, err := tx.Customers.Lock(l.T.Context(), l.Env, l.Payer.ID)
		require.NoError(l.T, err)
		change(&c)
		return tx.Customers.Save(l.T.Context(), l.Env, c)
	})
}

// Change makes a decision about the subscription and writes it.
func (l *Life) Change(
	decide func(lifecycle.State, lifecycle.Moment) (lifecycle.State, lifecycle.Changes, error),
) (after lifecycle.State) {
	l.T.Helper()
	l.InTx(l.T, func(tx *db.Tx) error {
		found, err := tx.Lifecycle.LockSubscription(l.T.Context(), l.Env, l.Ref.ID)
		if err != nil {
			return err
		}
		state, changes, err := decide(found, db.Moment(l.Clock.Now(), l.Clock.Now()))
		if err != nil {
			return err
		}
		after = state
		return tx.Lifecycle.Write(l.T.Context(), l.Env, state, changes)
	})
	return after
}

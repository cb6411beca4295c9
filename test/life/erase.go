package life

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/activities"
	"perennial/contract"
	"perennial/db"
	"perennial/test/scene"
)

// DeleteCustomer erases the customer's row as the API does, and returns the erasure that begins with it.
func DeleteCustomer(t *testing.T, s *scene.Scene, customerID string) contract.Ref {
	t.Helper()
	s.InTx(t, func(tx *db.Tx) error { return tx.Customers.Erase(t.Context(), s.Env, customerID) })
	ref := contract.Ref{EnvironmentID: s.Env}
	require.NoError(t, s.Pool.QueryRow(t.Context(), "select id from erasures where customer_id = $1",
		customerID).Scan(&ref.ID))
	return ref
}

// EraseAll does all batches, as the workflow does, and returns how many there were.
func EraseAll(t *testing.T, s *scene.Scene, ref contract.Ref, batch int) int {
	t.Helper()
	a := &activities.Erasures{Store: s.Worker, Clock: s.Clock.Now, Batch: batch}
	for n := 1; ; n++ {
		require.Less(t, n, 1000)
		out, err := a.EraseBatch(t.Context(), ref)
		require.NoError(t, err)
		if batch > 0 {
			require.LessOrEqual(t, out.Rows, batch)
		}
		if out.Done {
			return n
		}
	}
}

// Count reads a number.
func Count(t testing.TB, s *scene.Scene, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, s.Pool.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

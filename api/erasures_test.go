package api

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/activities"
	"perennial/contract"
)

// eraseAll does what the workflows of all unfinished erasures do.
func (b *bench) eraseAll(t *testing.T) {
	t.Helper()
	a := &activities.Erasures{Store: b.store, Clock: b.clock}
	for {
		refs, err := b.store.UnstartedErasures(t.Context(), 1000, 100)
		require.NoError(t, err)
		if len(refs) == 0 {
			return
		}
		for _, ref := range refs {
			for done := false; !done; {
				out, err := a.EraseBatch(t.Context(), contract.Ref{EnvironmentID: ref.EnvironmentID, ID: ref.ID})
				require.NoError(t, err)
				done = out.Done
			}
		}
	}
}

// From the moment of the deletion a stored response is gone, also before the erasure has come to its row.
func TestIdempotency_ResponseIsGoneBeforeTheErasure(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	form := map[string]any{"customerId": sub.CustomerID, "planId": sub.PlanID, "metadata": map[string]string{"note": "Ada"}}
	require.Equal(t, 201, b.ask(t, b.test, "POST", "/api/subscriptions", form, "Idempotency-Key", "k").Status)
	require.Equal(t, 200, b.ask(t, b.test, "DELETE", "/api/customers/"+sub.CustomerID, nil).Status)
	require.Equal(t, 1, b.count(t, "select count(*) from idempotency_keys where response is not null and customer_id is not null"))
	for range 2 {
		problem(t, 410, "answer_erased", "", b.ask(t, b.test, "POST", "/api/subscriptions", form, "Idempotency-Key", "k"))
		b.eraseAll(t)
	}
	require.Zero(t, b.count(t, "select count(*) from idempotency_keys where response is not null and customer_id is not null"))
}

package api

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/activities"
	"perennial/api/httpkit"
	"perennial/contract"
)

// eraseAll does the work of the workflows of all unfinished erasures.
func (b *bench) eraseAll(t *testing.T) {
	t.Helper()
	a := &activities.Erasures{Store: b.worker, Clock: b.clock}
	for {
		refs, err := b.store.Customers.UnstartedErasures(t.Context(), 1000, 100)
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
	form := map[string]any{
		"customerId": sub.CustomerID, "planId": sub.PlanID, "metadata": map[string]string{"note": "Ada"},
	}
	require.Equal(t, 201, b.ask(t, b.test, "POST", "/api/subscriptions", form, "Idempotency-Key", "k").Status)
	require.Equal(t, 200, b.ask(t, b.test, "DELETE", "/api/customers/"+sub.CustomerID, nil).Status)
	require.Equal(t, 1,
		b.count(t, "select count(*) from idempotency_keys where response is not null and customer_id is not null"))
	for range 2 {
		problem(t, 410, "answer_erased", "", b.ask(t, b.test, "POST", "/api/subscriptions", form, "Idempotency-Key", "k"))
		b.eraseAll(t)
	}
	require.Zero(t,
		b.count(t, "select count(*) from idempotency_keys where response is not null and customer_id is not null"))
}

func TestDeleteTestClock_WithItsCustomers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	clock := as[TestClock](t, 201, b.ask(t, b.test, "POST", "/api/test-clocks", nil))
	cust := b.newCustomer(t, b.test, "testClockId", clock.ID)
	path := "/api/test-clocks/" + clock.ID
	problem(t, 404, "test_clock_not_found", "", b.ask(t, b.other, "DELETE", path, nil))
	b.engine.onAdvance = func(context.Context, contract.Ref) error { return nil } // it takes its time
	moving := as[TestClock](t, 200, b.ask(t, b.test, "POST", path+"/advance", map[string]any{"to": clock.Now + 86400}))
	require.Equal(t, "advancing", moving.Status)

	deleted := b.ask(t, b.test, "DELETE", "/v1/test-clocks/"+clock.ID, nil, "Idempotency-Key", "k")
	require.Equal(t, 200, deleted.Status, "%s", deleted.Body)
	require.JSONEq(t, `{"id":"`+clock.ID+`","deleted":true}`, string(deleted.Body))
	require.Equal(t, "true", b.ask(t, b.test, "DELETE", path, nil, "Idempotency-Key",
		"k").Header.Get("Idempotent-Replayed"))
	for _, gone := range []response{
		b.ask(t, b.test, "GET", path, nil), b.ask(t, b.test, "DELETE", path, nil),
		b.ask(t, b.test, "POST", path+"/stop", nil),
		b.ask(t, b.test, "POST", path+"/advance", map[string]any{"to": clock.Now + 86400}),
	} {
		problem(t, 404, "test_clock_not_found", "", gone)
	}
	problem(t, 404, "test_clock_not_found", "testClockId",
		b.ask(t, b.test, "POST", "/api/customers", map[string]any{"email": "b@example.com", "testClockId": clock.ID}))
	require.Empty(t, as[httpkit.List[TestClock]](t, 200, b.ask(t, b.test, "GET", "/api/test-clocks", nil)).Data)
	problem(t, 404, "customer_not_found", "customerId", b.ask(t, b.test, "POST", "/api/payments",
		map[string]any{"customerId": cust.ID, "amount": 500, "currency": "USD"}))
	b.eraseAll(t)
	problem(t, 404, "customer_not_found", "", b.ask(t, b.test, "GET", "/api/customers/"+cust.ID, nil))
}

package subscriptions

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
	"perennial/test/scene"
)

func TestCreateSubscription_StartsItsWorkflowAfterTheCommit(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	in := NewSubscription{CustomerID: h.Customer(t, "").ID, PlanID: h.Scene.Plan(t, scene.Monthly(1000)).ID}
	sub, err := h.CreateSubscription(t.Context(), h.caller, in, func(tx *db.Tx, s subscription.Subscription) error {
		require.Equal(t, db.ByKey("key_1").Doing(db.Call{Operation: "test"}), tx.By)
		require.Empty(t, h.dispatched.Effects, "nothing is dispatched before the commit")
		require.NotEmpty(t, s.ID)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []db.Effect{db.StartSubscription{EnvironmentID: h.Env, Subscription: sub}}, h.dispatched.Effects)
	require.Equal(t, []db.Actor{db.ByKey("key_1").Doing(db.Call{Operation: "test"})}, h.dispatched.By)
	require.Equal(t, "Africa/Douala", sub.TimeZone)
}

func TestCreateSubscription_LeavesNothingWhereTheCallerFails(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	in := NewSubscription{CustomerID: h.Customer(t, "").ID, PlanID: h.Scene.Plan(t, scene.Monthly(1000)).ID}
	refused := errors.New("no room for the answer")
	_, err := h.CreateSubscription(t.Context(), h.caller, in, func(*db.Tx, subscription.Subscription) error {
		return refused
	})
	require.ErrorIs(t, err, refused)
	require.Empty(t, h.dispatched.Effects)
	require.Zero(t, h.count(t, "select count(*) from subscriptions"))
	require.Zero(t, h.count(t, "select count(*) from events"))
}

func TestCreateSubscription_NamesTheFieldOfWhatIsAbsent(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c, p := h.Customer(t, ""), h.Scene.Plan(t, scene.Monthly(1000))
	for param, in := range map[string]NewSubscription{
		"customerId": {CustomerID: id.New(id.Customer, scene.Start), PlanID: p.ID},
		"planId":     {CustomerID: c.ID, PlanID: "plan_x"},
	} {
		_, err := h.CreateSubscription(t.Context(), h.caller, in, nil)
		require.Equal(t, fault.NotFound, fault.From(err).Kind)
		require.Equal(t, param, fault.From(err).Param)
	}
}

// The database refuses a creation that reads its customer before an erasure and writes after it.
func TestInsertSubscription_RefusedForErasedCustomer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c, p := h.Customer(t, ""), h.Scene.Plan(t, scene.Monthly(1000))
	require.NoError(t, h.Customers.EraseCustomer(t.Context(), h.caller, c.ID, usecase.Around[string]{}))
	err := h.Store.InTx(t.Context(), db.BySystem("test"), h.Clock.Now(), func(tx *db.Tx) error {
		_, err := h.insertSubscription(t.Context(), tx, h.caller, c, p, nil, NewSubscription{})
		return err
	})
	require.ErrorIs(t, err, db.ErrCustomerNotFound)
	require.Equal(t, "customerId", fault.From(err).Param)
	require.Zero(t, h.count(t, "select count(*) from subscriptions"))
}

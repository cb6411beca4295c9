package service

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/test/scene"
)

func TestCreateCustomer_IsCheckedAndAnnounced(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, err := h.CreateCustomer(t.Context(), h.caller, customer.Customer{Name: "Nobody"}, nil)
	require.ErrorContains(t, err, "field_missing")
	c, err := h.CreateCustomer(t.Context(), h.caller, customer.Customer{Email: "ada@example.com"}, nil)
	require.NoError(t, err)
	require.Equal(t, scene.Start, c.CreatedAt)
	require.Equal(t, 1, h.count(t, "select count(*) from events where type = 'customer.created' and object_id = $1", c.ID))
}

func TestCreateCustomer_TestClocksAreForTestEnvironments(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	live := h.caller
	live.Mode = apikey.Live
	_, err := h.CreateCustomer(t.Context(), live, customer.Customer{Email: "ada@example.com", TestClockID: "clk_x"}, nil)
	require.ErrorIs(t, err, ErrTestModeOnly)
	_, err = h.CreateCustomer(t.Context(), h.caller, customer.Customer{Email: "ada@example.com", TestClockID: "clk_x"}, nil)
	require.ErrorIs(t, err, db.ErrTestClockNotFound)
}

func TestUpdateCustomer_NewMethodSignalsTheSubscriptions(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c, p := h.Customer(t, ""), h.Scene.Plan(t, scene.Monthly(1000))
	ref := h.Subscribe(t, c, p)
	name := "Ada"
	_, err := h.UpdateCustomer(t.Context(), h.caller, c.ID, CustomerUpdate{Name: &name}, nil)
	require.NoError(t, err)
	require.Empty(t, h.dispatched.effects, "a name concerns no workflow")

	details := scene.Card
	details.PaymentMethodToken = "pm_2"
	_, err = h.UpdateCustomer(t.Context(), h.caller, c.ID, CustomerUpdate{PaymentDetails: &details}, nil)
	require.NoError(t, err)
	require.Equal(t, []db.Effect{db.SignalSubscription{EnvironmentID: h.Env, ID: ref.ID}}, h.dispatched.effects)
}

func TestEraseCustomer_CancelsFirstAndOnlyOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c, p := h.Customer(t, ""), h.Scene.Plan(t, scene.Monthly(1000))
	ref := h.Subscribe(t, c, p)
	var canceled []string
	cancel := func(_ context.Context, s subscription.Subscription) error {
		canceled = append(canceled, s.ID)
		return nil
	}
	require.NoError(t, h.EraseCustomer(t.Context(), h.caller, c, false, cancel))
	require.Equal(t, []string{ref.ID, ref.ID}, canceled, "before the erasure, and what is left after it")
	require.Zero(t, h.count(t, "select count(*) from customers where email is not null"))

	c, err := h.Store.Customer(t.Context(), h.Env, c.ID)
	require.NoError(t, err)
	require.ErrorIs(t, h.EraseCustomer(t.Context(), h.caller, c, false, cancel), db.ErrCustomerNotFound)
	require.NoError(t, h.EraseCustomer(t.Context(), h.caller, c, true, cancel), "a repeat of the same request")
}

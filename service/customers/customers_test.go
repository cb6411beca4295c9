package customers

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/service/usecase"
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
	require.ErrorIs(t, err, usecase.ErrTestModeOnly)
	_, err = h.CreateCustomer(t.Context(), h.caller, customer.Customer{Email: "ada@example.com", TestClockID: "clk_x"},
		nil)
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
	require.Empty(t, h.dispatched.Effects, "a name concerns no workflow")

	details := scene.Card
	details.PaymentMethodToken = "pm_2"
	_, err = h.UpdateCustomer(t.Context(), h.caller, c.ID, CustomerUpdate{PaymentDetails: &details}, nil)
	require.NoError(t, err)
	require.Equal(t, []db.Effect{db.SignalSubscription{EnvironmentID: h.Env, ID: ref.ID}}, h.dispatched.Effects)
}

// An app that sends all fields every night must not cause a payment every night, nor must one that removes a card.
func TestUpdateCustomer_OnlyAnotherMethodIsTried(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c, p := h.Customer(t, ""), h.Scene.Plan(t, scene.Monthly(1000))
	h.Subscribe(t, c, p)
	method, details, none := c.PaymentMethod, c.PaymentDetails, ""
	updated, err := h.UpdateCustomer(t.Context(), h.caller, c.ID, CustomerUpdate{
		Name: &c.Name, PaymentMethod: &method, PaymentDetails: &details, Metadata: &c.Metadata,
	}, nil)
	require.NoError(t, err)
	require.Equal(t, c.PaymentDetails, updated.PaymentDetails)
	require.Zero(t, h.count(t, "select count(*) from events where type = 'customer.updated'"), "nothing has changed")

	updated, err = h.UpdateCustomer(t.Context(), h.caller, c.ID, CustomerUpdate{PaymentMethod: &none}, nil)
	require.NoError(t, err)
	require.False(t, updated.CanPay())
	require.Equal(t, 1, h.count(t, "select count(*) from events where type = 'customer.updated'"))
	require.Zero(t, h.count(t, "select count(*) from subscriptions where method_changed_at is not null"))
	require.Empty(t, h.dispatched.Effects)
}

func TestEraseCustomer_AtOnceAndOnlyOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.Customer(t, "")
	h.Subscribe(t, c, h.Scene.Plan(t, scene.Monthly(1000)))
	require.NoError(t, h.EraseCustomer(t.Context(), h.caller, c.ID, usecase.Around[string]{}))
	require.Zero(t, h.count(t, "select count(*) from customers where email is not null"))
	require.Equal(t, 1, h.count(t, "select count(*) from events where type = 'customer.deleted'"))
	require.Len(t, h.dispatched.Effects, 1)
	start, ok := h.dispatched.Effects[0].(db.StartErasure)
	require.True(t, ok)
	require.Equal(t, c.ID, start.CustomerID)
	require.Equal(t, 1, h.count(t, "select count(*) from erasures where id = $1 and finished_at is null", start.ID))
	require.ErrorIs(t, h.EraseCustomer(t.Context(), h.caller, c.ID, usecase.Around[string]{}), db.ErrCustomerNotFound)
}

// A repeat waits at its key, before any lock of the customer. The caller's additions are in the same transaction as the
// erasure.
func TestEraseCustomer_OneTransactionWithWhatItsCallerAdds(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.Customer(t, "")
	refused := errors.New("refused")
	for _, around := range []usecase.Around[string]{
		{Before: func(*db.Tx) error { return refused }},
		{After: func(_ *db.Tx, erased string) error {
			require.Equal(t, c.ID, erased)
			return refused
		}},
	} {
		require.ErrorIs(t, h.EraseCustomer(t.Context(), h.caller, c.ID, around), refused)
		require.Equal(t, 1, h.count(t, "select count(*) from customers where email is not null"))
	}
}

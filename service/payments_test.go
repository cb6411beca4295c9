package service

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/test/scene"
)

func TestChargeCustomer_IsStartedWherePending(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	in := NewCharge{CustomerID: h.Customer(t, "").ID, Amount: 700, Currency: "EUR"}
	txn, err := h.ChargeCustomer(t.Context(), h.caller, in, nil)
	require.NoError(t, err)
	require.Equal(t, payment.Pending, txn.Status)
	require.Equal(t, []db.Effect{db.StartPayment{EnvironmentID: h.Env, ID: txn.ID}}, h.dispatched.effects)
}

func TestChargeCustomer_WithoutMethodHasFailedAndStartsNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	c := h.Customer(t, "")
	h.SetMethod(t, c.ID, nil)
	txn, err := h.ChargeCustomer(t.Context(), h.caller, NewCharge{CustomerID: c.ID, Amount: 700, Currency: "EUR"}, nil)
	require.NoError(t, err)
	require.Equal(t, payment.Failed, txn.Status)
	require.Empty(t, h.dispatched.effects)
}

func TestReceiveCallback_TellsTheOwnerAlsoOfRepeats(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	txn, err := h.ChargeCustomer(t.Context(), h.caller, NewCharge{CustomerID: h.Customer(t, "").ID, Amount: 700, Currency: "EUR"}, nil)
	require.NoError(t, err)
	h.dispatched.effects = nil
	message := providers.Callback{EventID: "e1", Type: "charge.updated", TransactionID: txn.ID}
	for range 2 {
		missing, err := h.ReceiveCallback(t.Context(), h.Config, message)
		require.NoError(t, err)
		require.Empty(t, missing)
	}
	check := db.CheckTransaction{EnvironmentID: h.Env, ID: txn.ID}
	require.Equal(t, []db.Effect{check, check}, h.dispatched.effects)
	require.Equal(t, 1, h.count(t, "select count(*) from provider_callbacks"))

	unknown := providers.Callback{EventID: "e2", Type: "charge.updated", TransactionID: id.New(id.Transaction, scene.Start), Ref: "pi_x"}
	missing, err := h.ReceiveCallback(t.Context(), h.Config, unknown)
	require.NoError(t, err)
	require.Equal(t, unknown.TransactionID, missing)
	require.Len(t, h.dispatched.effects, 2, "a message about nothing of ours is stored and told to nobody")
	require.Equal(t, 2, h.count(t, "select count(*) from provider_callbacks"))
}

package life

import (
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/service"
)

// Notify stores a callback about a transaction and has its owner look, as ReceiveCallback does.
func (l *Life) Notify(txn payment.Transaction, event, ref string) {
	l.T.Helper()
	l.InTx(l.T, func(tx *db.Tx) error {
		_, err := tx.Payments.InsertCallback(l.T.Context(), l.Env, db.Callback{
			ID: id.New(id.Callback, l.Clock.Now()), ProviderConfigID: l.Config.ID, ProviderEventID: event, Type: event,
			TransactionID: txn.ID, ProviderRef: ref, ReceivedAt: l.Clock.Now(),
		})
		return err
	})
	l.Clock.Add(time.Second)
	l.CheckAsked(txn.ID)
	require.Zero(l.T, l.OpenCallbacks(), "%s is dealt with", event)
}

// OpenCallbacks counts the unprocessed callbacks.
func (l *Life) OpenCallbacks() int {
	l.T.Helper()
	refs, err := l.Store.Reconcile.OpenCallbacksBefore(l.T.Context(), l.Clock.Now().Add(time.Hour), 10)
	require.NoError(l.T, err)
	return len(refs)
}

// StoreCallback stores a callback about a transaction, as ReceiveCallback does; its signal is lost.
func (l *Life) StoreCallback(txn payment.Transaction, event string, kind payment.MessageKind, ref string) {
	l.T.Helper()
	l.InTx(l.T, func(tx *db.Tx) error {
		_, err := tx.Payments.InsertCallback(l.T.Context(), l.Env, db.Callback{
			ID: id.New(id.Callback, l.Clock.Now()), ProviderConfigID: l.Config.ID, ProviderEventID: event, Type: event,
			Kind: kind, TransactionID: txn.ID, ProviderRef: ref, ReceivedAt: l.Clock.Now(),
		})
		return err
	})
	l.Clock.Add(time.Second)
}

// Receive receives messages as the API does, each followed by the check that it signals.
func (l *Life) Receive(messages ...providers.Callback) {
	l.T.Helper()
	receiver := service.New(l.Store, l.Clock.Now)
	for _, m := range messages {
		require.NoError(l.T, receiver.Payments.ReceiveCallback(l.T.Context(), l.Config, m))
		l.CheckAsked(m.TransactionID)
		l.Clock.Add(time.Second)
	}
}

// StoreMessage receives a message of an account as the API does. Its signal is lost, or reaches an exchange that is
// repeated.
func (l *Life) StoreMessage(config db.ProviderConfig, m providers.Callback) {
	l.T.Helper()
	require.NoError(l.T, service.New(l.Store, l.Clock.Now).Payments.ReceiveCallback(l.T.Context(), config, m))
}

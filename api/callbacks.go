package api

import (
	"context"
	"net/http"

	"github.com/gorilla/mux"

	"perennial/api/httpkit"
	"perennial/billing/fault"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/failpoint"
	"perennial/internal/id"
	"perennial/internal/telemetry"
	"perennial/providers"
)

// ProviderOf makes the adapter of a provider configuration, which can verify its callbacks. Credentials are opened by the
// caller: api never sees a key-encryption key.
type ProviderOf func(ctx context.Context, config db.ProviderConfig) (providers.Provider, error)

// callback receives what a provider says. It is verified over its raw body, stored, and only then acknowledged; whoever
// owns the transaction is told after that, best effort, because the reconciler tells them again.
func (s *Server) callback(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	if err := s.receive(ctx, w, r); err != nil {
		return err
	}
	w.Header().Set("Content-Type", httpkit.JSONType)
	_, _ = w.Write([]byte(`{"received":true}`)) // the provider repeats itself if this does not arrive
	return nil
}

func (s *Server) receive(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	config, err := s.configOf(ctx, mux.Vars(r)["id"])
	if err != nil {
		return err
	}
	telemetry.RequestFrom(ctx).EnvironmentID = config.EnvironmentID
	payload, err := httpkit.ReadRaw(w, r)
	if err != nil {
		return err
	}
	provider, err := s.providerOf(ctx, config)
	if err != nil {
		return err
	}
	now := s.now()
	message, err := provider.ParseCallback(r.Header, payload, now)
	if err != nil {
		return err
	}
	txn, known, err := s.transactionBehind(ctx, config, message)
	if err != nil {
		return err
	}
	stored := db.Callback{
		ID: id.New(id.Callback, now), ProviderConfigID: config.ID, ProviderEventID: message.EventID, Type: message.Type,
		TransactionID: txn.ID, ProviderRef: message.Ref, ReceivedAt: now,
	}
	err = s.store.InTx(ctx, now, func(tx *db.Tx) error {
		_, err := tx.InsertCallback(ctx, config.EnvironmentID, stored) // a repeat is told on too: the first signal may be lost
		return err
	})
	if err == nil && known {
		failpoint.Hit(failpoint.CallbackStored)
		s.check(ctx, config.EnvironmentID, txn)
		failpoint.Hit(failpoint.CallbackSignalled)
	}
	return err
}

func (s *Server) configOf(ctx context.Context, configID string) (db.ProviderConfig, error) {
	if !id.Is(id.ProviderConfig, configID) {
		return db.ProviderConfig{}, httpkit.NotFound(db.ErrProviderConfigNotFound)
	}
	return s.store.ProviderConfigByID(ctx, configID)
}

// transactionBehind finds the transaction by our own reference, or by the provider's. A message about something that we
// do not know (yet) is stored all the same.
func (s *Server) transactionBehind(ctx context.Context, config db.ProviderConfig, message providers.Callback) (payment.Transaction, bool, error) {
	var txn payment.Transaction
	err := httpkit.NotFound(db.ErrTransactionNotFound)
	if id.Is(id.Transaction, message.TransactionID) {
		txn, err = s.store.Transaction(ctx, config.EnvironmentID, message.TransactionID)
	}
	for _, typ := range []payment.Type{payment.Charge, payment.Refund} {
		if err != nil && fault.From(err).Kind == fault.NotFound && message.Ref != "" {
			txn, err = s.store.TransactionByProviderRef(ctx, config.EnvironmentID, config.ID, typ, message.Ref)
		}
	}
	switch {
	case err == nil:
		return txn, true, nil
	case fault.From(err).Kind == fault.NotFound:
		return payment.Transaction{}, false, nil
	default:
		return payment.Transaction{}, false, err
	}
}

// check tells the transaction's owner to look. A refund has a workflow of its own.
func (s *Server) check(ctx context.Context, environmentID string, txn payment.Transaction) {
	owner := contract.Owner{EnvironmentID: environmentID, TransactionID: txn.ID}
	if txn.Type == payment.Charge {
		owner.SubscriptionID = txn.SubscriptionID
	}
	ctx, cancel := s.kit.Afterwards(ctx)
	defer cancel()
	s.bestEffort(ctx, "check", txn.ID, s.engine.Check(ctx, owner, contract.Check{TransactionID: txn.ID}))
}

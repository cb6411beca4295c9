package service

import (
	"context"
	"errors"

	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
)

// ReceiveCallback stores what a provider says. The owner of the transaction is told after the commit, also of a repeat:
// the first signal may have been lost. missing is the id of a transaction that only we can have made and that is not in the
// books: money may have moved for it before the database was restored.
func (s *Service) ReceiveCallback(
	ctx context.Context, config db.ProviderConfig, message providers.Callback,
) (missing string, err error) {
	now := s.now()
	txn, err := s.transactionBehind(ctx, config, message)
	if err != nil {
		return "", err
	}
	if txn.ID == "" && id.Is(id.Transaction, message.TransactionID) {
		missing = message.TransactionID
	}
	stored := db.Callback{
		ID: id.New(id.Callback, now), ProviderConfigID: config.ID, ProviderEventID: message.EventID, Type: message.Type,
		TransactionID: txn.ID, ProviderRef: message.Ref, ReceivedAt: now,
	}
	return missing, s.store.InTx(ctx, db.BySystem("callback"), now, func(tx *db.Tx) error {
		if txn.ID != "" {
			check := db.CheckTransaction{EnvironmentID: config.EnvironmentID, ID: txn.ID}
			if txn.Type == payment.Charge { // a refund has a workflow of its own
				check.SubscriptionID = txn.SubscriptionID
			}
			tx.AfterCommit(check)
		}
		_, err := tx.InsertCallback(ctx, config.EnvironmentID, stored)
		return err
	})
}

// transactionBehind finds the transaction by our own reference, or by the provider's. A message about something that we
// do not know (yet) is stored all the same: then the transaction is empty.
func (s *Service) transactionBehind(
	ctx context.Context, config db.ProviderConfig, message providers.Callback,
) (payment.Transaction, error) {
	if id.Is(id.Transaction, message.TransactionID) {
		txn, err := s.store.Transaction(ctx, config.EnvironmentID, message.TransactionID)
		if !errors.Is(err, db.ErrTransactionNotFound) {
			return txn, err
		}
	}
	if message.Ref == "" {
		return payment.Transaction{}, nil
	}
	for _, typ := range []payment.Type{payment.Charge, payment.Refund} {
		txn, err := s.store.TransactionByProviderRef(ctx, config.EnvironmentID, config.ID, typ, message.Ref)
		if !errors.Is(err, db.ErrTransactionNotFound) {
			return txn, err
		}
	}
	return payment.Transaction{}, nil
}

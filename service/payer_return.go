package service

import (
	"context"

	"perennial/billing/payment"
	"perennial/db"
)

// PayerReturned has the provider asked about a charge whose payer comes back from the provider's page, and returns the
// charge. That the payer is back proves nothing, and nothing else of it is kept. Fault: transaction_not_found.
func (s *Service) PayerReturned(ctx context.Context, token string) (payment.Transaction, error) {
	environmentID, txn, err := s.store.TransactionByConfirmToken(ctx, token)
	if err != nil {
		return txn, err
	}
	now := s.now()
	if _, ask := txn.PayerReturned(now); !ask {
		return txn, nil
	}
	err = s.store.InTx(ctx, db.BySystem("payer"), now, func(tx *db.Tx) error {
		if txn, err = tx.LockTransaction(ctx, environmentID, txn.ID); err != nil {
			return err
		}
		returned, ask := txn.PayerReturned(now)
		if !ask {
			return nil
		}
		txn = returned
		tx.AfterCommit(db.CheckTransaction{EnvironmentID: environmentID, ID: txn.ID, SubscriptionID: txn.SubscriptionID})
		return tx.SaveTransaction(ctx, environmentID, txn)
	})
	return txn, err
}

package payments

import (
	"context"
	"net/url"

	"perennial/billing/payment"
	"perennial/db"
	"perennial/providers/all"
)

// maxBrought bounds the kept part of one return, in bytes. It is more than any provider takes.
const maxBrought = 32 << 10

// PayerReturned asks the provider about a charge whose payer comes back from the provider's page, and returns the
// charge and the message for the payer. The return alone proves nothing. query is from the address that the browser
// came to: only the parameters that the provider needs to complete the charge are kept, until it has answered. Fault:
// transaction_not_found.
func (s *Service) PayerReturned(
	ctx context.Context, token string, query url.Values,
) (payment.Transaction, payment.Confirmation, error) {
	environmentID, txn, err := s.Store.Payments.TransactionByConfirmToken(ctx, token)
	if err != nil {
		return txn, "", err
	}
	now := s.Now()
	brought, completes := broughtBack(txn.Provider, query)
	lacking := completes && brought == ""
	if _, ask := txn.PayerReturned(brought, now); !ask || lacking {
		return txn, txn.ConfirmationOfReturn(completes, now), nil
	}
	err = s.Store.InTx(ctx, db.BySystem("payer"), now, func(tx *db.Tx) error {
		if txn, err = tx.Payments.LockTransaction(ctx, environmentID, txn.ID); err != nil {
			return err
		}
		returned, ask := txn.PayerReturned(brought, now)
		if !ask {
			return nil
		}
		txn = returned
		tx.AfterCommit(db.CheckTransaction{EnvironmentID: environmentID, ID: txn.ID, SubscriptionID: txn.SubscriptionID})
		return tx.Payments.SaveTransaction(ctx, environmentID, txn)
	})
	return txn, txn.ConfirmationOfReturn(completes, now), err
}

// broughtBack returns the parameters that a provider needs of the address that the payer's browser came to, as a query.
// completes: it completes charges only with them, so that nothing happens where they are empty.
func broughtBack(provider string, query url.Values) (brought string, completes bool) {
	factory, err := all.Registry.Factory(provider)
	if err != nil { // not registered any more: nothing can be handed over
		return "", false
	}
	kept := url.Values{}
	for _, name := range factory.ReturnParameters() {
		if value := query.Get(name); value != "" {
			kept.Set(name, value)
		}
	}
	if brought = kept.Encode(); len(brought) > maxBrought {
		brought = ""
	}
	return brought, len(factory.ReturnParameters()) > 0
}

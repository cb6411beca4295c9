package lifecycle

import (
	"context"

	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/recording"
)

// LockOwner locks, in lock order, the State that a decision about a transaction may change. A refund changes
// transactions only, and so does a charge of its own. Faults: subscription_not_found, customer_not_found.
func (tx *Tx) LockOwner(ctx context.Context, environmentID string, t payment.Transaction) (lifecycle.State, error) {
	switch {
	case t.Type == payment.Refund || t.SubscriptionID == "" && t.InvoiceID == "":
		return tx.customers.LockState(ctx, environmentID, t.CustomerID)
	case t.SubscriptionID == "":
		return tx.LockManualInvoice(ctx, environmentID, t.CustomerID, t.InvoiceID)
	}
	return tx.LockSubscription(ctx, environmentID, t.SubscriptionID)
}

// LockResult reads and locks the rows that a decision about a transaction needs besides the State of LockOwner; seen is
// the transaction before. Fault: transaction_not_found.
func (tx *Tx) LockResult(
	ctx context.Context, environmentID string, state lifecycle.State, seen payment.Transaction,
) (r recording.Result, err error) {
	if seen.Type == payment.Refund {
		charge, err := tx.payments.LockTransaction(ctx, environmentID, seen.ChargeID)
		if err != nil {
			return r, err
		}
		r.Charge = &charge
	} else if seen.InvoiceID != "" && !state.IsOpen(seen.InvoiceID) {
		inv, err := tx.invoices.Lock(ctx, environmentID, seen.InvoiceID)
		if err != nil {
			return r, err
		}
		r.Invoice = &inv
	}
	if r.Transaction, err = tx.payments.LockTransaction(ctx, environmentID, seen.ID); err != nil {
		return r, err
	}
	if r.Transaction.Status == payment.Canceled {
		r.Recovered, err = tx.payments.LockRecovered(ctx, environmentID, seen.ID)
	}
	return r, err
}

package invoices

import (
	"context"

	"perennial/billing/invoice"
	"perennial/billing/invoicing"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/service/usecase"
)

// commandOn performs a command about an invoice: on its subscription, or on the invoice alone where it is a manual one.
// seen was read without a lock; its owner never changes. Faults: invoice_is_draft, those of Command.
func commandOn(
	ctx context.Context, tx *db.Tx, environmentID string, seen invoice.Invoice, cmd lifecycle.Command,
) (usecase.Performed, error) {
	if seen.SubscriptionID != "" {
		return usecase.Command(ctx, tx, environmentID, seen.SubscriptionID, cmd)
	}
	state, err := tx.Lifecycle.LockManualInvoice(ctx, environmentID, seen.CustomerID, seen.ID)
	if err != nil {
		return usecase.Performed{}, err
	}
	if state.Draft != nil {
		return usecase.Performed{}, invoicing.ErrDraft
	}
	if cmd, err = usecase.Informed(ctx, tx, environmentID, &state, cmd); err != nil {
		return usecase.Performed{}, err
	}
	found := state
	state, changes, err := lifecycle.Apply(found, cmd, db.Moment(tx.Now, tx.Real))
	if err != nil {
		return usecase.Performed{}, err
	}
	usecase.AuditCommand(tx, found, state, changes)
	if err := tx.Lifecycle.Write(ctx, environmentID, state, changes); err != nil {
		return usecase.Performed{}, err
	}
	return usecase.Shown(state, changes), wakeCharges(ctx, tx, environmentID, changes)
}

// wakeCharges wakes the workflows of charges that a decision changed: a superfluous one is to be canceled.
func wakeCharges(ctx context.Context, tx *db.Tx, environmentID string, c lifecycle.Changes) error {
	for _, t := range c.Transactions {
		if t.Type == payment.Charge && t.Status == payment.Pending {
			if err := tx.Reconcile.WakePayment(ctx, environmentID, t.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

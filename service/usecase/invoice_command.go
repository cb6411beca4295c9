package usecase

import (
	"context"

	"perennial/billing/invoice"
	"perennial/billing/invoicing"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/db"
)

// CommandOn performs a command about an invoice: on its subscription, or on the invoice alone where it is a manual one.
// seen was read without a lock; its owner never changes. Faults: invoice_is_draft, those of Command.
func CommandOn(
	ctx context.Context, tx *db.Tx, environmentID string, seen invoice.Invoice, cmd lifecycle.Command,
) (Performed, error) {
	if seen.SubscriptionID != "" {
		return Command(ctx, tx, environmentID, seen.SubscriptionID, cmd)
	}
	state, err := tx.Lifecycle.LockManualInvoice(ctx, environmentID, seen.CustomerID, seen.ID)
	if err != nil {
		return Performed{}, err
	}
	if state.Draft != nil {
		return Performed{}, invoicing.ErrDraft
	}
	if cmd, err = Informed(ctx, tx, environmentID, &state, cmd); err != nil {
		return Performed{}, err
	}
	found := state
	state, changes, err := lifecycle.Apply(found, cmd, db.Moment(tx.Now, tx.Real))
	if err != nil {
		return Performed{}, err
	}
	AuditCommand(tx, found, state, changes)
	if err := tx.Lifecycle.Write(ctx, environmentID, state, changes); err != nil {
		return Performed{}, err
	}
	return Shown(state, changes), wakeCharges(ctx, tx, environmentID, changes)
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

package payments

import (
	"context"

	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// RetryRefund sends the owed amount of a charge's failed refunds again, and returns the new refund. Its workflow starts
// after the commit. Faults: transaction_not_found, refund_not_owed, refund_disputed.
func (s *Service) RetryRefund(
	ctx context.Context, by usecase.Caller, chargeID string, around usecase.Around[payment.Transaction],
) error {
	return s.refund(ctx, by, chargeID, around, lifecycle.RetryRefund)
}

// ChargeRefund is a person's refund of a charge.
type ChargeRefund struct {
	Amount     money.Minor // minor units; 0: all that can still be refunded
	CreditNote bool        // where the charge paid an invoice, a credit note says what goes back of it
}

// RefundCharge refunds a charge, and returns the new refund, whose workflow starts after the commit. Faults:
// transaction_not_found, not_a_charge, those of lifecycle.RefundCharge and lifecycle.RefundInvoice.
func (s *Service) RefundCharge(
	ctx context.Context, by usecase.Caller, chargeID string, ask ChargeRefund, around usecase.Around[payment.Transaction],
) error {
	seen, err := s.charge(ctx, by, chargeID)
	if err != nil {
		return err
	}
	if ask.CreditNote && seen.InvoiceID != "" {
		return s.refundInvoice(ctx, by, seen, ask, around)
	}
	return s.refund(ctx, by, chargeID, around,
		func(state lifecycle.State, charge payment.Transaction, at lifecycle.Moment) (lifecycle.Changes, error) {
			return lifecycle.RefundCharge(state, charge, ask.Amount, at)
		})
}

// refundInvoice refunds a charge of an invoice, with a credit note. The invoice of a charge never changes, so it is
// read without a lock.
func (s *Service) refundInvoice(
	ctx context.Context, by usecase.Caller, seen payment.Transaction, ask ChargeRefund,
	around usecase.Around[payment.Transaction],
) error {
	inv, err := s.Store.Invoices.Get(ctx, by.EnvironmentID, seen.InvoiceID)
	if err != nil {
		return err
	}
	cmd := lifecycle.RefundInvoice{Charge: seen, Amount: ask.Amount}
	cmd.Note.ID = id.New(id.CreditNote, s.Now())
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (payment.Transaction, error) {
		done, err := usecase.CommandOn(ctx, tx, by.EnvironmentID, inv, cmd)
		if err != nil {
			return payment.Transaction{}, err
		}
		return *done.Refund, nil
	})
}

// refund performs what makes a refund of a charge.
func (s *Service) refund(
	ctx context.Context, by usecase.Caller, chargeID string, around usecase.Around[payment.Transaction],
	decide func(lifecycle.State, payment.Transaction, lifecycle.Moment) (lifecycle.Changes, error),
) error {
	seen, err := s.charge(ctx, by, chargeID)
	if err != nil {
		return err
	}
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (payment.Transaction, error) {
		state, err := tx.Customers.LockState(ctx, by.EnvironmentID, seen.CustomerID)
		if err != nil {
			return payment.Transaction{}, err
		}
		charge, err := tx.Payments.LockTransaction(ctx, by.EnvironmentID, chargeID)
		if err != nil {
			return payment.Transaction{}, err
		}
		changes, err := decide(state, charge, db.Moment(tx.Now, tx.Real))
		if err != nil {
			return payment.Transaction{}, err
		}
		return *changes.Made(changes.Attempt), tx.Lifecycle.Write(ctx, by.EnvironmentID, state, changes)
	})
}

// CreditRefund gives the owed amount of a charge's failed refunds as credit instead, and returns the charge. Faults:
// transaction_not_found, refund_not_owed, refund_disputed, refund_needs_subscription.
func (s *Service) CreditRefund(
	ctx context.Context, by usecase.Caller, chargeID string, around usecase.Around[payment.Transaction],
) error {
	seen, err := s.charge(ctx, by, chargeID)
	if err != nil {
		return err
	}
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (payment.Transaction, error) {
		state, err := tx.Lifecycle.LockOwner(ctx, by.EnvironmentID, seen)
		if err != nil {
			return payment.Transaction{}, err
		}
		charge, err := tx.Payments.LockTransaction(ctx, by.EnvironmentID, chargeID)
		if err != nil {
			return payment.Transaction{}, err
		}
		state, changes, err := lifecycle.CreditRefund(state, charge, db.Moment(tx.Now, tx.Real))
		if err != nil {
			return payment.Transaction{}, err
		}
		if err := tx.Lifecycle.Write(ctx, by.EnvironmentID, state, changes); err != nil {
			return payment.Transaction{}, err
		}
		if state.Subscription.FinishedAt.IsZero() { // its workflow follows further results of the decision
			if err := tx.Wake(ctx, by.EnvironmentID, state, ""); err != nil {
				return payment.Transaction{}, err
			}
		}
		is, err := tx.Payments.Transaction(ctx, by.EnvironmentID, chargeID)
		type shown struct{ RefundOwed, AmountRefunded money.Minor } // as the API names them
		usecase.AuditDiffering(tx, "payment", shown{charge.RefundOwed, charge.AmountRefunded},
			shown{is.RefundOwed, is.AmountRefunded})
		return is, err
	})
}

// charge reads what never changes of a charge. It is read without a lock, to know what to lock: the customer and the
// subscription come before the charge in the order of locks. Faults: transaction_not_found, not_a_charge.
func (s *Service) charge(ctx context.Context, by usecase.Caller, id string) (payment.Transaction, error) {
	t, err := s.Store.Payments.Transaction(ctx, by.EnvironmentID, id)
	if err == nil && t.Type != payment.Charge {
		err = fault.New(fault.Conflict, "not_a_charge",
			"The payment %s is a refund. Send the id of its charge, %s.", id, t.ChargeID)
	}
	return t, err
}

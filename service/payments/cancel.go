package payments

import (
	"context"
	"time"

	"perennial/billing/payment"
	"perennial/billing/recording"
	"perennial/db"
	"perennial/service/usecase"
)

// CancelPayment requests the cancellation of a pending charge. For a subscription's invoice this counts as a failed
// attempt; to end its collection, void the invoice. Faults: transaction_not_found, those of recording.CancelPayment.
func (s *Service) CancelPayment(
	ctx context.Context, by usecase.Caller, paymentID string, around usecase.Around[payment.Transaction],
) error {
	seen, err := s.Store.Payments.Transaction(ctx, by.EnvironmentID, paymentID) // its owner never changes
	if err != nil {
		return err
	}
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (payment.Transaction, error) {
		state, err := tx.Lifecycle.LockOwner(ctx, by.EnvironmentID, seen)
		if err != nil {
			return seen, err
		}
		result, err := tx.Lifecycle.LockResult(ctx, by.EnvironmentID, state, seen)
		if err != nil {
			return seen, err
		}
		was := result.Transaction
		state, changes, err := recording.CancelPayment(state, result, db.Moment(tx.Now, tx.Real))
		if err != nil {
			return seen, err
		}
		if err := tx.Lifecycle.Write(ctx, by.EnvironmentID, state, changes); err != nil {
			return seen, err
		}
		if state.Subscription.ID == "" {
			tx.AfterCommit(db.CheckTransaction{EnvironmentID: by.EnvironmentID, ID: seen.ID})
		} else if err := tx.Wake(ctx, by.EnvironmentID, state, ""); err != nil {
			return seen, err
		}
		is, err := tx.Payments.Transaction(ctx, by.EnvironmentID, seen.ID)
		type shown struct {
			Status            payment.Status
			CancelRequestedAt time.Time
		}
		usecase.AuditDiffering(tx, "payment", shown{was.Status, was.CancelRequestedAt},
			shown{is.Status, is.CancelRequestedAt})
		return is, err
	})
}

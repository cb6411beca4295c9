package payments

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"perennial/billing/audit"
	"perennial/billing/fault"
	"perennial/billing/payment"
	"perennial/billing/recording"
	"perennial/billing/text"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// Resolution is a person's finding about a payment in review.
type Resolution struct {
	PaymentID string
	Decision  payment.Decision
	Note      string // for other people: how it was found out
}

// ResolvePayment ends the review of a payment by a person's decision, with its consequences. The decision and its actor
// are recorded. Faults: transaction_not_found, value_unknown, field_missing, those of recording.Resolve.
func (s *Service) ResolvePayment(
	ctx context.Context, by usecase.Caller, in Resolution, around usecase.Around[payment.Transaction],
) error {
	if !slices.Contains(payment.Decisions(), in.Decision) {
		return fault.InvalidParam("outcome", "value_unknown", "`outcome` must be one of %v.", payment.Decisions())
	}
	if err := checkNote(in.Note); err != nil {
		return err
	}
	if !id.Is(id.Transaction, in.PaymentID) {
		return db.ErrTransactionNotFound
	}
	seen, err := s.Store.Payments.Transaction(ctx, by.EnvironmentID, in.PaymentID) // its owner never changes
	if err != nil {
		return err
	}
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (payment.Transaction, error) {
		return resolve(ctx, tx, by.EnvironmentID, seen, in)
	})
}

func resolve(
	ctx context.Context, tx *db.Tx, environmentID string, seen payment.Transaction, in Resolution,
) (payment.Transaction, error) {
	var none payment.Transaction
	state, err := tx.Lifecycle.LockOwner(ctx, environmentID, seen)
	if err != nil {
		return none, err
	}
	result, err := tx.Lifecycle.LockResult(ctx, environmentID, state, seen)
	if err != nil {
		return none, err
	}
	review := result.Transaction.Review
	state, _, changes, err := recording.Resolve(state, result, in.Decision, db.Moment(tx.Now, tx.Real))
	if err != nil {
		return none, err
	}
	if err := tx.Lifecycle.Write(ctx, environmentID, state, changes); err != nil {
		return none, err
	}
	if state.Subscription.ID == "" {
		if err := tx.Reconcile.WakePayment(ctx, environmentID, seen.ID); err != nil {
			return none, err
		}
	} else if err := tx.Wake(ctx, environmentID, state, ""); err != nil {
		return none, err
	}
	tx.AuditObject(seen.ID)
	tx.AuditAlso(audit.Change{Field: "outcome", After: json.RawMessage(strconv.Quote(string(in.Decision)))})
	err = tx.Payments.InsertDecision(ctx, environmentID, db.Decision{
		TransactionID: seen.ID, Reason: review.Reason, ProviderRef: review.Ref, Outcome: string(in.Decision), Note: in.Note,
	})
	if err != nil {
		return none, err
	}
	return tx.Payments.Transaction(ctx, environmentID, seen.ID)
}

// callbackClosed is the outcome of a decision about a lost callback.
const callbackClosed = "closed"

// CloseCallback ends the alarm about a payment that a provider reports and the database does not have, once a person
// has booked or refunded its money; it closes all callbacks about that payment. Faults: callback_not_found,
// field_missing.
func (s *Service) CloseCallback(ctx context.Context, by usecase.Caller, callbackID, note string) error {
	if err := checkNote(note); err != nil {
		return err
	}
	return s.Store.InTx(ctx, by.Actor, s.Now(), func(tx *db.Tx) error {
		tx.Audit(by.EnvironmentID)
		tx.AuditObject(callbackID)
		lost, err := tx.Payments.LockLostCallback(ctx, by.EnvironmentID, callbackID)
		if err != nil {
			return err
		}
		if err := tx.Payments.CloseLostCallbacks(ctx, by.EnvironmentID, lost.TransactionID); err != nil {
			return err
		}
		return tx.Payments.InsertDecision(ctx, by.EnvironmentID, db.Decision{
			TransactionID: lost.TransactionID, CallbackID: lost.ID, Reason: "payment_lost", ProviderRef: lost.ProviderRef,
			Outcome: callbackClosed, Note: note,
		})
	})
}

func checkNote(note string) error {
	if note == "" {
		return fault.InvalidParam("note", "field_missing", "`note` is required: say how it was found out.")
	}
	return text.Check("note", note)
}

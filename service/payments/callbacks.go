package payments

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"

	"perennial/billing/answer"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
)

// CallbackPath returns the path, below the API's address, of a provider's callbacks about an account. For a provider
// without signatures a secret follows the path, which must not be shown here.
func CallbackPath(provider, configID string) string { return "/callbacks/" + provider + "/" + configID }

// ReceiveCallback stores a provider's message. Where the message may be news, the owner of the transaction is signaled
// after the commit, also for a repeat: the first signal may have been lost. Otherwise it is only stored.
func (s *Service) ReceiveCallback(ctx context.Context, config db.ProviderConfig, message providers.Callback) error {
	now := s.Now()
	message = indexable(message)
	txn, err := s.transactionBehind(ctx, config, message)
	if err != nil {
		return err
	}
	lost := ""
	if txn.ID == "" && id.Is(id.Transaction, message.TransactionID) {
		// Looked for in all environments: two of them may share an account at the provider,
		// and then each receives the other's events.
		if known, err := s.Store.Payments.TransactionIsKnown(ctx, message.TransactionID); err != nil {
			return err
		} else if !known {
			lost = message.TransactionID // the reconciler raises an alarm
		}
	}
	stored := db.Callback{
		ID: id.New(id.Callback, now), ProviderConfigID: config.ID, ProviderEventID: message.EventID, Type: message.Type,
		Kind:          payment.MessageKind(message.Kind),
		TransactionID: txn.ID, ProviderRef: message.Ref, ReceivedAt: now,
		LostTransactionID: lost, Key: message.Key, Evidence: evidenceOf(message), NeedsRef: message.NeedsRef,
	}
	said := payment.Message{Kind: stored.Kind, Ref: message.Ref, AmountRefunded: message.AmountRefunded}
	return s.Store.InTx(ctx, db.BySystem("callback"), now, func(tx *db.Tx) error {
		gone, err := goneBack(ctx, tx, config.EnvironmentID, txn, said)
		if err != nil {
			return err
		}
		if txn.ID != "" && txn.Notice(said, gone, now) == payment.NoticeAwait {
			// The answer to the request may be about to be recorded: with the lock, either that transaction or this one
			// sees the other.
			if txn, err = tx.Payments.LockTransaction(ctx, config.EnvironmentID, txn.ID); err != nil {
				return err
			}
		}
		notice := txn.Notice(said, gone, now)
		stored.Processed = txn.ID != "" && notice == payment.NoticeNone
		if txn.ID != "" && notice == payment.NoticeLook {
			check := db.CheckTransaction{EnvironmentID: config.EnvironmentID, ID: txn.ID}
			if txn.Type == payment.Charge { // a refund has a workflow of its own
				check.SubscriptionID = txn.SubscriptionID
			}
			tx.AfterCommit(check)
		}
		_, err = tx.Payments.InsertCallback(ctx, config.EnvironmentID, stored)
		return err
	})
}

// maxReference is the longest reference that is kept unchanged, far longer than any provider's. PostgreSQL does not
// index texts of some thousand bytes, and would refuse the message with each repeat.
const maxReference = 255

// indexable returns the message with references that can be looked up. A longer one becomes its hash, which finds the
// same.
func indexable(message providers.Callback) providers.Callback {
	for _, ref := range []*string{&message.EventID, &message.Type, &message.Key, &message.Ref} {
		*ref = indexableText(*ref)
	}
	if message.Evidence == nil {
		return message
	}
	e := *message.Evidence
	e.Ref, e.Refunds, e.Disputes = indexableText(e.Ref), slices.Clone(e.Refunds), slices.Clone(e.Disputes)
	for i := range e.Refunds {
		e.Refunds[i].Ref = indexableText(e.Refunds[i].Ref)
	}
	for i := range e.Disputes {
		e.Disputes[i].Ref = indexableText(e.Disputes[i].Ref)
	}
	message.Evidence = &e
	return message
}

func indexableText(s string) string {
	if len(s) <= maxReference {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return "sha256_" + hex.EncodeToString(sum[:])
}

func ignoreNotFound(err error) error {
	if errors.Is(err, db.ErrTransactionNotFound) {
		return nil
	}
	return err
}

// evidenceOf returns the proof in a message; nil: none.
func evidenceOf(message providers.Callback) *answer.Answer {
	e := message.Evidence
	if e == nil || !e.Outcome.Final() && e.Outcome != providers.Pending {
		return nil
	}
	proven := *e
	proven.Ref = cmp.Or(e.Ref, message.Ref)
	return &proven
}

// goneBack returns the amount that the booked refunds of a charge gave back. It is read only if the message has such an
// amount.
func goneBack(
	ctx context.Context, tx *db.Tx, environmentID string, txn payment.Transaction, said payment.Message,
) (money.Minor, error) {
	if txn.ID == "" || said.AmountRefunded == 0 {
		return 0, nil
	}
	refunds, err := tx.Payments.Refunds(ctx, environmentID, txn.ID)
	return payment.GoneBack(refunds, txn.Disputes), err
}

// transactionBehind finds the transaction by our own reference, or by the provider's. A message about something that we
// do not know (yet) is stored all the same: then the transaction is empty.
func (s *Service) transactionBehind(
	ctx context.Context, config db.ProviderConfig, message providers.Callback,
) (payment.Transaction, error) {
	if id.Is(id.Transaction, message.TransactionID) {
		txn, err := s.Store.Payments.Transaction(ctx, config.EnvironmentID, message.TransactionID)
		if !errors.Is(err, db.ErrTransactionNotFound) {
			return txn, err
		}
	}
	if message.Ref == "" && message.Key == "" {
		return payment.Transaction{}, nil
	}
	// An earlier send may have gone to another provider than the transaction's row names.
	txn, err := s.Store.Payments.TransactionOfSend(ctx, config.EnvironmentID, config.ID, message.Key, message.Ref)
	if !errors.Is(err, db.ErrTransactionNotFound) || message.Ref == "" {
		return txn, ignoreNotFound(err)
	}
	for _, typ := range []payment.Type{payment.Charge, payment.Refund} {
		txn, err := s.Store.Payments.TransactionByProviderRef(ctx, config.EnvironmentID, config.ID, typ, message.Ref)
		if !errors.Is(err, db.ErrTransactionNotFound) {
			return txn, err
		}
	}
	txn, err = s.Store.Payments.TransactionSuperseding(ctx, config.EnvironmentID, config.ID, message.Ref)
	return txn, ignoreNotFound(err)
}

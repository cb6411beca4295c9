package payments

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"perennial/billing/answer"
	"perennial/billing/payment"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// InsertSend writes a send, before its first byte leaves. Faults: transaction_not_found, provider_config_not_found.
func (tx *Tx) InsertSend(ctx context.Context, environmentID, transactionID string, s payment.Send) error {
	return core.Queries.SendInsert(ctx, tx.Pipe, dbsqlc.SendInsertParams{
		EnvironmentID: environmentID, TransactionID: transactionID, Number: s.Number,
		ProviderConfigID: s.ProviderConfigID, Provider: s.Provider, Key: s.Key, Reason: s.Reason, SentAt: s.SentAt,
	})
}

// AnswerSend records the provider's answer to a send, at tx.Real. ref is empty where it named none.
func (tx *Tx) AnswerSend(
	ctx context.Context, environmentID, transactionID string, number int, outcome answer.Outcome, ref string,
) error {
	return core.Queries.SendUpdate(ctx, tx.Pipe, dbsqlc.SendUpdateParams{
		EnvironmentID: environmentID, TransactionID: transactionID, Number: number, Outcome: string(outcome),
		ProviderRef: core.Null(ref), AnsweredAt: tx.Real,
	})
}

// Sends lists the sends of a transaction, oldest first.
func (r Reader) Sends(ctx context.Context, environmentID, transactionID string) ([]payment.Send, error) {
	found, err := core.Queries.SendList(ctx, r.Handle, dbsqlc.SendListParams{
		EnvironmentID: environmentID, TransactionID: transactionID,
	})
	return core.Map(found, func(f dbsqlc.SendListRow) payment.Send {
		s := f.PaymentSend
		return payment.Send{
			Number: s.Number, Provider: s.Provider, ProviderConfigID: s.ProviderConfigID, Key: s.Key, Reason: s.Reason,
			SentAt: s.SentAt, ProviderRef: core.Value(s.ProviderRef), Outcome: answer.Outcome(core.Value(s.Outcome)),
		}
	}), core.Translate("SendList", err)
}

// TransactionOfSend finds the transaction of a send that a callback of its provider names by our key, or by the
// provider's reference; empty ones name nothing. Fault: transaction_not_found.
func (r Reader) TransactionOfSend(
	ctx context.Context, environmentID, providerConfigID, key, ref string,
) (payment.Transaction, error) {
	id, err := core.Queries.SendGetTransaction(ctx, r.Handle, dbsqlc.SendGetTransactionParams{
		EnvironmentID: environmentID, ProviderConfigID: providerConfigID, Key: key, ProviderRef: ref,
	})
	if err != nil {
		return payment.Transaction{}, core.ReadError("transaction", err)
	}
	return r.Transaction(ctx, environmentID, id)
}

// CallbackElsewhere reads the oldest open callback of a transaction that another provider configuration sent than the
// given one; nil: there is none.
func (r Reader) CallbackElsewhere(
	ctx context.Context, environmentID, transactionID, providerConfigID string,
) (*Callback, error) {
	c, err := core.Queries.CallbackGetElsewhere(ctx, r.Handle, dbsqlc.CallbackGetElsewhereParams{
		EnvironmentID: environmentID, TransactionID: transactionID, ProviderConfigID: providerConfigID,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // few transactions are sent to a second provider
	}
	return &Callback{
		ID: c.ID, ProviderConfigID: c.ProviderConfigID, ProviderRef: c.ProviderRef, Key: c.Key, TransactionID: transactionID,
	}, core.Translate("CallbackGetElsewhere", err)
}

// CallbackTells reports whether an open callback of a transaction names its operation, or proves its outcome.
func (r Reader) CallbackTells(ctx context.Context, environmentID, transactionID string) (bool, error) {
	tells, err := core.Queries.CallbackTells(ctx, r.Handle, dbsqlc.CallbackTellsParams{
		EnvironmentID: environmentID, TransactionID: transactionID,
	})
	return tells, core.Translate("CallbackTells", err)
}

// MarkCallbacksElsewhere marks the callbacks of a transaction that a provider configuration sent, whatever operation
// they are about.
func (tx *Tx) MarkCallbacksElsewhere(
	ctx context.Context, environmentID, transactionID, providerConfigID string, looked LookedAt,
) error {
	return core.Queries.CallbackMarkElsewhere(ctx, tx.Pipe, dbsqlc.CallbackMarkElsewhereParams{
		EnvironmentID: environmentID, TransactionID: transactionID, ProviderConfigID: providerConfigID,
		ReceivedBefore: looked.At, Asked: looked.Asked, ProcessedAt: &tx.Real,
	})
}

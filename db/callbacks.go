package db

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/db/internal/dbsqlc"
)

// Callback is a verified message from a provider: stored first, then signalled to whoever serves the transaction.
type Callback struct {
	ID               string
	ProviderConfigID string
	ProviderEventID  string // the provider's own: a repeat of the message has the same
	Type             string
	TransactionID    string // empty: not known by it (yet)
	ProviderRef      string // empty: the message carries none
	ReceivedAt       time.Time
}

// InsertCallback stores one, unless the provider sent it before: false. Fault: transaction_not_found.
func (tx *Tx) InsertCallback(ctx context.Context, environmentID string, c Callback) (bool, error) {
	_, err := queries.CallbackInsert(ctx, tx.pipe, dbsqlc.CallbackInsertParams{
		ID: c.ID, EnvironmentID: environmentID, ProviderConfigID: c.ProviderConfigID, ProviderEventID: c.ProviderEventID, Type: c.Type,
		TransactionID: null(c.TransactionID), ProviderRef: c.ProviderRef, ReceivedAt: c.ReceivedAt,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, translate("CallbackInsert", err)
}

// CallbackRef is the provider's name for the transaction's operation in word of it that nobody has followed yet; empty:
// there is none.
func (r Reader) CallbackRef(ctx context.Context, environmentID, transactionID string) (string, error) {
	ref, err := queries.CallbackGetRef(ctx, r.handle, dbsqlc.CallbackGetRefParams{EnvironmentID: environmentID, TransactionID: transactionID})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return ref, translate("CallbackGetRef", err)
}

// MarkCallbacksProcessed says that the provider was asked about a transaction, so that what callbacks received up to then
// told is known.
func (tx *Tx) MarkCallbacksProcessed(ctx context.Context, environmentID, transactionID string, before time.Time) error {
	return queries.CallbackMarkProcessed(ctx, tx.pipe, dbsqlc.CallbackMarkProcessedParams{
		EnvironmentID: environmentID, TransactionID: transactionID, ReceivedBefore: before, ProcessedAt: &tx.Real,
	})
}

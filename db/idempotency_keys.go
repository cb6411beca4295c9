package db

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// IdempotencyKey is the memory of one request.
type IdempotencyKey struct {
	Route       string // method and path, with the IDs in it
	Key         string
	Fingerprint []byte // SHA-256 of the body
	StatusCode  int    // 0: reserved by this transaction, not answered yet
	Response    []byte
	CustomerID  string    // whose personal data Response holds; empty: it holds none
	ErasedAt    time.Time // zero: Response is the answer
	CreatedAt   time.Time
}

// IdempotencyKey reads one; false: this is the first such request.
func (r Reader) IdempotencyKey(ctx context.Context, environmentID, route, key string) (IdempotencyKey, bool, error) {
	row, err := core.Queries.IdempotencyKeyGet(ctx, r.Handle,
		dbsqlc.IdempotencyKeyGetParams{EnvironmentID: environmentID, Route: route, Key: key})
	if errors.Is(err, pgx.ErrNoRows) {
		return IdempotencyKey{}, false, nil
	}
	k := idempotencyKeyFromDB(row.IdempotencyKey)
	if row.OwnerErasedAt != nil && k.ErasedAt.IsZero() {
		k.Response, k.ErasedAt = nil, *row.OwnerErasedAt
	}
	return k, err == nil, core.Translate("IdempotencyKeyGet", err)
}

// InsertAnsweredIdempotency remembers a request together with its answer, in the transaction that has the whole effect.
// A concurrent duplicate waits for that transaction. Fault: idempotency_key_taken, when the other one came first: read
// its answer.
func (tx *Tx) InsertAnsweredIdempotency(ctx context.Context, environmentID string, k IdempotencyKey) error {
	return core.Queries.IdempotencyKeyInsertAnswered(ctx, tx.Pipe, dbsqlc.IdempotencyKeyInsertAnsweredParams{
		EnvironmentID: environmentID, Route: k.Route, Key: k.Key, Fingerprint: k.Fingerprint,
		StatusCode: core.Null(k.StatusCode), Response: k.Response, CustomerID: core.Null(k.CustomerID), CreatedAt: tx.Real,
	})
}

// ReserveIdempotency takes a key before the effect, in the transaction that performs it and then answers it. A
// concurrent repeat waits here for the end of that transaction. A transaction that does not answer it is not committed:
// a trigger refuses. Fault: idempotency_key_taken, when the other one came first: read its answer.
func (tx *Tx) ReserveIdempotency(ctx context.Context, environmentID string, k IdempotencyKey) error {
	return core.Queries.IdempotencyKeyReserve(ctx, tx.Pipe, dbsqlc.IdempotencyKeyReserveParams{
		EnvironmentID: environmentID, Route: k.Route, Key: k.Key, Fingerprint: k.Fingerprint, CreatedAt: tx.Real,
	})
}

// AnswerIdempotency stores the answer of a reserved key. Of k only StatusCode, Response and CustomerID are read.
func (tx *Tx) AnswerIdempotency(ctx context.Context, environmentID string, k IdempotencyKey) error {
	return core.Queries.IdempotencyKeyAnswer(ctx, tx.Pipe, dbsqlc.IdempotencyKeyAnswerParams{
		EnvironmentID: environmentID, Route: k.Route, Key: k.Key, StatusCode: core.Null(k.StatusCode), Response: k.Response,
		CustomerID: core.Null(k.CustomerID),
	})
}

// PurgeIdempotencyKeys deletes at most limit that are older than before, and says how many. Global: retention.
func (tx *Tx) PurgeIdempotencyKeys(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := core.Queries.IdempotencyKeyPurge(ctx, tx.Pipe,
		dbsqlc.IdempotencyKeyPurgeParams{Before: before, RowLimit: core.RowLimit(limit)})
	return n, core.Translate("IdempotencyKeyPurge", err)
}

func idempotencyKeyFromDB(row dbsqlc.IdempotencyKey) IdempotencyKey {
	return IdempotencyKey{
		Route: row.Route, Key: row.Key, Fingerprint: row.Fingerprint,
		StatusCode: core.Value(row.StatusCode), Response: row.Response, CustomerID: core.Value(row.CustomerID),
		ErasedAt: core.Value(row.ErasedAt), CreatedAt: row.CreatedAt,
	}
}

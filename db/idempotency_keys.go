package db

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/db/internal/dbsqlc"
)

// The states of an idempotency key.
const (
	IdempotencyInFlight  = "in_flight" // somebody works on it, until LeaseUntil
	IdempotencyPerformed = "performed" // the effect is there, the answer is not rendered yet
	IdempotencyAnswered  = "answered"  // replay the answer
)

// IdempotencyKey is the memory of one request.
type IdempotencyKey struct {
	Route       string // method and path, with the IDs in it
	Key         string
	Fingerprint []byte // SHA-256 of the body
	CommandID   string // under which a repeat runs the command again
	State       string
	LeaseUntil  time.Time
	StatusCode  int
	Response    []byte
	CustomerID  string // whose personal data Response holds; empty: nobody's
	ErasedAt    time.Time
	CreatedAt   time.Time
}

// IdempotencyKey reads one; false: this is the first such request.
func (r Reader) IdempotencyKey(ctx context.Context, environmentID, route, key string) (IdempotencyKey, bool, error) {
	row, err := queries.IdempotencyKeyGet(ctx, r.handle, dbsqlc.IdempotencyKeyGetParams{EnvironmentID: environmentID, Route: route, Key: key})
	if errors.Is(err, pgx.ErrNoRows) {
		return IdempotencyKey{}, false, nil
	}
	return idempotencyKeyFromDB(row.IdempotencyKey), err == nil, translate("IdempotencyKeyGet", err)
}

// InsertAnsweredIdempotency remembers a request together with its answer, in the transaction that has the whole effect. A
// concurrent duplicate waits for that transaction. Fault: idempotency_key_taken, when the other one came first: read
// its answer.
func (tx *Tx) InsertAnsweredIdempotency(ctx context.Context, environmentID string, k IdempotencyKey) error {
	return queries.IdempotencyKeyInsertAnswered(ctx, tx.pipe, dbsqlc.IdempotencyKeyInsertAnsweredParams{
		EnvironmentID: environmentID, Route: k.Route, Key: k.Key, Fingerprint: k.Fingerprint, CommandID: k.CommandID,
		StatusCode: null(k.StatusCode), Response: k.Response, CustomerID: null(k.CustomerID), CreatedAt: tx.Real,
	})
}

// ClaimIdempotency takes a key for a command until leaseUntil. True: it is ours, new or with its lease run out; then the
// command runs under the CommandID of the row that comes back, which may be an earlier one's. False: the row that comes
// back is somebody's, or answered, or has another fingerprint.
func (tx *Tx) ClaimIdempotency(ctx context.Context, environmentID string, k IdempotencyKey, leaseUntil time.Time) (IdempotencyKey, bool, error) {
	row, err := queries.IdempotencyKeyClaim(ctx, tx.pipe, dbsqlc.IdempotencyKeyClaimParams{
		EnvironmentID: environmentID, Route: k.Route, Key: k.Key, Fingerprint: k.Fingerprint, CommandID: k.CommandID,
		LeaseUntil: &leaseUntil, CreatedAt: tx.Real,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		taken, _, err := tx.IdempotencyKey(ctx, environmentID, k.Route, k.Key)
		return taken, false, err
	}
	return idempotencyKeyFromDB(row), err == nil, translate("IdempotencyKeyClaim", err)
}

// PerformIdempotency says, in the transaction that has the effect, that there is one.
func (tx *Tx) PerformIdempotency(ctx context.Context, environmentID, route, key string) error {
	return queries.IdempotencyKeyPerform(ctx, tx.pipe, dbsqlc.IdempotencyKeyPerformParams{EnvironmentID: environmentID, Route: route, Key: key})
}

// AnswerIdempotency stores the answer, of which only StatusCode, Response and CustomerID are read; the first one counts.
// Of an erased customer it keeps no Response.
func (tx *Tx) AnswerIdempotency(ctx context.Context, environmentID string, k IdempotencyKey) error {
	return queries.IdempotencyKeyAnswer(ctx, tx.pipe, dbsqlc.IdempotencyKeyAnswerParams{
		EnvironmentID: environmentID, Route: k.Route, Key: k.Key, StatusCode: null(k.StatusCode), Response: k.Response,
		CustomerID: null(k.CustomerID),
	})
}

// ReleaseIdempotency ends the lease of a claimed key after a request that nobody answered: a repeat with the same body takes
// it over at once, under the same command id, since the command may still be carried out.
func (tx *Tx) ReleaseIdempotency(ctx context.Context, environmentID string, k IdempotencyKey) error {
	return queries.IdempotencyKeyRelease(ctx, tx.pipe, dbsqlc.IdempotencyKeyReleaseParams{
		EnvironmentID: environmentID, Route: k.Route, Key: k.Key, CommandID: k.CommandID,
	})
}

// PurgeIdempotencyKeys deletes at most limit that are older than before, and says how many. Global: retention.
func (tx *Tx) PurgeIdempotencyKeys(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := queries.IdempotencyKeyPurge(ctx, tx.pipe, dbsqlc.IdempotencyKeyPurgeParams{Before: before, RowLimit: rows(limit)})
	return n, translate("IdempotencyKeyPurge", err)
}

func idempotencyKeyFromDB(row dbsqlc.IdempotencyKey) IdempotencyKey {
	return IdempotencyKey{
		Route: row.Route, Key: row.Key, Fingerprint: row.Fingerprint, CommandID: row.CommandID, State: row.State,
		LeaseUntil: value(row.LeaseUntil), StatusCode: value(row.StatusCode), Response: row.Response, CustomerID: value(row.CustomerID),
		ErasedAt: value(row.ErasedAt), CreatedAt: row.CreatedAt,
	}
}

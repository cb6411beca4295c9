package tenancy

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/billing/audit"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// AuditBehind lists environments with entries that are not sealed, in the order of their ids, behind one. Global: every
// process that seals.
func (r Reader) AuditBehind(ctx context.Context, after string, limit int) ([]string, error) {
	ids, err := core.Queries.AuditBehind(ctx, r.Handle,
		dbsqlc.AuditBehindParams{AfterID: after, RowLimit: core.RowLimit(limit)})
	return ids, core.Translate("AuditBehind", err)
}

// SealAudit seals the next entries of an environment, at most limit, and says how many there were: none where another
// process does it. Entries are taken in the order of their positions up to the horizon, behind which none appears any
// more, so that the chain has no holes to be filled later.
func (tx *Tx) SealAudit(ctx context.Context, environmentID string, limit int) (int, error) {
	taken, err := core.Queries.AuditSealTurn(ctx, tx.Pipe, environmentID)
	if err != nil || !taken {
		return 0, core.Translate("AuditSealTurn", err)
	}
	last, err := tx.LastSeal(ctx, environmentID)
	if err != nil {
		return 0, err
	}
	horizon, err := core.Queries.AuditHorizon(ctx, tx.Pipe, environmentID)
	if err != nil {
		return 0, core.Translate("AuditHorizon", err)
	}
	entries, err := tx.auditBetween(ctx, environmentID, last.Position, horizon, limit)
	if err != nil || len(entries) == 0 {
		return 0, err
	}
	sealed := dbsqlc.AuditSealInsertParams{EnvironmentID: environmentID, SealedAt: tx.Real}
	for _, e := range entries {
		last = last.Next(e)
		sealed.Numbers = append(sealed.Numbers, last.Number)
		sealed.EntryIds = append(sealed.EntryIds, last.EntryID)
		sealed.Positions = append(sealed.Positions, last.Position)
		sealed.Hashes = append(sealed.Hashes, last.Hash)
	}
	return len(entries), core.Queries.AuditSealInsert(ctx, tx.Pipe, sealed)
}

// LastSeal reads the newest seal of an environment; zero: there is none.
func (r Reader) LastSeal(ctx context.Context, environmentID string) (audit.Seal, error) {
	row, err := core.Queries.AuditSealLast(ctx, r.Handle, environmentID)
	if errors.Is(err, pgx.ErrNoRows) {
		return audit.Seal{}, nil
	}
	return sealFromDB(row.AuditSeal), core.Translate("AuditSealLast", err)
}

func (r Reader) auditBetween(
	ctx context.Context, environmentID string, above, upTo int64, limit int,
) ([]audit.Entry, error) {
	found, err := core.Queries.AuditEntryBetween(ctx, r.Handle, dbsqlc.AuditEntryBetweenParams{
		EnvironmentID: environmentID, Above: above, UpTo: upTo, RowLimit: core.RowLimit(limit),
	})
	entries := make([]audit.Entry, len(found))
	for i, row := range found {
		entries[i] = auditFromDB(row.AuditLog)
	}
	return entries, core.Translate("AuditEntryBetween", err)
}

// followedAtOnce is the number of seals that a verification reads at a time.
const followedAtOnce = 500

// FollowAudit checks the next links of an environment's chain behind one that holds, and returns those that hold; none
// are left when it returns none. The zero Seal is before the first. Unsealed entries are not checked. Error:
// *audit.Break, behind the seals that it returns.
func (r Reader) FollowAudit(ctx context.Context, environmentID string, last audit.Seal) (held []audit.Seal, err error) {
	found, err := core.Queries.AuditSealList(ctx, r.Handle, dbsqlc.AuditSealListParams{
		EnvironmentID: environmentID, AfterNumber: last.Number, RowLimit: followedAtOnce,
	})
	if err != nil || len(found) == 0 {
		return nil, core.Translate("AuditSealList", err)
	}
	// One more than there are seals: an entry too many shows within the page that it is in.
	end := found[len(found)-1].AuditSeal.Position
	entries, err := r.auditBetween(ctx, environmentID, last.Position, end, len(found)+1)
	if err != nil {
		return nil, err
	}
	for _, row := range found {
		if last, entries, err = follow(last, sealFromDB(row.AuditSeal), entries); err != nil {
			return held, err
		}
		held = append(held, last)
	}
	return held, nil
}

// follow checks one seal against the next of the entries, which are in the order of their positions.
func follow(last, stored audit.Seal, entries []audit.Entry) (audit.Seal, []audit.Entry, error) {
	var found *audit.Entry
	if len(entries) > 0 && entries[0].Position <= stored.Position {
		found, entries = &entries[0], entries[1:]
		if found.Position < stored.Position || found.ID != stored.EntryID {
			return stored, nil, &audit.Break{Number: stored.Number, EntryID: found.ID, Reason: "the entry is not in the chain"}
		}
	}
	stored, err := last.Follow(stored, found)
	return stored, entries, err
}

// Unsealed has the entries that wait for their seal.
type Unsealed struct {
	Entries int
	Oldest  time.Time // zero: there are none
}

// Unsealed counts the entries of an environment behind a seal.
func (r Reader) Unsealed(ctx context.Context, environmentID string, behind audit.Seal) (Unsealed, error) {
	row, err := core.Queries.AuditUnsealedSum(ctx, r.Handle,
		dbsqlc.AuditUnsealedSumParams{EnvironmentID: environmentID, Above: behind.Position})
	if err != nil || row.Entries == 0 {
		return Unsealed{}, core.Translate("AuditUnsealedSum", err)
	}
	return Unsealed{Entries: row.Entries, Oldest: row.Oldest}, nil
}

func sealFromDB(row dbsqlc.AuditSeal) audit.Seal {
	return audit.Seal{Number: row.Number, EntryID: row.EntryID, Position: row.Position, Hash: row.Hash}
}

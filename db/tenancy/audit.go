package tenancy

import (
	"context"
	"time"

	"perennial/billing/audit"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// ErrAuditEntryNotFound refuses an entry that an environment does not have.
var ErrAuditEntryNotFound = core.NotFound("audit_entry")

// AuditFilter narrows the audit log; empty: any.
type AuditFilter struct {
	ActorID   string
	Operation string
	ObjectID  string
	// From the first instant on, before the second, in real time.
	From, To time.Time
}

// AuditEntryWithKey reads key and entry in one round trip. Faults: api_key_unknown; audit_entry_not_found, with the
// key.
func (r Reader) AuditEntryWithKey(ctx context.Context, hash []byte, entryID string) (core.APIKey, audit.Entry, error) {
	row, err := core.Queries.AuditEntryGetWithKey(ctx, r.Handle,
		dbsqlc.AuditEntryGetWithKeyParams{Hash: hash, ID: entryID})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "audit_entry", err)
		return key, audit.Entry{}, err
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), auditFromDB(row.AuditLog), nil
}

// AuditLog lists an environment's entries, sealed or not yet.
func (r Reader) AuditLog(
	ctx context.Context, environmentID string, f AuditFilter, page core.Page,
) (entries []audit.Entry, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	if span, err = r.auditedWithin(ctx, environmentID, f, span); err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.AuditEntryList(ctx, r.Lists(), dbsqlc.AuditEntryListParams{
		EnvironmentID: environmentID, ActorID: core.Null(f.ActorID), Operation: core.Null(f.Operation),
		ObjectID:    core.Null(f.ObjectID),
		CreatedFrom: core.NullTime(f.From), CreatedTo: core.NullTime(f.To),
		Below: span.Below, Above: span.Above, Forward: page.Forward(), RowLimit: page.RowLimit(),
	})
	if err != nil {
		return nil, false, core.Translate("AuditEntryList", err)
	}
	entries, hasMore = core.Cut(page, rows,
		func(row dbsqlc.AuditEntryListRow) audit.Entry { return auditFromDB(row.AuditLog) })
	return entries, hasMore, nil
}

// auditedWithin narrows a span of positions to the entries written in the filter's time.
func (r Reader) auditedWithin(ctx context.Context, environmentID string, f AuditFilter,
	span core.Bounds) (core.Bounds, error) {
	if f.From.IsZero() && f.To.IsZero() {
		return span, nil
	}
	first, end := core.IDsAround(id.AuditEntry, f.From, f.To)
	around, err := core.Queries.AuditPositionsAround(ctx, r.Lists(),
		dbsqlc.AuditPositionsAroundParams{EnvironmentID: environmentID, FirstID: first, EndID: end})
	if err != nil {
		return core.Bounds{}, core.Translate("AuditPositionsAround", err)
	}
	return core.Bounds{Above: max(span.Above, around.Above), Below: min(span.Below, around.Below)}, nil
}

// EraseAuditAddresses takes the addresses off entries that are older than before, at most limit, and says how many
// there were. The chain stays whole. Global: retention.
func (tx *Tx) EraseAuditAddresses(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := core.Queries.AuditAddressErase(ctx, tx.Pipe,
		dbsqlc.AuditAddressEraseParams{Before: before, RowLimit: core.RowLimit(limit)})
	return n, core.Translate("AuditAddressErase", err)
}

func auditFromDB(row dbsqlc.AuditLog) audit.Entry {
	return audit.Entry{
		ID: row.ID, EnvironmentID: row.EnvironmentID, Position: row.Position, CreatedAt: row.CreatedAt,
		ActorKind: row.ActorKind, ActorID: row.ActorID, ActorScopes: row.ActorScopes,
		Operation: row.Operation, ObjectType: row.ObjectType, ObjectID: row.ObjectID, RequestID: row.RequestID,
		Status: core.Value(row.StatusCode), Changes: row.Changes,
		Address: core.Value(row.Address), AddressSalt: row.AddressSalt, AddressDigest: row.AddressDigest,
	}
}

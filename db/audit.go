package db

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"

	"perennial/billing/audit"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// Call is what a key, an operator or a terminal does, as the audit log tells it.
type Call struct {
	EnvironmentID string     // empty: the use case says it with Tx.Audit
	Operation     string     // operationId of the API, or the command line without its arguments
	Scopes        []string   // of the key
	RequestID     string     // of the API
	Address       netip.Addr // of the client as the service trusts it; invalid: none
	ObjectID      string     // that the path names; empty: none, or the use case says it with Tx.AuditObject
	Status        int        // of the HTTP response where the call succeeds; 0: none
	Claim         audit.Claim
	Body          []byte // of the request: the names of its fields are those that a call without Tx.AuditChanges changed
}

// auditing is what a transaction tells the audit log.
type auditing struct {
	environments []string // of the entries, one each
	objectID     string
	made         string // an object that the call created
	changes      []audit.Change
	compared     bool   // changes are what was found different, not what was asked for
	silent       string // why there is no entry; empty: there is one
}

var errUnaudited = errors.New("db: a key, an operator or a terminal wrote without an entry of the audit log: " +
	"give the actor a call (db.Actor.Doing) with operation and environment")

// Audit says which environments a transaction concerns: each has an entry about it. A use case whose caller names its
// environment need not.
func (tx *Tx) Audit(environmentIDs ...string) {
	for _, environmentID := range environmentIDs {
		if !slices.Contains(tx.audit.environments, environmentID) {
			tx.audit.environments = append(tx.audit.environments, environmentID)
		}
	}
}

// AuditObject says which object the entry is about, where the call's path does not: one that the transaction made.
func (tx *Tx) AuditObject(objectID string) { tx.audit.objectID = objectID }

// AuditMade names an object that the call created: the entry is about it where the call's path names none, and says that it
// was created where it does.
func (tx *Tx) AuditMade(objectID string) { tx.audit.made = objectID }

// AuditChanges says which fields were found different. Without it the entry names the fields of the request.
func (tx *Tx) AuditChanges(changes ...audit.Change) {
	tx.AuditAlso(changes...)
	tx.audit.compared = true
}

// AuditAlso says what is to be told beside the fields of the request: what a command has changed, or what was asked for at a
// terminal, which sends none.
func (tx *Tx) AuditAlso(changes ...audit.Change) {
	tx.audit.changes = append(tx.audit.changes, changes...)
}

// AuditNothing leaves the transaction without an entry. The reason is for readers of the code: there are few, and
// TestAudit_EveryOperation lists them.
func (tx *Tx) AuditNothing(reason string) { tx.audit.silent = reason }

// writeAudit queues the entry of the transaction.
func (tx *Tx) writeAudit(ctx context.Context) error {
	if !tx.By.audited() || tx.audit.silent != "" {
		tx.audit.environments = nil
		return nil
	}
	call := tx.By.call
	if call == nil || call.Operation == "" {
		return errUnaudited
	}
	if call.EnvironmentID != "" {
		tx.Audit(call.EnvironmentID)
	}
	if len(tx.audit.environments) == 0 {
		return errUnaudited
	}
	for _, environmentID := range tx.audit.environments {
		if err := tx.insertAudit(ctx, environmentID, *call); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) insertAudit(ctx context.Context, environmentID string, call Call) error {
	objectID := cmp.Or(tx.audit.objectID, call.ObjectID, tx.audit.made, environmentID)
	object := auditObject(objectID)
	changes := make([]audit.Change, 0, len(tx.audit.changes))
	if !tx.audit.compared {
		told := func(given audit.Change) bool {
			return slices.ContainsFunc(tx.audit.changes, func(c audit.Change) bool {
				return c.Field == given.Field && (c.ObjectID == "" || c.ObjectID == objectID)
			})
		}
		changes = append(changes, slices.DeleteFunc(audit.Given(object, call.Body), told)...)
	}
	for _, c := range tx.audit.changes {
		if c.ObjectID == objectID {
			c.ObjectID = ""
		}
		changes = append(changes, c)
	}
	if tx.audit.made != "" && tx.audit.made != objectID {
		changes = append(changes, audit.Change{ObjectID: tx.audit.made, Field: "created"})
	}
	encoded, err := audit.Encode(changes, call.Claim)
	if err != nil {
		return err
	}
	row := dbsqlc.AuditEntryInsertParams{
		EnvironmentID: environmentID, ID: id.New(id.AuditEntry, tx.Real), CreatedAt: tx.Real,
		ActorKind: string(tx.By.kind), ActorID: tx.By.id, ActorScopes: call.Scopes,
		Operation: call.Operation, ObjectType: object, ObjectID: objectID, RequestID: call.RequestID,
		StatusCode: null(call.Status), Changes: encoded,
	}
	if row.ActorScopes == nil {
		row.ActorScopes = []string{}
	}
	if call.Address.IsValid() {
		address := call.Address.WithZone("") // inet has none
		row.Address, row.AddressSalt = &address, make([]byte, 16)
		_, _ = rand.Read(row.AddressSalt) // crypto/rand never fails: it ends the process instead
		row.AddressDigest = audit.DigestOfAddress(row.AddressSalt, address)
	}
	return queries.AuditEntryInsert(ctx, tx.pipe, row)
}

// auditObjects are the types of objects by the prefixes of their ids.
var auditObjects = map[string]string{
	id.Customer: "customer", id.Subscription: "subscription", id.Transaction: "payment", id.Plan: "plan",
	id.Invoice: "invoice", id.APIKey: "api_key", id.ProviderConfig: "payment_provider", id.TestClock: "test_clock",
	id.Endpoint: "webhook_endpoint", id.Delivery: "webhook_delivery", id.Credit: "balance_entry", id.TaxRate: "tax_rate",
	id.CreditNote: "credit_note", id.CreditGrant: "credit_grant", id.Coupon: "coupon", id.Product: "product",
	id.Metric: "metric", id.Environment: "environment", id.Dispute: "dispute", id.Callback: "callback",
}

// auditObject is the type of an object by its id.
func auditObject(objectID string) string {
	prefix, _, _ := strings.Cut(objectID, "_")
	if object := auditObjects[prefix+"_"]; object != "" {
		return object
	}
	return "environment"
}

// ErrAuditEntryNotFound says that an environment has no such entry.
var ErrAuditEntryNotFound = notFound("audit_entry")

// AuditFilter narrows the audit log; empty: any.
type AuditFilter struct {
	ActorID   string
	Operation string
	ObjectID  string
	// From the first instant on, before the second, in real time.
	From, To time.Time
}

// AuditEntryWithKey reads key and entry in one round trip. Faults: api_key_unknown; audit_entry_not_found, with the key.
func (r Reader) AuditEntryWithKey(ctx context.Context, hash []byte, entryID string) (APIKey, audit.Entry, error) {
	row, err := queries.AuditEntryGetWithKey(ctx, r.handle, dbsqlc.AuditEntryGetWithKeyParams{Hash: hash, ID: entryID})
	if err != nil {
		key, err := r.withoutResource(ctx, hash, "audit_entry", err)
		return key, audit.Entry{}, err
	}
	return apiKeyFromDB(row.ApiKeyDetail), auditFromDB(row.AuditLog), nil
}

// AuditLog lists an environment's entries, sealed or not yet.
func (r Reader) AuditLog(
	ctx context.Context, environmentID string, f AuditFilter, page Page,
) (entries []audit.Entry, hasMore bool, err error) {
	span, err := r.bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	if span, err = r.auditedWithin(ctx, environmentID, f, span); err != nil {
		return nil, false, err
	}
	rows, err := queries.AuditEntryList(ctx, r.lists(), dbsqlc.AuditEntryListParams{
		EnvironmentID: environmentID, ActorID: null(f.ActorID), Operation: null(f.Operation), ObjectID: null(f.ObjectID),
		CreatedFrom: nullTime(f.From), CreatedTo: nullTime(f.To),
		Below: span.below, Above: span.above, Forward: page.forward(), RowLimit: page.rowLimit(),
	})
	if err != nil {
		return nil, false, translate("AuditEntryList", err)
	}
	entries, hasMore = cut(page, rows, func(row dbsqlc.AuditEntryListRow) audit.Entry { return auditFromDB(row.AuditLog) })
	return entries, hasMore, nil
}

// auditedWithin narrows a span of positions to what was written in the time that the filter allows.
func (r Reader) auditedWithin(ctx context.Context, environmentID string, f AuditFilter, span bounds) (bounds, error) {
	if f.From.IsZero() && f.To.IsZero() {
		return span, nil
	}
	first, end := idsAround(id.AuditEntry, f.From, f.To)
	around, err := queries.AuditPositionsAround(ctx, r.lists(),
		dbsqlc.AuditPositionsAroundParams{EnvironmentID: environmentID, FirstID: first, EndID: end})
	if err != nil {
		return bounds{}, translate("AuditPositionsAround", err)
	}
	return bounds{above: max(span.above, around.Above), below: min(span.below, around.Below)}, nil
}

// idsAround returns the ids between which every row of a prefix lies that was written in a span of time; a zero time
// leaves that end open.
func idsAround(prefix string, from, to time.Time) (first, end string) {
	end = prefix + strings.Repeat("z", 26) // the last one
	if !from.IsZero() {
		first = id.Earliest(prefix, from.Add(-recordingSlack))
	}
	if !to.IsZero() {
		end = id.Earliest(prefix, to.Add(recordingSlack))
	}
	return first, end
}

// EraseAuditAddresses takes the addresses off entries that are older than before, at most limit, and says how many there
// were. The chain stays whole. Global: retention.
func (tx *Tx) EraseAuditAddresses(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := queries.AuditAddressErase(ctx, tx.pipe, dbsqlc.AuditAddressEraseParams{Before: before, RowLimit: rowLimit(limit)})
	return n, translate("AuditAddressErase", err)
}

func auditFromDB(row dbsqlc.AuditLog) audit.Entry {
	return audit.Entry{
		ID: row.ID, EnvironmentID: row.EnvironmentID, Position: row.Position, CreatedAt: row.CreatedAt,
		ActorKind: row.ActorKind, ActorID: row.ActorID, ActorScopes: row.ActorScopes,
		Operation: row.Operation, ObjectType: row.ObjectType, ObjectID: row.ObjectID, RequestID: row.RequestID,
		Status: value(row.StatusCode), Changes: row.Changes,
		Address: value(row.Address), AddressSalt: row.AddressSalt, AddressDigest: row.AddressDigest,
	}
}

package core

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"perennial/billing/audit"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// Call is an action of a key, an operator or a terminal, as the audit log shows it.
type Call struct {
	EnvironmentID string     // empty: the use case says it with Tx.Audit
	Operation     string     // operationId of the API, or the command line without its arguments
	Scopes        []string   // of the key
	RequestID     string     // of the API
	Address       netip.Addr // of the client as the service trusts it; invalid: none
	ObjectID      string     // that the path names; empty: none, or the use case says it with Tx.AuditObject
	Status        int        // of the HTTP response where the call succeeds; 0: none
	Claim         audit.Claim
	Body          []byte // of the request: its field names are the changes of a call without Tx.AuditChanges
}

// auditing collects the parts of a transaction's entry in the audit log.
type auditing struct {
	environments []string // of the entries, one each
	objectID     string
	made         string // an object that the call created
	changes      []audit.Change
	compared     bool   // changes are differences, not fields of the request
	silent       string // why there is no entry; empty: there is one
}

var errUnaudited = errors.New("db: a key, an operator or a terminal wrote without an entry of the audit log: " +
	"give the actor a call (db.Actor.Doing) with operation and environment")

// Audit names the environments that a transaction concerns: each gets an entry about it. A use case whose caller names
// its environment need not call it.
func (tx *Tx) Audit(environmentIDs ...string) {
	for _, environmentID := range environmentIDs {
		if !slices.Contains(tx.audit.environments, environmentID) {
			tx.audit.environments = append(tx.audit.environments, environmentID)
		}
	}
}

// AuditObject sets the object of the entry, where the call's path does not name it: one that the transaction created.
func (tx *Tx) AuditObject(objectID string) { tx.audit.objectID = objectID }

// AuditMade names an object that the call created: the entry is about it where the call's path names none, and says
// that it was created where it does.
func (tx *Tx) AuditMade(objectID string) { tx.audit.made = objectID }

// AuditChanges sets the fields that differ. Without it the entry names the fields of the request.
func (tx *Tx) AuditChanges(changes ...audit.Change) {
	tx.AuditAlso(changes...)
	tx.audit.compared = true
}

// AuditAlso adds changes to the fields of the request: those that a command made, or the arguments of a terminal, which
// sends no fields.
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
		StatusCode: Null(call.Status), Changes: encoded,
	}
	if row.ActorScopes == nil {
		row.ActorScopes = []string{}
	}
	if call.Address.IsValid() {
		address := call.Address.WithZone("") // inet has no zone
		row.Address, row.AddressSalt = &address, make([]byte, 16)
		_, _ = rand.Read(row.AddressSalt) // crypto/rand never fails: it ends the process instead
		row.AddressDigest = audit.DigestOfAddress(row.AddressSalt, address)
	}
	return Queries.AuditEntryInsert(ctx, tx.Pipe, row)
}

// auditObjects are the types of objects by the prefixes of their ids.
var auditObjects = map[string]string{
	id.Customer: "customer", id.Subscription: "subscription", id.Transaction: "payment", id.Plan: "plan",
	id.Invoice: "invoice", id.APIKey: "api_key", id.ProviderConfig: "payment_provider", id.TestClock: "test_clock",
	id.Endpoint: "webhook_endpoint", id.Delivery: "webhook_delivery", id.Credit: "balance_entry", id.TaxRate: "tax_rate",
	id.CreditNote: "credit_note", id.CreditGrant: "credit_grant", id.Coupon: "coupon", id.Product: "product",
	id.Metric: "metric", id.Environment: "environment", id.Dispute: "dispute", id.Callback: "callback",
	id.PaymentMethod: "payment_method", id.Email: "email", id.EmailSender: "email_settings", id.InvoiceTemplate: "invoice_template",
}

// auditObject is the type of an object by its id.
func auditObject(objectID string) string {
	prefix, _, _ := strings.Cut(objectID, "_")
	if object := auditObjects[prefix+"_"]; object != "" {
		return object
	}
	return "environment"
}

// unsealed are the environments in which this process has written entries since they were last taken.
type unsealed struct {
	sync.Mutex
	ids map[string]bool
}

func (u *unsealed) note(environmentIDs []string) {
	if len(environmentIDs) == 0 {
		return
	}
	u.Lock()
	defer u.Unlock()
	if u.ids == nil {
		u.ids = map[string]bool{}
	}
	for _, environmentID := range environmentIDs {
		u.ids[environmentID] = true
	}
}

// TakeUnsealed returns the environments in which this process has written entries of the audit log since the last call.
func (s *Store) TakeUnsealed() []string {
	s.unsealed.Lock()
	defer s.unsealed.Unlock()
	ids := make([]string, 0, len(s.unsealed.ids))
	for environmentID := range s.unsealed.ids {
		ids = append(ids, environmentID)
	}
	s.unsealed.ids = nil
	slices.Sort(ids)
	return ids
}

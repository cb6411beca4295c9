package tenancy

import (
	"context"
	"encoding/json"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/billing/audit"
	"perennial/db"
	"perennial/internal/id"
)

// AuditEntry is one call that changed something, or one command of an operator.
type AuditEntry struct {
	ID         string        `json:"id" example:"aud_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Object     string        `json:"object" enum:"audit_entry" example:"audit_entry" doc:"Always audit_entry."`
	CreatedAt  int64         `json:"createdAt" example:"1763640000" doc:"When it was carried out. Unix seconds, in real time, also on a test clock."`
	Actor      AuditActor    `json:"actor" doc:"Who did it."`
	Operation  string        `json:"operation" example:"updatePlan" doc:"What was done: the operation of this document by its operationId, or a command of the command line without its arguments."`
	ObjectType string        `json:"objectType" example:"plan" doc:"What kind of object it was done to; environment where no narrower object is meant."`
	ObjectID   string        `json:"objectId" example:"plan_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The id of the object that it was done to."`
	RequestID  string        `json:"requestId,omitempty" example:"req_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The X-Request-Id of the response. Absent for a command of the command line."`
	Address    string        `json:"address,omitempty" example:"192.0.2.7" doc:"The IP address that it came from, as allow-lists of keys see it. Erased after 90 days."`
	Status     int           `json:"status,omitempty" example:"200" doc:"The HTTP status of the response. Absent for a command of the command line."`
	Changes    []AuditChange `json:"changes" doc:"The fields that changed. For a creation, and where the change cannot be told by fields, those that the request sent."`
}

// AuditActor is the actor of an entry.
type AuditActor struct {
	Kind   string   `json:"kind" enum:"key,cli,operator" example:"key" doc:"key: an API key. cli: a person at a terminal with access to the database. operator: a person who signed in."`
	ID     string   `json:"id" example:"key_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The id of the key. Of a person at a terminal: the user of the operating system with its id, and the host, as in ada(1000)@billing-1."`
	Scopes []string `json:"scopes,omitempty" example:"*" doc:"The scopes of the key at the time."`
	Claim  string   `json:"claim,omitempty" example:"user 4711" doc:"For whom the actor said that it acted: the header Perennial-Actor, or --as at a terminal. A claim: only the actor is checked."`
	Reason string   `json:"reason,omitempty" example:"ticket 512" doc:"Why, as the person at the terminal said (--reason)."`
}

// AuditChange is one field that changed.
type AuditChange struct {
	ObjectID string `json:"objectId,omitempty" example:"in_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The object that the field is of, where it is not the one of the entry."`
	Field    string `json:"field" example:"active" doc:"The name of the field. created: the object was created."`
	Before   any    `json:"before,omitempty" doc:"The value before. Only codes, switches, amounts, ids and times are shown, never personal data or secrets."`
	After    any    `json:"after,omitempty" doc:"The value after, as before."`
}

func renderAudit(e audit.Entry) AuditEntry {
	changes, said := audit.Decode(e.Changes)
	out := AuditEntry{
		ID: e.ID, Object: "audit_entry", CreatedAt: view.Unix(e.CreatedAt),
		Actor:     AuditActor{Kind: e.ActorKind, ID: e.ActorID, Scopes: e.ActorScopes, Claim: said.For, Reason: said.Reason},
		Operation: e.Operation, ObjectType: e.ObjectType, ObjectID: e.ObjectID, RequestID: e.RequestID, Status: e.Status,
		Changes: []AuditChange{},
	}
	if e.Address.IsValid() {
		out.Address = e.Address.String()
	}
	for _, c := range changes {
		out.Changes = append(out.Changes, AuditChange{
			ObjectID: c.ObjectID, Field: c.Field, Before: shownValue(c.Before), After: shownValue(c.After),
		})
	}
	return out
}

// shownValue is a JSON scalar; nil: it is not shown.
func shownValue(raw json.RawMessage) (value any) {
	if raw != nil {
		_ = json.Unmarshal(raw, &value) // it was written as JSON
	}
	return value
}

func (h *Handler) getAuditEntry(
	_ context.Context, c *httpkit.Call, _ *httpkit.ByID,
) (*httpkit.Reply[AuditEntry], error) {
	return httpkit.OK(renderAudit(httpkit.Resource[audit.Entry](c))), nil
}

type listAuditInput struct {
	httpkit.Page
	view.Created
	Actor     string `query:"actor" maxLength:"100" example:"key_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"Only what this actor did: the id of a key, or the name of a person."`
	Operation string `query:"operation" maxLength:"100" example:"updatePlan" doc:"Only this operation."`
	ObjectID  string `query:"objectId" maxLength:"64" doc:"Only what was done to this object."`
}

func (h *Handler) listAudit(
	ctx context.Context, c *httpkit.Call, in *listAuditInput,
) (*httpkit.Reply[httpkit.List[AuditEntry]], error) {
	page, err := in.DB(id.AuditEntry)
	if err != nil {
		return nil, err
	}
	f := db.AuditFilter{ActorID: in.Actor, Operation: in.Operation, ObjectID: in.ObjectID}
	if f.From, f.To, err = in.Span(); err != nil {
		return nil, err
	}
	rows, more, err := h.store.Tenancy.AuditLog(ctx, c.EnvironmentID, f, page)
	return httpkit.ListOf(rows, more, err, renderAudit)
}

func (h *Handler) auditOperations() {
	example := AuditEntry{
		ID: "aud_01jcz6dyqx4w9s1c2k7v5h8m3n", Object: "audit_entry", CreatedAt: 1763640000,
		Actor:     AuditActor{Kind: "key", ID: "key_01jcz6dyqx4w9s1c2k7v5h8m3n", Scopes: []string{"*"}},
		Operation: "updatePlan", ObjectType: "plan", ObjectID: "plan_01jcz6dyqx4w9s1c2k7v5h8m3n",
		RequestID: "req_01jcz6dyqx4w9s1c2k7v5h8m3n", Address: "192.0.2.7", Status: 200,
		Changes: []AuditChange{{Field: "active", Before: true, After: false}},
	}
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getAuditEntry", Method: http.MethodGet, Path: "/audit-log/{id}", Tag: "Environment",
		Summary: "Get an entry of the audit log", Status: http.StatusOK, Access: httpkit.ReadAccess,
		Load:     httpkit.LoadByID(h.kit, id.AuditEntry, db.ErrAuditEntryNotFound, h.store.Tenancy.AuditEntryWithKey),
		Response: example,
	}, h.getAuditEntry)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listAuditLog", Method: http.MethodGet, Path: "/audit-log", Tag: "Environment",
		Summary: "List the audit log",
		Description: "Every call that was carried out and changes something leaves an entry in the same transaction: who did it, " +
			"what, to which object, when, from where, and which fields changed. Commands of operators at a terminal do, too. " +
			"Refused calls, previews and usage records leave none, nor does what follows automatically, which events tell. " +
			"Entries are kept for good and never change, except that the address is erased after 90 days; they are chained by " +
			"hashes, so that `perennial audit verify` finds one that is missing or changed.",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Response: httpkit.List[AuditEntry]{Data: []AuditEntry{example}},
	}, h.listAudit)
}

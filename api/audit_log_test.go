package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/internal/id"
)

// silent lists the routes whose success leaves no entry in the audit log, or another number than one, each with its
// reason.
var silent = map[string]string{
	"POST /subscriptions/preview":      "shows what would be and changes nothing",
	"POST /subscriptions/{id}/preview": "shows what would be and changes nothing",
	"POST /usage":                      "usage records are never changed, and come by the thousand",
	"POST /usage/batch":                "usage records are never changed, and come by the thousand",
	"POST /usage/stream":               "usage records are never changed, and come by the thousand",
	"POST /usage/cloudevents":          "usage records are never changed, and come by the thousand",
}

// Every route that changes something writes exactly one entry where it succeeds, and none where it is refused or
// repeated. Operations that no request of the table can perform are tested in test/emits, by their names.
func TestAudit_EveryRouteLeavesOneEntry(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rows := b.fill(t, b.test)
	done := 0
	eachRoute(t, b, func(method, template string) {
		short := resourcePath(template)
		if method == http.MethodGet || !strings.HasPrefix(template, "/api/") {
			return
		}
		var body any
		if form := guarded[method+" "+short].body; form != nil {
			body = form(rows)
		}
		before := b.auditEntries(t)
		key := fmt.Sprintf("audit-%d", done)
		path := rows.in(template)
		got := b.ask(t, b.test, method, path, body, "Idempotency-Key", key)
		want := 0
		if got.Status < 300 && silent[method+" "+short] == "" {
			want, done = 1, done+1
		}
		require.Equal(t, before+want, b.auditEntries(t), "%s %s: %d %s", method, short, got.Status, got.Body)
		b.ask(t, b.test, method, path, body, "Idempotency-Key", key)
		if got.Status < 300 {
			require.Equal(t, before+want, b.auditEntries(t), "%s %s, repeated", method, short)
		}
	})
	require.Greater(t, done, 35, "the requests of the table succeed")
	for route := range silent {
		_, known := guarded[route]
		require.True(t, known, "%s is no route", route)
	}
}

func (b *bench) auditEntries(t testing.TB) int {
	t.Helper()
	return b.count(t, "select count(*) from audit_log")
}

func TestAudit_LogTellsWhoWhatAndWhere(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	customer, plan := b.newCustomer(t, b.test), b.newPlan(t, b.test)
	changed := b.ask(t, b.test, "PATCH", "/v1/plans/"+plan.ID, `{"active":false,"name":"Secret name"}`)
	require.Equal(t, 200, changed.Status)
	require.Equal(
		t, 200, b.ask(
			t, b.test, "PATCH", "/api/customers/"+customer.ID, `{"email":"eve@example.com","phone":"+237670000000"}`,
		).Status,
	)
	list := func(query string) []AuditEntry {
		return as[httpkit.List[AuditEntry]](t, 200, b.ask(t, b.test, "GET", "/api/audit-log?"+query, nil)).Data
	}
	entry := list("operation=updatePlan")[0]
	require.True(t, id.Is(id.APIKey, entry.Actor.ID))
	require.Equal(t, AuditEntry{
		ID: entry.ID, Object: "audit_entry", CreatedAt: entry.CreatedAt,
		Actor:     AuditActor{Kind: "key", ID: entry.Actor.ID, Scopes: entry.Actor.Scopes},
		Operation: "updatePlan", ObjectType: "plan", ObjectID: plan.ID, RequestID: changed.Header.Get("X-Request-Id"),
		Address: "192.0.2.7", Status: 200,
		Changes: []AuditChange{{Field: "active", Before: true, After: false}, {Field: "name"}},
	}, entry)
	require.Equal(t, entry, as[AuditEntry](t, 200, b.ask(t, b.test, "GET", "/api/audit-log/"+entry.ID, nil)))
	require.Equal(t, []AuditEntry{entry}, list("objectId="+plan.ID+"&operation=updatePlan&actor="+entry.Actor.ID))
	require.Equal(t, []AuditChange{{Field: "email"}, {Field: "phone"}}, list("objectId=" + customer.ID)[0].Changes)
	created := list("operation=createPlan")[0]
	require.Equal(t, plan.ID, created.ObjectID)
	require.Equal(t, 201, created.Status)

	all := list("")
	require.Equal(
		t, all, list(fmt.Sprintf("created[gte]=%d&created[lte]=%d", all[len(all)-1].CreatedAt, all[0].CreatedAt)),
	)
	require.Empty(t, list(fmt.Sprintf("created[gt]=%d", all[0].CreatedAt)))
	require.Empty(t, list(fmt.Sprintf("created[lt]=%d", all[len(all)-1].CreatedAt)))
	problem(t, 422, "time_span_empty", "created",
		b.ask(t, b.test, "GET", "/api/audit-log?created[gt]=5&created[lt]=6", nil))
	raw := string(b.ask(t, b.test, "GET", "/api/audit-log", nil).Body)
	for _, personal := range []string{"eve@example.com", "237670000000", "Secret name", b.test.key} {
		require.NotContains(t, raw, personal)
	}
}

// The entry has the person that an app says it acts for, as a claim in addition to the key.
func TestAudit_ActorHeaderIsAClaim(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	plan := b.newPlan(t, b.test)
	change := func(actors ...string) response {
		var headers []string
		for _, actor := range actors {
			headers = append(headers, "Perennial-Actor", actor)
		}
		return b.ask(t, b.test, "PATCH", "/api/plans/"+plan.ID, `{"active":false}`, headers...)
	}
	for _, wrong := range []string{"", "a\x01b", "\xff", "\u202euser", "\u200b", strings.Repeat("x", 201)} {
		problem(t, 400, "header_malformed", "Perennial-Actor", change(wrong))
	}
	require.Equal(t, 200, change(strings.Repeat("é", 200)).Status)
	require.Equal(
		t, 200, b.ask(t, b.test, "PATCH", "/api/plans/"+plan.ID, `{"active":true}`, "Perennial-Actor", "user 4711").Status,
	)
	entries := as[httpkit.List[AuditEntry]](t, 200,
		b.ask(t, b.test, "GET", "/api/audit-log?operation=updatePlan", nil)).Data
	require.Len(t, entries, 2)
	require.Equal(t, "user 4711", entries[0].Actor.Claim)
	require.True(t, id.Is(id.APIKey, entries[0].Actor.ID))
	require.Equal(t, []AuditChange{{Field: "active", Before: false, After: true}}, entries[0].Changes)
}

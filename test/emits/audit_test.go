package emits

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"perennial/billing/event"
)

// unaudited lists the operations of the API that do not leave exactly one entry in the audit log, each with its reason.
var unaudited = map[string]struct {
	entries int
	reason  string
}{
	"previewNewSubscription": {0, "it shows what would be and changes nothing"},
	"previewSubscription":    {0, "it shows what would be and changes nothing"},

	"previewInvoiceTemplate":    {0, "it shows what would be and changes nothing"},
	"previewInvoiceTemplatePDF": {0, "it shows what would be and changes nothing"},
	"recordUsage":               {0, "usage records are never changed, and come by the thousand"},
	"recordUsageBatch":          {0, "usage records are never changed, and come by the thousand"},
	"recordCloudEvents":         {0, "usage records are never changed, and come by the thousand"},
	"streamUsage":               {0, "usage records are never changed, and come by the thousand"},
	"migratePlan":               {2, "each subscription is moved in a transaction of its own, and the request ends with one"},
}

// requireAudited compares the number of entries of a performed operation with the required one: one for a request, and
// none for consequences of time and of providers.
func requireAudited(t *testing.T, o event.Operation, entries int) {
	t.Helper()
	want := 0
	if o.Cause == event.CauseRequest {
		want = 1
		name, _, _ := strings.Cut(o.Name, " ")
		if other, listed := unaudited[name]; listed {
			want = other.entries
		}
	}
	assert.Equal(t, want, entries, "entries of the audit log after the %s %s %s", o.Cause, o.Name, o.When)
}

func (s *stage) auditEntries() (n int) {
	s.t.Helper()
	require.NoError(s.t, s.Pool.QueryRow(s.ctx, "select count(*) from audit_log").Scan(&n))
	return n
}

// unchanged lists the operations without fields whose entries have no changed field, each with its reason. The entries
// of operations with fields name the sent ones, which are not known here.
var unchanged = map[string]string{
	"payInvoice":        "it makes a payment, which the API tells of",
	"retryInvoice":      "it makes a payment, which the API tells of",
	"retryRefund":       "it makes a payment, which the API tells of",
	"testWebhook":       "it changes nothing but what is delivered",
	"testEmailSettings": "what a test finds is no one's change",
	"resendEmail":       "it makes a mail, which the API tells of",
	"sendInvoice":       "it makes a mail, which the API tells of",
	"testPaymentProvider the provider refuses the credentials":     "what a test finds is no one's change",
	"testPaymentProvider the provider takes the credentials again": "what a test finds is no one's change",
	"enablePaymentProvider":                     "it is enabled already",
	"pausePaymentProvider it is paused already": "nothing changes",
	"pauseCharging it is paused already":        "nothing changes",
}

// requireChanges checks that each of the last entries has a change, where the operation takes no fields: only the
// operation itself can say what changed.
func (s *stage) requireChanges(o event.Operation, entries int) {
	s.t.Helper()
	name := strings.TrimSpace(o.Name + " " + o.When)
	if !slices.Contains(fieldless(s.t), o.Name) || o.Cause != event.CauseRequest || unchanged[name] != "" {
		return
	}
	var without int
	require.NoError(s.t, s.Pool.QueryRow(s.ctx, `select count(*) from (
		select changes from audit_log order by position desc limit $1) e where e.changes::text in ('[]', 'null')`,
		entries).Scan(&without))
	assert.Zero(s.t, without, "entries without changes after the %s", name)
}

// fieldless reads the operations without fields out of the OpenAPI document.
func fieldless(t *testing.T) (names []string) {
	t.Helper()
	raw, err := os.ReadFile("../../docs/openapi.json")
	require.NoError(t, err)
	type schema struct {
		Ref        string `json:"$ref"`
		Properties map[string]json.RawMessage
	}
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string
			RequestBody *struct {
				Content map[string]struct{ Schema schema }
			}
		}
		Components struct{ Schemas map[string]schema }
	}
	require.NoError(t, json.Unmarshal(raw, &doc))
	for _, methods := range doc.Paths {
		for method, o := range methods {
			fields := 0
			if o.RequestBody != nil {
				for _, media := range o.RequestBody.Content {
					of := doc.Components.Schemas[strings.TrimPrefix(media.Schema.Ref, "#/components/schemas/")]
					fields += len(media.Schema.Properties) + len(of.Properties)
				}
			}
			if method != "get" && fields == 0 {
				names = append(names, o.OperationID)
			}
		}
	}
	require.Contains(t, names, "revokeAPIKey")
	return names
}

package emits

import (
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
	"recordUsage":            {0, "usage records are never changed, and come by the thousand"},
	"recordUsageBatch":       {0, "usage records are never changed, and come by the thousand"},
	"recordCloudEvents":      {0, "usage records are never changed, and come by the thousand"},
	"streamUsage":            {0, "usage records are never changed, and come by the thousand"},
	"migratePlan":            {2, "each subscription is moved in a transaction of its own, and the request ends with one"},
}

// requireAudited holds how many entries a performed operation left against what it has to leave: one for a request, and
// none for what follows from time and from providers.
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

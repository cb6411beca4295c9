package moving

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/test/scene"
)

// What an import would refuse with its subscription is left out of an export and named, so that the subscription moves.
func TestExport_LeavesOutWhatIsRefused(t *testing.T) {
	t.Parallel()
	from, to := scene.New(t), scene.New(t)
	for _, s := range []*scene.Scene{from, to} {
		for _, name := range []string{"Plan", "Gold"} {
			p := scene.Monthly(1900)
			p.Name = name
			s.Plan(t, p)
		}
	}
	svc, by := at(from)
	file := []string{customerOf(1), customerOf(2), customerOf(3), customerOf(4), customerOf(5), customerOf(6)}
	for n, changes := range map[int]string{
		1: `{"at":"2026-02-10T00:00:00Z","anchor":true}`, // of the next period
		2: `{"at":"2026-01-24T00:00:00Z","plan":"Gold","prorationBehavior":"none"}`,
		3: `{"at":"2026-01-24T00:00:00Z","quantity":2,"prorationBehavior":"none"},{"at":"2026-02-24T00:00:00Z","plan":"Gold"}`,
		4: `{"at":"2026-01-24T00:00:00Z","anchor":true,"prorationBehavior":"none"}`,
		5: `{"at":"2026-02-24T00:00:00Z","quantity":2}`, 6: `{"at":"2026-02-24T00:00:00Z","quantity":2}`,
	} {
		file = append(file, subscriptionOf(n, `,"scheduledChanges":[`+changes+`]`))
	}
	for external, outcome := range svc.imported(t, by, ImportOptions{}, file...).outcomes {
		require.Equal(t, "imported", outcome, external)
	}
	prorated := `scheduled_changes = jsonb_set(scheduled_changes, '{0,prorationBehavior}', '"always_invoice"')`
	for external, change := range map[string]string{ // as if the periods were paid here
		"s-3": prorated,
		"s-4": prorated,
		"s-5": "status = 'incomplete', incomplete_until = now()", "s-6": "status = 'past_due', past_due_at = now()",
	} {
		_, err := from.Pool.Exec(t.Context(), "update subscriptions set "+change+" where id = $1", idOf(t, from, external))
		require.NoError(t, err, external)
	}
	_, err := to.Pool.Exec(t.Context(), "update plans set active = false where name = 'Gold'") // it was on sale for the change
	require.NoError(t, err)

	var out bytes.Buffer
	left := map[string][]Leftover{}
	require.NoError(t, svc.Export(t.Context(), from.Env, ExportOptions{Left: func(id string, what Leftover) error {
		left[id] = append(left[id], what)
		return nil
	}}, &out))

	require.Equal(t, map[string][]Leftover{
		idOf(t, from, "s-3"): {ElsewhereChange}, idOf(t, from, "s-4"): {ElsewhereChange}, idOf(t, from, "s-5"): {NotBegun},
		idOf(t, from, "s-6"): {PastDue},
	}, left)
	other, there := at(to)
	var wanted []string
	for line := range strings.Lines(out.String()) {
		if !strings.Contains(line, `"type":"plan"`) {
			wanted = append(wanted, strings.TrimSpace(line))
		}
	}
	outcomes := other.imported(t, there, ImportOptions{}, wanted...).outcomes
	for _, external := range []string{"s-1", "s-2", "s-3", "s-4"} {
		require.Equal(t, "imported", outcomes[external], external)
	}
	require.NotContains(t, outcomes, "s-5")
	require.Contains(t, outcomes["s-6"], "import_status_unsupported")
	for external, changes := range map[string]int{"s-1": 1, "s-2": 1, "s-3": 1, "s-4": 0} {
		sub, err := to.Store.Subscriptions.Get(t.Context(), to.Env, idOf(t, to, external))
		require.NoError(t, err)
		require.Len(t, sub.Scheduled, changes, external)
	}
}

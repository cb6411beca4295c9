// Package conformance owns the promises that every provider adapter must keep, as tests over real HTTP against the
// simulator, with the simulator's ledger as the judge. It does not own the details of one adapter: mapping tables and
// wire formats are tested with the adapter.
package conformance

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Run runs every scenario that the adapter's Capabilities and its Protocol allow, and logs their number and what the
// others lack. newSubject is called once for each test, which may all run at once.
func Run(t *testing.T, newSubject func(t *testing.T) Subject) {
	t.Helper()
	probe := newSubject(t)
	all, ran, lacking := 0, 0, []string{}
	for _, group := range [][]scenario{
		charges, limits, silences, breakdowns, replays, actions, completions, cancels, refunds, refundEnds, disputes, lookups,
		callbacks, evidence, removals,
	} {
		for _, sc := range group {
			all++
			if what := sc.needs.missing(probe); what != "" {
				lacking = append(lacking, sc.name+" (needs "+what+")")
				continue
			}
			ran++
			t.Run(sc.name, func(t *testing.T) {
				t.Parallel()
				sc.run(t, &bench{Subject: newSubject(t)})
			})
		}
	}
	t.Logf("conformance of %s: %d of %d scenarios run; not for this provider: %s",
		probe.Provider.Name(), ran, all, strings.Join(lacking, "; "))
	require.GreaterOrEqual(t, ran, enough, "a provider that can do so little cannot be trusted with money")
}

// enough scenarios need nothing that a provider may lack.
const enough = 25

type scenario struct {
	name  string
	needs needs
	run   func(t *testing.T, b *bench)
}

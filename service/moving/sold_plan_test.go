package moving

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/test/scene"
)

func planRecord(external string, version int, interval string, amount int, more string) string {
	return fmt.Sprintf(`{"type":"plan","id":%q,"version":%d,"name":"Pro","currency":"EUR","interval":%q%s,`+
		`"prices":[{"model":"flat","amount":%d}]}`, external, version, interval, more, amount)
}

// Plans of one name in a file stay as many plans, each with its own versions, also where an import was interrupted
// between them.
func TestImport_PlansOfOneName(t *testing.T) {
	t.Parallel()
	file := []string{
		planRecord("p", 1, "month", 1000, ""), planRecord("q", 1, "year", 10000, ""),
		planRecord("q", 2, "year", 12000, ""), planRecord("p", 2, "month", 1100, ""),
		planRecord("r", 1, "month", 1000, ""), customerOf(1), subscriptionOf(1, `,"plan":"r","planVersion":1`),
	}
	for name, first := range map[string]int{"empty": 0, "interrupted": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := scene.New(t)
			svc, by := at(s)
			svc.imported(t, by, ImportOptions{}, file[:first]...)
			for _, o := range []ImportOptions{{DryRun: true}, {DryRun: true, Batch: 1}, {}} {
				out := svc.imported(t, by, o, file...)
				for i, external := range []string{"p", "q", "q.2", "p.2", "r", "c-1", "s-1"} {
					want := "imported"
					if i < first {
						want = "present"
					}
					require.Equal(t, want, out.outcomes[external], external)
				}
			}
			require.Equal(t, []string{"month 1: 1000", "month 1: 1000", "month 2: 1100", "year 1: 10000", "year 2: 12000"},
				versionsIn(t, svc.Service, s.Env))
			before := s.Rows(t)
			for external, outcome := range svc.imported(t, by, ImportOptions{}, file...).outcomes {
				require.Equal(t, "present", outcome, external)
			}
			require.Equal(t, before, s.Rows(t))
		})
	}
}

// A plan that was here is one plan of a file, and no other of that name. It gets no version of a plan that differs.
func TestImport_PlanAdoptedOnce(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	here := planRecord("here", 1, "month", 1000, "")
	svc.imported(t, by, ImportOptions{}, here)
	for range 2 {
		out := svc.imported(t, by, ImportOptions{Source: "other"}, planRecord("y", 1, "year", 9000, ""),
			planRecord("y", 2, "year", 9500, ""), planRecord("p", 1, "month", 1000, ""),
			planRecord("p", 2, "month", 1000, ""))
		require.Equal(t, map[string]string{
			"y": "1 import_catalog_differs", "y.2": "2 import_version_gap", "p": "present", "p.2": "4 plan_version_unchanged",
		}, out.outcomes)
		require.Equal(t, []string{"month 1: 1000"}, versionsIn(t, svc.Service, s.Env))
	}
	for range 2 { // the repetition finds the same one, beside the second of the name
		out := svc.imported(t, by, ImportOptions{Source: "other"}, here, planRecord("q", 1, "month", 1000, ""))
		require.Equal(t, "present", out.outcomes["here"])
		require.Equal(t, []string{"month 1: 1000", "month 1: 1000"}, versionsIn(t, svc.Service, s.Env))
	}

	svc.imported(t, by, ImportOptions{}, planRecord("k", 1, "week", 100, `,"catalogKey":"k"`))
	out := svc.imported(t, by, ImportOptions{Source: "other"}, planRecord("k", 1, "year", 9000, `,"catalogKey":"k"`),
		planRecord("k", 2, "year", 9500, `,"catalogKey":"k"`))
	require.Equal(t, map[string]string{"k": "1 import_catalog_differs", "k.2": "2 import_catalog_differs"}, out.outcomes)
	require.Equal(t, []string{"month 1: 1000", "month 1: 1000", "week 1: 100"}, versionsIn(t, svc.Service, s.Env))
}

// versionsIn returns the versions of all plans, with their interval and price.
func versionsIn(t *testing.T, s *Service, environmentID string) (all []string) {
	t.Helper()
	e, err := s.importEnvironment(t.Context(), environmentID, "")
	require.NoError(t, err)
	for _, p := range e.plans {
		all = append(all, fmt.Sprintf("%s %d: %d", p.Interval.Unit, p.Version, p.Prices[0].Amount))
	}
	slices.Sort(all)
	return all
}

package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/contract"
)

// A command that leaves nothing to do costs the run no activity: its signal carries the state of the row. A signal that
// is late, repeated or from before a restore makes the run read the row.
func TestSubscription_IsToldWhatItNeedNotRead(t *testing.T) {
	t.Parallel()
	next := noon.AddDate(0, 0, 10)
	told := sleeping(5)
	told.NextAction, told.NextAt = "cancel", next.AddDate(0, 0, 2)
	for _, c := range []struct {
		name     string
		revision int64 // of the signaled snapshot; 0: there is none
		reads    int
		shows    string
	}{
		{"newer", 5, 0, "- **Waits for**: cancel"},
		{"as old as what the run knows", 4, 1, "- **Waits for**: renewal"},
		{"older", 3, 1, "- **Waits for**: renewal"},
		{"nothing", 0, 1, "- **Waits for**: renewal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &fakes{}
			env := wired(t, f)
			knows := sleeping(4)
			knows.NextAt = next
			ends := false
			f.advance = func(contract.AdvanceInput) (contract.Snapshot, error) {
				if ends {
					return finished(9), nil
				}
				return knows, nil
			}
			word := contract.Wake{By: "key"}
			if c.revision > 0 {
				snap := told
				snap.Revision = c.revision
				word.Snapshot = &snap
			}
			var reads int
			var shows string
			env.RegisterDelayedCallback(func() { env.SignalWorkflow(contract.CommandCancel, word) }, time.Hour)
			env.RegisterDelayedCallback(func() {
				reads, shows, ends = len(f.called()), detailsOf(t, env), true
				if c.revision != 5 { // the signaled run continues to the date of its snapshot
					env.SignalWorkflow(contract.SignalWake, contract.Wake{})
				}
			}, 2*time.Hour)
			env.ExecuteWorkflow(contract.SubscriptionWorkflow, contract.SubscriptionInput{
				Ref: contract.Ref{EnvironmentID: "env_1", ID: "sub_1"}, Snapshot: &knows,
			})
			requireCompleted(t, env)
			require.Equal(t, c.reads, reads)
			require.Contains(t, shows, c.shows)
			if c.revision == 5 {
				require.Equal(t, told.NextAt, env.Now().UTC())
			}
		})
	}
}

package activities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/contract"
	"perennial/db"
	"perennial/test/life"
	"perennial/test/scene"
)

// The first command sets the mark and signals; those after it rely on that signal, until the workflow has acted.
func TestCommand_WakesOnceUntilTheWorkflowActs(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Collecting()
	for range 2 {
		first, err := l.Ask(life.Command{Name: contract.CommandCancel})
		require.NoError(t, err)
		signal := db.SignalSubscription{
			EnvironmentID: l.Env, ID: l.Ref.ID, Why: contract.CommandCancel, Revision: first.Subscription.Revision,
		}
		require.Equal(t, []db.SignalSubscription{signal}, l.Started.Signals())
		_, err = l.Ask(life.Command{Name: contract.CommandReactivate})
		require.NoError(t, err)
		require.Empty(t, l.Started.Signals())
		l.Wake()
	}
	_, err := l.Ask(life.Command{Name: contract.CommandReactivate})
	require.Equal(t, "cancellation_not_scheduled", fault.From(err).Code)
	var marked int
	require.NoError(t, l.Pool.QueryRow(t.Context(), "select count(wake_pending_since) from subscriptions").Scan(&marked))
	require.Zero(t, marked, "a refusal wakes nothing")
	l.Sound()
}

// Where a command leaves the workflow nothing to do before its next date, the signal carries the state of the row: the
// workflow reads nothing, and a lost signal owes nothing.
func TestCommand_TellsWhatLeavesNothingToDo(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	for _, name := range []string{contract.CommandCancel, contract.CommandReactivate} {
		_, err := l.Ask(life.Command{Name: name})
		require.NoError(t, err)
		told := l.Started.Signals()
		require.Len(t, told, 1)
		require.Equal(t, [2]string{l.Ref.ID, name}, [2]string{told[0].ID, told[0].Why})
		require.NotNil(t, told[0].Told)
		l.Wake()
		require.Equal(t, l.Snap, contract.SnapshotOf(*told[0].Told, false), "as if the workflow had read the row")
		require.Equal(t, l.Snap.Revision, told[0].Revision)
	}
	var marked int
	require.NoError(t, l.Pool.QueryRow(t.Context(), "select count(wake_pending_since) from subscriptions").Scan(&marked))
	require.Zero(t, marked)
	l.Sound()
}

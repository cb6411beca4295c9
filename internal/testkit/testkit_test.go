package testkit

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

func TestMain(m *testing.M) { Main(m) }

func oneTable(ctx context.Context, url string) error {
	return admin(ctx, url, "CREATE TABLE t (n int)")
}

func TestPostgres_OwnDatabasePerTest(t *testing.T) {
	t.Parallel()
	for range 3 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			pool := Postgres(t, oneTable).Pool(t)
			_, err := pool.Exec(t.Context(), "INSERT INTO t VALUES (1)")
			require.NoError(t, err)
			var n int
			require.NoError(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM t").Scan(&n))
			require.Equal(t, 1, n)
		})
	}
}

func TestPostgres_DropsDatabaseAtEnd(t *testing.T) { //nolint:tparallel // the inner test must have ended before the next line
	t.Parallel()
	var url string
	t.Run("", func(t *testing.T) { url = Postgres(t, nil).URL })
	_, err := pgx.Connect(t.Context(), url)
	require.ErrorContains(t, err, "does not exist")
}

func TestPostgres_DropsLeftovers(t *testing.T) {
	t.Parallel()
	url, stop, err := StartPostgres(t.Context(), nil) // a server of its own: other tests' databases must stay
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, stop(context.WithoutCancel(t.Context()))) })
	require.NoError(t, admin(t.Context(), url, "CREATE DATABASE "+databasePrefix+"old"))
	require.NoError(t, dropLeftovers(t.Context(), url))
	require.ErrorContains(t, admin(t.Context(), withDatabase(url, databasePrefix+"old"), "SELECT 1"), "does not exist")
	require.NoError(t, admin(t.Context(), url, "SELECT 1"), "others stay")
}

func TestTemporal_NamespaceUsableAtOnce(t *testing.T) {
	t.Parallel()
	n := Temporal(t)
	c := n.Client(t)
	w := worker.New(c, "q", worker.Options{})
	w.RegisterWorkflowWithOptions(func(workflow.Context) (string, error) { return "done", nil },
		workflow.RegisterOptions{Name: "Story"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "one", TaskQueue: "q"}, "Story")
	require.NoError(t, err)
	var got string
	require.NoError(t, run.Get(t.Context(), &got))
	require.Equal(t, "done", got)
}

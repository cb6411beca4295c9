package devstack

import (
	"context"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPostgresRestoreData_ForgetsWhatCameAfterTheCopy(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "postgres")
	t.Cleanup(func() { require.NoError(t, Remove(dir)) })
	p, err := StartPostgres(t.Context(), PostgresConfig{Dir: dir, Unsafe: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Stop(context.WithoutCancel(t.Context()))) })
	exec1(t, p.URL(), "CREATE TABLE t (n int)")
	exec1(t, p.URL(), "INSERT INTO t VALUES (1)")
	require.ErrorContains(t, p.SaveData(t.Context(), "before"), "stop or kill it")

	require.NoError(t, p.Kill())
	require.NoError(t, p.SaveData(t.Context(), "before"))
	require.NoError(t, p.Restart(t.Context()))
	exec1(t, p.URL(), "INSERT INTO t VALUES (2)")

	require.NoError(t, p.Kill())
	require.ErrorIs(t, p.RestoreData(t.Context(), "never saved"), fs.ErrNotExist)
	require.NoError(t, p.RestoreData(t.Context(), "before"))
	require.NoError(t, p.Restart(t.Context()))
	require.Equal(t, 1, count(t, p.URL()))
}

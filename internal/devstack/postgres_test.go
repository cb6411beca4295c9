package devstack

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

func exec1(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	_, err = conn.Exec(t.Context(), sql)
	require.NoError(t, err)
}

func count(t *testing.T, url string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM t").Scan(&n))
	return n
}

// One test for the whole life, because each start costs a second of both processors.
func TestPostgres_KeepsAcknowledgedWrites(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "postgres")
	t.Cleanup(func() { require.NoError(t, Remove(dir)) })
	cfg := PostgresConfig{Dir: dir, Unsafe: true}
	p, err := StartPostgres(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Stop(context.WithoutCancel(t.Context()))) })
	exec1(t, p.URL(), "CREATE TABLE t (n int)")
	exec1(t, p.URL(), "INSERT INTO t VALUES (1)")

	_, err = StartPostgres(t.Context(), cfg)
	require.ErrorIs(t, err, ErrInUse)

	// A session is busy when the power goes: its backend must die too, or the restart finds the memory in use.
	busy, err := pgx.Connect(t.Context(), p.URL())
	require.NoError(t, err)
	asleep := make(chan error, 1)
	go func() { _, err := busy.Exec(t.Context(), "SELECT pg_sleep(600)"); asleep <- err }()
	require.NoError(t, p.Kill())
	require.Error(t, <-asleep)
	require.FileExists(t, p.path("data/postmaster.pid"))
	before := p.URL()
	require.NoError(t, p.Restart(t.Context()))
	require.Equal(t, before, p.URL(), "clients reconnect to the same address")
	require.Equal(t, 1, count(t, p.URL()))

	require.NoError(t, p.Restart(t.Context()), "also in order")
	require.Equal(t, 1, count(t, p.URL()))

	// The number in a stale lock file now belongs to a stranger: us.
	require.NoError(t, p.Kill())
	stale := fmt.Sprintf("%d\n%s\n", os.Getpid(), p.path("data"))
	require.NoError(t, os.WriteFile(p.path("data/postmaster.pid"), []byte(stale), 0o600))
	require.NoError(t, p.Restart(t.Context()))
	require.NoError(t, p.Stop(t.Context()))

	p, err = StartPostgres(t.Context(), cfg)
	require.NoError(t, err, "a second start of the same directory")
	require.Equal(t, 1, count(t, p.URL()))
	p2 := p
	t.Cleanup(func() { require.NoError(t, p2.Stop(context.WithoutCancel(t.Context()))) })
}

func TestPostgres_RefusesOtherUsers(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "postgres")
	t.Cleanup(func() { require.NoError(t, Remove(dir)) })
	p, err := StartPostgres(t.Context(), PostgresConfig{Dir: dir, Unsafe: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Stop(context.WithoutCancel(t.Context()))) })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err = pgx.Connect(ctx, fmt.Sprintf("postgres://perennial:guess@127.0.0.1:%d/perennial", p.port))
	require.ErrorContains(t, err, "password authentication failed")
	info, err := os.Stat(p.path("password"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// initdb's output about its steps would hide the plain word "interrupted".
func TestPostgresInitialise_Interrupted(t *testing.T) {
	t.Parallel()
	programs := t.TempDir()
	script := "#!/bin/sh\ntrap 'exit 1' INT\necho selecting defaults\n: > started\nwhile :; do sleep 0.01; done\n"
	require.NoError(t, os.WriteFile(filepath.Join(programs, "initdb"), []byte(script), 0o755))
	p := &Postgres{home: t.TempDir(), binaries: pgBinaries{dir: programs}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.initialise(ctx) }()
	require.Eventually(t, func() bool {
		_, err := os.Stat(p.path("started"))
		return err == nil
	}, 10*time.Second, time.Millisecond)
	cancel()
	require.Equal(t, context.Canceled, <-ended)
	major, err := dataVersion(p.path("data"))
	require.NoError(t, err)
	require.Zero(t, major, "the next start begins anew")
}

func TestParsePostgresVersion(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{
		"postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)\n": 15,
		"postgres (PostgreSQL) 18\n":                             18,
		"postgres (PostgreSQL) 19beta1\n":                        19,
	} {
		got, err := parsePostgresVersion(s)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := parsePostgresVersion("mysqld  Ver 8.0")
	require.Error(t, err)
}

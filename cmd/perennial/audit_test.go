package main

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/billing/audit"
	"perennial/cmd/perennial/cli"
	"perennial/db"
	"perennial/service"
)

// A key that is made at a terminal is the first entry of its environment.
func TestAuditVerify_HoldsUntilEntryIsChanged(t *testing.T) {
	t.Parallel()
	env := database(t)
	env["SUDO_USER"], env["USER"], env["LOGNAME"] = "eve", "eve", "eve" // who is at the terminal may set these
	create(t, env)
	store := open(t, env)
	sealed, err := service.New(store, time.Now).Tenancy.SealAudit(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, sealed)
	environments, err := store.Tenancy.Environments(t.Context())
	require.NoError(t, err)
	environmentID := environments[0].ID
	entries, _, err := store.Tenancy.AuditLog(t.Context(), environmentID, db.AuditFilter{}, db.Page{})
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.Equal(t, []string{"cli", thisUser(t), "perennial key create", "api_key"},
		[]string{entries[0].ActorKind, entries[0].ActorID, entries[0].Operation, entries[0].ObjectType})

	create(t, env) // is not sealed yet
	got := perennial(t, env, "audit", "verify")
	require.Equal(t, cli.ExitDone, got.code, got.stderr)
	printed := regexp.MustCompile(
		`^(env_\w+): holds, sealed 1, head (1:[0-9a-f]{64}), not sealed yet 1, the oldest for \d+s\n$`,
	).
		FindStringSubmatch(got.stdout)
	require.Len(t, printed, 3, got.stdout)
	verify := func(head string) outcome {
		return perennial(t, env, "audit", "verify", "--environment", printed[1], "--head", head)
	}
	require.Equal(t, cli.ExitDone, verify(printed[2]).code)
	require.Equal(t, cli.ExitDiffer, verify("1:00").code)
	for _, wrong := range []string{"1", "x:00", "0:00", "1:xx"} {
		require.Equal(t, cli.ExitUsage, verify(wrong).code, wrong)
	}
	require.Equal(t, cli.ExitUsage, perennial(t, env, "audit", "verify", "--head", printed[2]).code)
	require.Equal(t, cli.ExitFailed, perennial(t, env, "audit", "verify", "--environment", "env_absent").code)

	owner, err := pgx.Connect(t.Context(), env["DATABASE_URL"])
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, owner.Close(context.WithoutCancel(t.Context()))) })
	_, err = owner.Exec(t.Context(),
		"set session_replication_role = replica; update audit_log set actor_id = 'eve' where id = '"+entries[0].ID+"'")
	require.NoError(t, err)
	got = perennial(t, env, "audit", "verify")
	require.Equal(t, cli.ExitDiffer, got.code)
	require.Equal(t,
		environmentID+": BROKEN behind seal 0: seal 1, entry "+entries[0].ID+": the entry, or its seal, was changed\n",
		got.stdout)
}

// thisUser is the operating system's word for who runs the test.
func thisUser(t *testing.T) string {
	t.Helper()
	host, err := os.Hostname()
	require.NoError(t, err)
	found, err := user.LookupId(strconv.Itoa(os.Getuid()))
	require.NoError(t, err)
	return fmt.Sprintf("%s(%d)@%s", found.Username, os.Getuid(), host)
}

// --as adds a claim to the entry, and removes nothing from it.
func TestActor_AsIsAClaim(t *testing.T) {
	t.Parallel()
	env := database(t)
	args := []string{"key", "create", "--tenant", "Acme", "--app", "Shop", "--mode", "test"}
	for _, wrong := range [][]string{
		{"--as", "ada"}, {"--as", "ada", "--reason", "two\nlines"}, {"--as", "\u202eada", "--reason", "x"},
		{"--reason", strings.Repeat("x", 201)},
	} {
		got := perennial(t, env, append(slices.Clone(args), wrong...)...)
		require.Equal(t, cli.ExitUsage, got.code, got.stderr)
	}
	got := perennial(t, env, append(slices.Clone(args), "--as", "ada", "--reason", "ticket 512")...)
	require.Equal(t, cli.ExitDone, got.code, got.stderr)
	store := open(t, env)
	environments, err := store.Tenancy.Environments(t.Context())
	require.NoError(t, err)
	entries, _, err := store.Tenancy.AuditLog(t.Context(), environments[0].ID, db.AuditFilter{}, db.Page{})
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.Equal(t, thisUser(t), entries[0].ActorID)
	_, said := audit.Decode(entries[0].Changes)
	require.Equal(t, audit.Claim{For: "ada", Reason: "ticket 512"}, said)
}

package db_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"perennial/db"
	"perennial/internal/testkit"
)

func migrateWithRoles(ctx context.Context, url string) error {
	return errors.Join(db.Migrate(ctx, url, nil), db.GrantRoles(ctx, url))
}

// as connects with the rights of a role.
func as(t *testing.T, database *testkit.Database, role string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database.As(role))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close(context.WithoutCancel(t.Context()))) })
	return conn
}

// The programs lack these rights, whatever their SQL is turned into. The tests of api and activities run with these
// roles, and so show that the programs have the rights they need.
func TestRoles_AreRefused(t *testing.T) {
	t.Parallel()
	database := testkit.Postgres(t, migrateWithRoles)
	everybody := []string{
		"truncate transactions", "truncate events", "delete from transactions", "delete from settlements",
		"delete from customers", "delete from events", "delete from credit_entries",
		"update credit_entries set amount = 0", "update audit_log set actor_id = ''", "delete from audit_log",
		"update audit_seals set number = 1", "delete from audit_seals", "update settlements set transaction_id = ''",
		"update decisions set outcome = ''",
		"insert into goose_db_version (version_id, is_applied) values (1, true)",
		"create table mine ()", "drop table transactions", "alter table transactions add column mine text",
		"alter table transactions disable trigger guard_transaction", "drop trigger guard_transaction on transactions",
		"set session_replication_role = replica",
		"create or replace function guard_transaction() returns trigger language plpgsql as 'begin return new; end'",
		"copy plans to program 'cat'", "create role mine",
	}
	for role, refused := range map[string][]string{
		db.RoleAPI: {
			"delete from webhook_deliveries", "delete from idempotency_keys",
			"update audit_log set address = null, address_salt = null",
		},
		db.RoleWorker: {
			"insert into audit_log (id) values ('')", "insert into audit_seals (number) values (1)",
			"update api_keys set scopes = '{*}'", "insert into tenants (id, name, created_at) values ('t', 't', now())",
			"update environments set app_id = ''", "update plans set name = ''", "update prices set amount = 0",
			"update provider_credentials set sealed = ''", "delete from provider_credentials",
			"insert into provider_configs (id) values ('')", "insert into webhook_endpoints (id) values ('')",
		},
		db.RoleRead: {
			"update customers set email = ''", "insert into tenants (id, name, created_at) values ('t', 't', now())",
			"select hash from api_keys", "select * from api_key_details", "select keyset from apps", "select * from apps",
			"select sealed from provider_credentials", "select secret_sealed from webhook_endpoints",
			"select confirm_token from transactions", "select response from idempotency_keys", "select data from events",
			"select provider_response from transactions", "select action_url from transactions",
			"select payment_details from customers",
			"select url from webhook_endpoints", "select response from provider_calls",
			"select nextval('list_position')",
		},
	} {
		conn := as(t, database, role)
		for _, sql := range append(refused, everybody...) {
			_, err := conn.Exec(t.Context(), sql)
			var pg *pgconn.PgError
			require.ErrorAs(t, err, &pg, "%s: %s", role, sql)
			require.Equal(t, "42501", pg.Code, "%s: %s: %s", role, sql, pg.Message)
		}
	}
	reading := as(t, database, db.RoleRead)
	for _, sql := range []string{
		"select id, environment_id, scopes, expires_at from api_keys", "select * from invoices",
		"select id, email, metadata from customers",
		"select id, name from apps", "select id, status, amount from transactions",
	} {
		_, err := reading.Exec(t.Context(), sql)
		require.NoError(t, err, sql)
	}
}

// Grants are those of the file, also after they were others.
func TestRoles_AreGrantedAnew(t *testing.T) {
	t.Parallel()
	database := testkit.Postgres(t, migrateWithRoles)
	pool := database.Pool(t)
	_, err := pool.Exec(t.Context(), "grant all on all tables in schema public to perennial_read")
	require.NoError(t, err)
	require.NoError(t, db.GrantRoles(t.Context(), database.URL))
	count := func(sql string) (n int) {
		require.NoError(t, pool.QueryRow(t.Context(), sql).Scan(&n))
		return n
	}
	require.Zero(t, count("select count(*) from information_schema.role_table_grants "+
		"where grantee = 'perennial_read'"), "columns are granted, not tables")
	require.Zero(t,
		count("select count(*) from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v') "+
			"and not has_any_column_privilege('perennial_read', c.oid, 'select')"))
	require.Zero(t, count("select count(*) from information_schema.role_table_grants "+
		"where grantee in ('perennial_api', 'perennial_worker') and privilege_type in ('TRUNCATE', 'TRIGGER', 'REFERENCES')"))
}

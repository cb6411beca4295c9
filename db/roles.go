package db

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"perennial/db/core"
)

//go:embed roles.sql
var roles string

// The roles that GrantRoles makes. Logins are members of them.
const (
	RoleAPI    = "perennial_api"
	RoleWorker = "perennial_worker"
	RoleRead   = "perennial_read"
)

// GrantRoles creates the roles of the programs where they are absent, and gives each only the rights that it needs in
// this database. It runs after Migrate, as the owner of the tables, who must be allowed to create roles the first time.
func GrantRoles(ctx context.Context, url string) error {
	return alone(ctx, url, func(conn *pgx.Conn) error {
		// One after another: two runs at once would write the same rows.
		_, err := conn.Exec(ctx, "begin; select pg_advisory_xact_lock(hashtext('perennial roles')); "+roles+"; commit")
		if err != nil {
			return fmt.Errorf("db: roles: %w", err)
		}
		return nil
	})
}

// RolesGranted reports whether GrantRoles has run in this database, so that it has to run again after a migration.
func RolesGranted(ctx context.Context, url string) (granted bool, err error) {
	err = alone(ctx, url, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "select exists (select from pg_roles r where r.rolname = $1 "+
			"and has_table_privilege(r.oid, 'tenants', 'select'))", RoleAPI).Scan(&granted)
	})
	return granted, core.Translate("roles", err)
}

// alone uses one connection.
func alone(ctx context.Context, url string, use func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return core.OpenError(err)
	}
	return errors.Join(use(conn), conn.Close(ctx))
}

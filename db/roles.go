package db

import (
	"context"
	_ "embed" // the grants
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

//go:embed roles.sql
var roles string

// The roles that GrantRoles makes. Logins are members of them.
const (
	RoleAPI    = "perennial_api"
	RoleWorker = "perennial_worker"
	RoleRead   = "perennial_read"
)

// GrantRoles makes the roles of the programs where they are absent, and gives each what it needs in this database and
// nothing else. It runs after Migrate, as the owner of the tables, who must be allowed to create roles.
func GrantRoles(ctx context.Context, url string) (err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return openError(err)
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	// One after another: two runs at once would write the same rows.
	if _, err := conn.Exec(ctx, "begin; select pg_advisory_xact_lock(hashtext('perennial roles')); "+roles+"; commit"); err != nil {
		return fmt.Errorf("db: roles: %w", err)
	}
	return nil
}

package db

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"go.uber.org/zap"

	"perennial/billing/fault"
	"perennial/db/core"
)

//go:generate go test . -run ^TestMigrations_SayWhatToMindWhenSteppingBack$ -count=1 -update

//go:embed schema/*.sql
var schema embed.FS

// Migrate brings the database to the schema of this binary. Processes that start together wait for each other. A
// migration that does not get the lock of a table within a second lets the statements behind it continue, and tries
// again, for lockTries seconds. Faults: schema_newer, when a later version of the program has migrated: old code must
// not write into a schema it does not know; database_unavailable, where a table stayed locked.
func Migrate(ctx context.Context, url string, log *zap.Logger) (err error) {
	if log == nil {
		log = zap.NewNop()
	}
	current, wanted, err := SchemaVersion(ctx, url)
	if err != nil {
		return err
	}
	if current > wanted {
		return fault.New(fault.Conflict, "schema_newer",
			"The database has schema version %d, but this program knows only %d. Run a newer program.", current, wanted)
	}
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return core.OpenError(err)
	}
	database := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "set lock_timeout = '1s'")
		return err
	}))
	defer func() { err = errors.Join(err, database.Close()) }()
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, lockTries))
	if err != nil {
		return fmt.Errorf("db: migration lock: %w", err)
	}
	migrations, err := goose.NewProvider(goose.DialectPostgres, database, files(), goose.WithSessionLocker(locker))
	if err != nil {
		return fmt.Errorf("db: migrations: %w", err)
	}
	for try := 1; ; try++ {
		results, err := migrations.Up(ctx)
		var partial *goose.PartialError
		if errors.As(err, &partial) {
			results = partial.Applied
		}
		for _, r := range results {
			log.Info("migration applied", zap.String("file", r.Source.Path), zap.Duration("took", r.Duration))
		}
		if !lockedOut(err) || try == lockTries/2 {
			return core.Translate("migrate", err)
		}
		log.Info("a table is in use, trying again", zap.String("file", partial.Failed.Source.Path), zap.Int("try", try))
		select {
		case <-ctx.Done():
			return core.Translate("migrate", ctx.Err())
		case <-time.After(time.Second):
		}
	}
}

// lockTries is for how many seconds a process waits for another that migrates, and about as many for locks of tables.
const lockTries = 300

// lockedOut reports whether a migration gave up because others hold locks of its tables.
func lockedOut(err error) bool {
	var partial *goose.PartialError
	var pg *pgconn.PgError
	return errors.As(err, &partial) && errors.As(err, &pg) && pg.Code == "55P03"
}

// SchemaVersion reports which schema the database has and which this binary wants. It changes nothing; an empty
// database has version 0.
func SchemaVersion(ctx context.Context, url string) (current, wanted int64, err error) {
	names, err := fs.Glob(files(), "*.sql")
	if err != nil {
		return 0, 0, fmt.Errorf("db: embedded migrations: %w", err)
	}
	for _, name := range names {
		version, err := goose.NumericComponent(name)
		if err != nil {
			return 0, 0, fmt.Errorf("db: migration %s: %w", name, err)
		}
		wanted = max(wanted, version)
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return 0, 0, core.OpenError(err)
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	var migrated bool
	err = conn.QueryRow(ctx, "select to_regclass('goose_db_version') is not null").Scan(&migrated)
	if err != nil || !migrated {
		return 0, wanted, core.Translate("schema version", err)
	}
	err = conn.QueryRow(ctx, "select coalesce(max(version_id), 0) from goose_db_version where is_applied").Scan(&current)
	return current, wanted, core.Translate("schema version", err)
}

// Migrations are the files that make the schema, in the order of their names.
func Migrations() fs.FS { return files() }

func files() fs.FS {
	sub, err := fs.Sub(schema, "schema")
	if err != nil {
		panic(err) // only an invalid path fails, and this one is a constant
	}
	return sub
}

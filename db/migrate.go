package db

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	_ "github.com/jackc/pgx/v5/stdlib" // goose speaks database/sql
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"go.uber.org/zap"

	"perennial/billing/fault"
)

//go:embed schema/*.sql
var schema embed.FS

// Migrate brings the database to the schema of this binary. Processes that start together wait for each other. Fault:
// schema_newer, when a later version of the program has been here: old code must not write into a schema it does not know.
func Migrate(ctx context.Context, url string, log *zap.Logger) error {
	if log == nil {
		log = zap.NewNop()
	}
	return withGoose(ctx, url, func(g *goose.Provider) error {
		current, wanted, err := versions(ctx, g)
		if err != nil {
			return err
		}
		if current > wanted {
			return fault.New(fault.Conflict, "schema_newer",
				"the database has schema version %d, this program knows %d: run the newer program", current, wanted)
		}
		results, err := g.Up(ctx)
		for _, r := range results {
			log.Info("migration applied", zap.String("file", r.Source.Path), zap.Duration("took", r.Duration))
		}
		return err
	})
}

// SchemaVersion tells which schema the database has and which this binary wants. An empty database has version 0.
func SchemaVersion(ctx context.Context, url string) (current, wanted int64, err error) {
	err = withGoose(ctx, url, func(g *goose.Provider) error {
		current, wanted, err = versions(ctx, g)
		return err
	})
	return current, wanted, err
}

func versions(ctx context.Context, g *goose.Provider) (current, wanted int64, err error) {
	if current, err = g.GetDBVersion(ctx); err != nil {
		return 0, 0, err
	}
	for _, s := range g.ListSources() {
		wanted = max(wanted, s.Version)
	}
	return current, wanted, nil
}

func withGoose(ctx context.Context, url string, do func(*goose.Provider) error) (err error) {
	database, err := sql.Open("pgx", url)
	if err != nil {
		return fault.New(fault.Invalid, "database_config_invalid", "the database URL cannot be read: %v", err)
	}
	defer func() { err = errors.Join(err, database.Close()) }()
	files, err := fs.Sub(schema, "schema")
	if err != nil {
		return fmt.Errorf("db: embedded migrations: %w", err)
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return fmt.Errorf("db: migration lock: %w", err)
	}
	g, err := goose.NewProvider(goose.DialectPostgres, database, files, goose.WithSessionLocker(locker))
	if err != nil {
		return fmt.Errorf("db: migrations: %w", err)
	}
	return translate("migrate", do(g))
}

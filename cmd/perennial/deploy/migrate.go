package deploy

import (
	"context"
	"flag"
	"fmt"
	"io"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"perennial/cmd/perennial/cli"
	"perennial/db"
	"perennial/internal/config"
)

// MigrateCommand is a separate step, and no API or worker migrates when it starts: otherwise a failed deployment could
// leave the old program on a schema that it was not deployed for.
func MigrateCommand() *cli.Command {
	return &cli.Command{
		Name: "migrate", Summary: "migrate the database to the schema of this program",
		About: "Migrations only go forward, and the program before this one still runs on their result. Several processes may\n" +
			"start it at once: one migrates, the others wait. With --roles, the programs need not be the owner of the tables:\n" +
			"docs/operations.md has the steps.",
		Examples: []string{"perennial migrate", "perennial migrate --roles", "perennial migrate --status"},
		Setup: func(f *flag.FlagSet) cli.Action {
			status := f.Bool("status", false, "only tell the versions; exit code 1 where a migration is missing")
			roles := f.Bool(
				"roles", false, "also grant the roles perennial_api, perennial_worker and perennial_read what they need",
			)
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				c, err := p.Config(config.Migrate)
				if err != nil {
					return err
				}
				url := c.Database.URL.Reveal()
				if !*status {
					if err := db.Migrate(ctx, url, lines(p.Stderr)); err != nil {
						return err
					}
					granted, err := db.RolesGranted(ctx, url)
					if err != nil {
						return err
					}
					if granted || *roles { // new tables are granted too
						if err := db.GrantRoles(ctx, url); err != nil {
							return err
						}
					}
				}
				return tellSchema(ctx, p.Stdout, url)
			}
		},
	}
}

func tellSchema(ctx context.Context, out io.Writer, url string) error {
	current, wanted, err := db.SchemaVersion(ctx, url)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "schema version %d of %d\n", current, wanted); err != nil {
		return err
	}
	// A newer schema is fine: during a deployment the old program runs on it.
	if current < wanted {
		return fmt.Errorf("%d migrations are missing: run `perennial migrate`", wanted-current)
	}
	return nil
}

// lines is a logger for people: message and fields, nothing else.
func lines(w io.Writer) *zap.Logger {
	encoder := zapcore.NewConsoleEncoder(zapcore.EncoderConfig{
		MessageKey: "message", ConsoleSeparator: "  ", EncodeDuration: zapcore.StringDurationEncoder,
	})
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(w)), zapcore.InfoLevel))
}

package moving

import (
	"context"
	"flag"
	"slices"

	"perennial/billing/moving"
	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/flags"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/config"
	"perennial/service"
	"perennial/service/movefile"
	servicemoving "perennial/service/moving"
)

// ImportCommand is `perennial import`.
func ImportCommand() *cli.Command {
	return &cli.Command{
		Name: "import", Summary: "move customers, subscriptions and more in from another billing system",
		Arguments: "[FILE...]",
		About: "Files are JSON Lines, or CSV with a header; docs/moving-in.md has the fields. Settings come first, then what is sold,\n" +
			"customers, payment methods, balances, credit grants, subscriptions and webhook endpoints, wherever they stand in the\n" +
			"files. The period that runs now was paid in the other system; the next one is billed here. A record is known by its id\n" +
			"for ever: an import that was interrupted, or had refusals, is run again and goes on where it stopped. With --dry-run\n" +
			"nothing is written, and every subscription is shown with its first invoice. Refusals go to standard error with file and\n" +
			"line. Exit code 1: records were refused, or it stopped.",
		Examples: []string{
			"perennial import --tenant Acme --app Shop --mode live --dry-run customers.csv subscriptions.csv",
			"perennial import --tenant Acme --app Shop --mode live -f customers.csv -f subscriptions.csv",
		},
		Setup: func(f *flag.FlagSet) cli.Action {
			var in importFlags
			in.declare(f)
			return func(ctx context.Context, p *cli.Process, args []string) error {
				files, err := in.open(args)
				if err != nil {
					return err
				}
				return wire.WithStore(ctx, p, func(store *db.Store, c config.Config) error {
					by, err := in.environment.Caller(ctx, p, store)
					if err != nil {
						return err
					}
					keys, err := wire.VaultOf(c) // for the secrets of webhook endpoints
					if err != nil {
						return err
					}
					s := service.New(store, p.Now).WithWebhooks(service.Webhooks{Vault: keys})
					show := newImportScreen(p, in.options.DryRun)
					err = s.Moving.Import(ctx, by, files, in.options, show.line)
					if told := show.end(); told != nil {
						return told
					}
					if err == nil && show.refused() > 0 {
						return cli.ErrTold
					}
					return err
				})
			}
		},
	}
}

// importFlags are the flags as they were typed.
type importFlags struct {
	environment flags.Environment
	files       flags.List
	format      string
	options     servicemoving.ImportOptions
}

func (i *importFlags) declare(f *flag.FlagSet) {
	i.environment.Declare(f)
	f.Var(&i.files, "f", "`file` to import; may be repeated")
	f.StringVar(&i.format, "format", "", "how the files are written, `csv|jsonl` (default: by their names)")
	f.StringVar(&i.options.Source, "source", "",
		"`name` of the system that the ids are of; needed where you move from several")
	f.BoolVar(&i.options.DryRun, "dry-run", false,
		"write nothing; show what would be billed next, and what would be refused")
	f.BoolVar(&i.options.Strict, "strict", false, "stop at the first refusal")
	f.BoolVar(&i.options.Announce, "announce", false,
		"send customer.created and subscription.created for what is imported")
}

// open checks everything that can be checked without a database.
func (i *importFlags) open(args []string) ([]movefile.File, error) {
	if err := i.environment.Check(); err != nil {
		return nil, err
	}
	if err := moving.CheckSource(i.options.Source); err != nil {
		return nil, cli.Usagef("%s", cli.Describe(err))
	}
	format := movefile.Format(i.format)
	if !slices.Contains([]movefile.Format{"", movefile.CSV, movefile.JSONL}, format) {
		return nil, cli.Usagef("--format is csv or jsonl, not %q", i.format)
	}
	paths := append(slices.Clone(i.files), args...)
	if len(paths) == 0 {
		return nil, cli.Usagef("name the files to import")
	}
	files := make([]movefile.File, len(paths))
	for n, path := range paths {
		var err error
		if files[n], err = movefile.Open(path, format); err != nil {
			return nil, cli.Usagef("%s: %s", path, cli.Describe(err))
		}
	}
	return files, nil
}

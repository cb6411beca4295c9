package usage

import (
	"context"
	"flag"
	"fmt"

	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/config"
	"perennial/service"
	"perennial/service/usage"
)

// Command is `perennial usage`.
func Command() *cli.Command {
	return &cli.Command{
		Name: "usage", Summary: "count usage again from its records",
		Subcommands: []*cli.Command{rebuildCommand()},
		Examples: []string{"perennial usage rebuild --dry-run",
			"perennial usage rebuild --environment env_01jcz6dyqx4w9s1c2k7v5h8m3n"},
	}
}

func rebuildCommand() *cli.Command {
	return &cli.Command{
		Name: "rebuild", Summary: "count usage again, and replace aggregates that are wrong",
		About: "Counts all kept records of each subscription and metric version, hour by hour, and compares with the running\n" +
			"aggregates. Those that differ are replaced; with --dry-run they are only counted. It may run beside everything\n" +
			"else. Hours of which retention has deleted records are left as they are. Exit code 0: all were equal; 3: there\n" +
			"were differences, which are corrected now unless it was a dry run; 1: it stopped.",
		Examples: []string{"perennial usage rebuild --dry-run"},
		Setup: func(f *flag.FlagSet) cli.Action {
			environment := f.String("environment", "", "only this environment, an `id`")
			dry := f.Bool("dry-run", false, "compare only")
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				return wire.WithStore(ctx, p, func(store *db.Store, _ config.Config) error {
					total, err := service.New(store, p.Now).Usage.RebuildUsage(ctx, p.Actor(), usage.Rebuild{
						EnvironmentID: *environment, Dry: *dry,
						Progress: func(r db.RebuiltUsage) {
							_, _ = fmt.Fprintf(p.Stderr, "%d records in %d hours counted, %d hours differ\n", // progress only
								r.Records, r.Hours, r.Different)
						},
					})
					if err != nil {
						return err
					}
					_, err = fmt.Fprintf(p.Stdout, "records %d\nhours %d\nhours that differed %d\nhours kept as they are %d\n",
						total.Records, total.Hours, total.Different, total.Kept)
					if err == nil && total.Different > 0 {
						return cli.ErrDiffers
					}
					return err
				})
			}
		},
	}
}

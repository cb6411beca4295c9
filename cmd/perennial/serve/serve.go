package serve

import (
	"context"
	"errors"
	"flag"

	"perennial/cmd/perennial/cli"
	"perennial/internal/config"
)

// Command is the smallest installation: one process, one PostgreSQL, one Temporal. API and worker share nothing
// but the process, so that it can be taken apart later without a change of settings.
func Command() *cli.Command {
	return &cli.Command{
		Name: "serve", Summary: "run the API and a worker in one process",
		About: "For small installations. Both drain on SIGINT and SIGTERM, the API first; a second signal ends the process at\n" +
			"once, which loses nothing either: what was in hand is repeated.",
		Examples: []string{"perennial serve", "perennial serve --make-current"},
		Setup: func(f *flag.FlagSet) cli.Action {
			current := makeCurrentFlag(f)
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				return runService(ctx, p, config.Serve, Plan{Name: "perennial", API: true, Worker: true, MakeCurrent: *current})
			}
		},
	}
}

// APICommand runs no worker: an API that is restarted or overloaded delays no renewal.
func APICommand() *cli.Command {
	return &cli.Command{
		Name: "api", Summary: "run the API",
		About:    "Run as many as you need. It starts and answers reads while Temporal is away.",
		Examples: []string{"LISTEN_ADDRESS=0.0.0.0:8080 perennial api"},
		Setup: func(*flag.FlagSet) cli.Action {
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				return runService(ctx, p, config.API, Plan{Name: "perennial-api", API: true})
			}
		},
	}
}

// WorkerCommand runs no API, and listens for metrics and health alone.
func WorkerCommand() *cli.Command {
	return &cli.Command{
		Name: "worker", Summary: "run a worker: renewals, payments, retries",
		About: "Run as many as you need. Each creates what Temporal lacks: namespace, search attributes, the reconciler's\n" +
			"schedule. Temporal dispatches new work only to the current build. The first build makes itself current, also\n" +
			"after Temporal's database was lost; make a later build current with this flag,\n" +
			"with WORKER_MAKE_CURRENT, or with `temporal worker deployment set-current-version`.",
		Examples: []string{"perennial worker", "PERENNIAL_BUILD_ID=3f2a91c perennial worker --make-current"},
		Setup: func(f *flag.FlagSet) cli.Action {
			current := makeCurrentFlag(f)
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				return runService(ctx, p, config.Worker, Plan{Name: "perennial-worker", Worker: true, MakeCurrent: *current})
			}
		},
	}
}

// makeCurrentFlag is off by default: in a rolling deployment the first new worker must not take all work from the old
// ones before an operator, or the deploy script, says so.
func makeCurrentFlag(f *flag.FlagSet) *bool {
	return f.Bool("make-current", false, "make this build the current one, which gets all new work, once it polls")
}

func runService(ctx context.Context, p *cli.Process, command config.Command, do Plan) error {
	c, err := p.Config(command)
	if err != nil {
		return err
	}
	do.Logs = p.Stderr
	s, err := Start(ctx, p, c, do)
	if err != nil {
		return err
	}
	// If a part broke, the other parts drain as well, so that their work in progress is recorded and not repeated.
	return errors.Join(s.wait(ctx), s.Stop(ctx))
}

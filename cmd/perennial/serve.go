package main

import (
	"context"
	"errors"
	"flag"

	"perennial/internal/config"
)

// serveCommand is the smallest installation: one process, one PostgreSQL, one Temporal. API and worker share nothing
// but the process, so that it can be taken apart later without a change of settings.
func serveCommand() *command {
	return &command{
		name: "serve", summary: "run the API and a worker in one process",
		about: "For small installations. Both drain on SIGINT and SIGTERM, the API first; a second signal ends the process at\n" +
			"once, which loses nothing either: what was in hand is repeated.",
		examples: []string{"perennial serve", "perennial serve --make-current"},
		setup: func(f *flag.FlagSet) action {
			current := makeCurrentFlag(f)
			return func(ctx context.Context, p *process, _ []string) error {
				return runService(ctx, p, config.Serve, plan{name: "perennial", api: true, worker: true, makeCurrent: *current})
			}
		},
	}
}

// apiCommand runs no worker: an API that is restarted or overloaded delays no renewal.
func apiCommand() *command {
	return &command{
		name: "api", summary: "run the API",
		about:    "Run as many as you need. It starts and answers reads while Temporal is away.",
		examples: []string{"LISTEN_ADDRESS=0.0.0.0:8080 perennial api"},
		setup: func(*flag.FlagSet) action {
			return func(ctx context.Context, p *process, _ []string) error {
				return runService(ctx, p, config.API, plan{name: "perennial-api", api: true})
			}
		},
	}
}

// workerCommand runs no API, and listens for metrics and health alone.
func workerCommand() *command {
	return &command{
		name: "worker", summary: "run a worker: renewals, payments, retries",
		about: "Run as many as you need. Each creates what Temporal lacks: namespace, search attributes, the reconciler's\n" +
			"schedule. Temporal dispatches new work only to the current build. The first build makes itself current, also\n" +
			"after Temporal's database was lost; make a later build current with this flag,\n" +
			"with WORKER_MAKE_CURRENT, or with `temporal worker deployment set-current-version`.",
		examples: []string{"perennial worker", "PERENNIAL_BUILD_ID=3f2a91c perennial worker --make-current"},
		setup: func(f *flag.FlagSet) action {
			current := makeCurrentFlag(f)
			return func(ctx context.Context, p *process, _ []string) error {
				return runService(ctx, p, config.Worker, plan{name: "perennial-worker", worker: true, makeCurrent: *current})
			}
		},
	}
}

// makeCurrentFlag is off by default: in a rolling deployment the first new worker must not take all work from the old
// ones before an operator, or the deploy script, says so.
func makeCurrentFlag(f *flag.FlagSet) *bool {
	return f.Bool("make-current", false, "make this build the current one, which gets all new work, once it polls")
}

func runService(ctx context.Context, p *process, command config.Command, do plan) error {
	c, err := p.config(command)
	if err != nil {
		return err
	}
	do.logs = p.stderr
	s, err := startService(ctx, p, c, do)
	if err != nil {
		return err
	}
	// Also where a part broke: the other parts drain, so that what they have in hand is recorded and not repeated.
	return errors.Join(s.wait(ctx), s.stop(ctx))
}

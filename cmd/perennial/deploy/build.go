package deploy

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"time"

	"go.uber.org/zap"

	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/wire"
	"perennial/internal/config"
	"perennial/internal/telemetry"
	"perennial/worker"
)

// makeCurrentWithin bounds the one request to Temporal.
const makeCurrentWithin = 15 * time.Second

// BuildCommand is `perennial build`.
func BuildCommand() *cli.Command {
	return &cli.Command{
		Name: "build", Summary: "choose the build whose workers get new work",
		Subcommands: []*cli.Command{buildMakeCurrentCommand()}, Examples: []string{"perennial build make-current"},
	}
}

// buildMakeCurrentCommand is for deployments: start the new workers, make their build current, stop the old ones. To go
// back, make the old build current again.
func buildMakeCurrentCommand() *cli.Command {
	return &cli.Command{
		Name: "make-current", Summary: "make a build the current one, which gets all new work", Arguments: "[BUILD]",
		About: "It is done in a moment, beside whatever runs on this machine. Without BUILD it is the build of this program\n" +
			"(PERENNIAL_BUILD_ID). Workers of the build must run: Temporal refuses one that it has not seen.",
		Examples: []string{"perennial build make-current", "perennial build make-current 3f2a91c"},
		Setup: func(*flag.FlagSet) cli.Action {
			return func(ctx context.Context, p *cli.Process, args []string) error {
				if len(args) > 1 {
					return cli.Usagef("give one build, or none for that of this program")
				}
				c, err := p.Config(config.Build)
				if err != nil {
					return err
				}
				return makeCurrent(ctx, p, c, cmp.Or(append(args, c.BuildID)...))
			}
		},
	}
}

func makeCurrent(ctx context.Context, p *cli.Process, c config.Config, build string) error {
	if build == "" {
		return cli.Usagef("this program names no build; give one")
	}
	t, err := telemetry.Start(ctx, telemetry.Options{
		Service: "perennial-build", LogLevel: "error", LogOutput: io.Discard, Now: p.Now,
	})
	if err != nil {
		return err
	}
	t.Logger = zap.NewNop()             // an error is the command's to say
	defer func() { _ = t.Close(ctx) }() // nothing is buffered
	temporal, err := wire.Temporal(c.Temporal, t)
	if err != nil {
		return err
	}
	defer temporal.Close()
	ctx, cancel := context.WithTimeout(ctx, makeCurrentWithin)
	defer cancel()
	if err := worker.MakeCurrent(ctx, temporal, c.Deployment, build); err != nil {
		return fmt.Errorf("build %s of %s did not become current (do its workers run?): %w", build, c.Deployment, err)
	}
	_, err = fmt.Fprintf(p.Stdout, "build %s of %s is current and gets all new work\n", build, c.Deployment)
	return err
}

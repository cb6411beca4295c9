package dev

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"perennial/cmd/perennial/cli"
	"perennial/internal/story"
	"perennial/webhooks/verify"
)

// Command is `perennial dev`.
func Command() *cli.Command {
	return &cli.Command{
		Name: "dev", Summary: "start everything on this machine and play one subscription's life",
		About: "PostgreSQL, a Temporal server with its web UI, the payment provider simulator, a mailbox, the API and a worker;\n" +
			"DATABASE_URL and TEMPORAL_ADDRESS use yours instead. What it needs and cannot find it downloads, once, into a cache of your\n" +
			"user that all clones share. Then it plays a story through the public HTTP API on a test clock, checks every step,\n" +
			"and stays up until Ctrl-C. Data stays in .perennial for the next start.",
		Examples: []string{"perennial dev", "perennial dev --once", "perennial dev --port 9000 --fresh"},
		Setup: func(f *flag.FlagSet) cli.Action {
			var o options
			f.BoolVar(&o.once, "once", false, "end after the story; exit code 0 only if every step passed")
			f.IntVar(&o.port, "port", 8080, "the API's `port`; if it is in use and not given explicitly, another one is used")
			f.BoolVar(&o.fresh, "fresh", false, "delete the data of earlier starts first")
			f.StringVar(&o.dir, "dir", ".perennial", "`directory` for data and logs")
			return func(ctx context.Context, p *cli.Process, args []string) error {
				f.Visit(func(set *flag.Flag) { o.portNamed = o.portNamed || set.Name == "port" })
				return dev(ctx, p, o)
			}
		},
	}
}

type options struct {
	once, fresh bool
	port        int
	portNamed   bool
	dir         string
}

func (o options) path(name string) string { return filepath.Join(o.dir, name) }

// dev runs in a straight line: up, story, stay, down. Everything that was started is stopped in reverse order, whatever
// happened.
func dev(ctx context.Context, p *cli.Process, o options) (err error) {
	if o.port < 1 || o.port > 65535 {
		return cli.Usagef("--port is a number from 1 to 65535")
	}
	if o.dir, err = filepath.Abs(o.dir); err != nil { // servers run in directories of their own
		return err
	}
	d := &stack{process: p, options: o, screen: newScreen(p), stopped: make(chan error, 8)}
	defer func() {
		d.screen.stopping()
		err = errors.Join(err, d.down(ctx))
	}()
	if err := d.up(ctx); err != nil {
		return err
	}
	d.screen.say("\n  One subscription's life, told through the HTTP API on a test clock, " +
		"with the webhooks (→) that each step sent:\n")
	told := story.Config{
		API: d.service.URL(), Key: d.state.apiKey, Simulator: d.simulator.URL("stripe"), Out: p.Stdout,
		Colour: d.screen.colour, Now: p.Now, Verify: verify.Verify,
	}
	played, err := story.Play(ctx, told)
	if err == nil {
		told.Simulator = d.simulator.ControlURL()
		err = story.PlayConfirmation(ctx, told)
	}
	if err == nil {
		err = story.PlayMobileMoney(ctx, told)
	}
	var deviation *story.Deviation
	switch {
	case errors.As(err, &deviation):
		d.screen.say("  The story deviated at step %d: %s. The log is %s.",
			played.Steps+1, deviation.Step, o.path(logName))
		err = cli.ErrTold
	case err == nil:
		d.screen.say("  All %d steps passed.", played.Steps)
	}
	if o.once || err != nil && !errors.Is(err, cli.ErrTold) {
		return err
	}
	d.invite(played)
	return errors.Join(err, d.stay(ctx))
}

// invite prints what the user can look at and try.
func (d *stack) invite(played story.Played) {
	api := d.service.URL()
	workflow := ""
	if ui := d.config.Temporal.UIURL; ui != "" && played.SubscriptionID != "" {
		workflow = fmt.Sprintf("%s/namespaces/%s/workflows/%s", ui, d.config.Temporal.Namespace, played.SubscriptionID)
	}
	d.screen.say("")
	d.screen.fact("API", api)
	d.screen.fact("Docs", api+"/docs")
	d.screen.fact("Test API key", d.state.apiKey)
	d.screen.fact(
		"Environment", fmt.Sprintf("--tenant %q --app %q --mode test, for commands that ask for one", d.tenant, d.app),
	)
	d.screen.fact("This workflow", workflow)
	d.screen.fact("Simulator", d.simulator.ControlURL()+"/_simulator/ledger")
	d.screen.fact("Mailbox", d.mailbox.URL())
	d.screen.fact("Metrics", d.service.MetricsURL()+"/metrics")
	d.screen.fact("Log", d.options.path(logName))
	d.screen.say("\n  Try:\n    curl -s %s/api/subscriptions/%s -H 'Authorization: Bearer %s'",
		api, played.SubscriptionID, d.state.apiKey)
	d.screen.say("    env $(cat %s) %s doctor", shellWord(d.options.path(stackEnv)), shellWord(ownProgram()))
	d.screen.say("\n  Ctrl-C stops everything; the data stays in %s. To forget it, delete that directory.", d.options.dir)
}

// ownProgram returns the path that starts this program again.
func ownProgram() string {
	if path, err := os.Executable(); err == nil {
		return path
	}
	return os.Args[0]
}

// shellWord quotes a path for a shell, where it needs it.
func shellWord(path string) string {
	if !strings.ContainsAny(path, " \t\n'\"\\$`&;|<>()*?[]#~!{}") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

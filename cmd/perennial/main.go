// Command perennial is the whole product in one binary: the API, the worker, and what people need around them. It is
// the only reader of the environment, the only opener of pools and the only one who looks at the clock; everything else
// is handed these.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"perennial/cmd/perennial/catalog"
	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/deploy"
	"perennial/cmd/perennial/dev"
	"perennial/cmd/perennial/doctor"
	"perennial/cmd/perennial/invoices"
	"perennial/cmd/perennial/listen"
	"perennial/cmd/perennial/moving"
	"perennial/cmd/perennial/payments"
	"perennial/cmd/perennial/reports"
	"perennial/cmd/perennial/serve"
	"perennial/cmd/perennial/tenancy"
	"perennial/cmd/perennial/usage"
)

func main() {
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks for an orderly end. From then on signals have their usual effect: a second one ends the
	// process at once, whatever it still waits for.
	context.AfterFunc(ctx, release)
	os.Exit(run(ctx, os.Args[1:], os.LookupEnv, os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program; tests call it. It answers the exit code: 0 done, 1 failed, 2 misused.
func run(
	ctx context.Context, args []string, lookup func(string) (string, bool), stdin io.Reader, stdout, stderr io.Writer,
) int {
	p := &cli.Process{Lookup: lookup, Stdin: stdin, Stdout: stdout, Stderr: stderr, Now: time.Now}
	return root().Execute(ctx, p, args)
}

func root() *cli.Command {
	return &cli.Command{
		Name:    "perennial",
		Summary: "subscription billing on Temporal and PostgreSQL",
		About: "Settings are environment variables; docs/configuration.md lists them. Exit codes: 0 done, 1 failed, 2 wrong\n" +
			"usage; 3 where a command that compares has found differences. --version prints the build.\n" +
			"The audit log names the user of the operating system and the host for each command that changes something;\n" +
			"--as NAME --reason TEXT, with any command, adds for whom and why it is done, as a claim.",
		Examples: []string{"perennial dev", "perennial serve", "perennial key create --tenant Acme --app Shop --mode test"},
		Subcommands: []*cli.Command{
			dev.Command(), serve.Command(), serve.APICommand(), serve.WorkerCommand(), deploy.MigrateCommand(),
			tenancy.KeyCommand(), tenancy.KeyEncryptionCommand(), deploy.BuildCommand(), doctor.Command(),
			catalog.Command(), payments.ProviderCommand(), payments.PaymentCommand(), payments.CallbackCommand(),
			serve.SimulatorCommand(), listen.Command(), deploy.HealthcheckCommand(), moving.ImportCommand(),
			moving.ExportCommand(), usage.Command(), tenancy.AuditCommand(), reports.Command(),
			invoices.Command(),
		},
	}
}

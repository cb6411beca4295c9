package payments

import (
	"context"
	"flag"
	"fmt"

	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/flags"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/config"
	"perennial/service"
	"perennial/service/payments"
)

func providerAddCommand() *cli.Command {
	return &cli.Command{
		Name: "add", Summary: "add an account at a payment provider to an environment",
		About: "The provider is asked first whether it takes the credentials; where it does not, nothing is stored. The first account of\n" +
			"an environment is the primary one, others stand by in the order of --priority. Credentials come from environment\n" +
			"variables or standard input, never from the command line. The account's ID is printed, alone on standard output. Needs\n" +
			"PERENNIAL_KEK: the same as the API's and the workers'.",
		Examples: []string{
			"STRIPE_KEY=… perennial provider add --tenant Acme --app Shop --mode live --credential secretKey=STRIPE_KEY",
			"TOKEN=… perennial provider add --tenant Acme --app Shop --mode test --provider pawapay --credential apiToken=TOKEN " +
				"--priority 10",
		},
		Setup: func(f *flag.FlagSet) cli.Action {
			var in newAccount
			in.declare(f)
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				form, err := in.form(p)
				if err != nil {
					return err
				}
				return wire.WithStore(ctx, p, func(store *db.Store, c config.Config) error {
					return addProvider(ctx, p, store, c, in, form)
				})
			}
		},
	}
}

// newAccount are the flags as they were typed.
type newAccount struct {
	flags.Environment
	primary, untested bool
	priority          int
	credentials       flags.Credentials
}

func (n *newAccount) declare(f *flag.FlagSet) {
	n.Environment.Declare(f)
	f.BoolVar(&n.primary, "primary", false, "make it the primary account; the present one becomes a backup")
	f.IntVar(&n.priority, "priority", 100, "order among the backups, a `number` from 0 to 1000: the lowest is the first")
	f.BoolVar(&n.untested, "skip-test", false,
		"store credentials that the provider does not take, or where it cannot be reached")
	n.credentials.DeclareProvider(f)
	n.credentials.Declare(f)
}

// form checks everything that can be checked without a database.
func (n *newAccount) form(p *cli.Process) (payments.ProviderForm, error) {
	if err := n.Check(); err != nil {
		return payments.ProviderForm{}, err
	}
	switch {
	case n.priority < 0 || n.priority > 1000:
		return payments.ProviderForm{}, cli.Usagef("--priority is a number from 0 to 1000, not %d", n.priority)
	case n.credentials.Absent():
		return payments.ProviderForm{}, cli.Usagef("give --credential name=variable, such as --credential secretKey=STRIPE_KEY")
	}
	account, err := n.credentials.Account(p)
	if err != nil {
		return payments.ProviderForm{}, err
	}
	return payments.ProviderForm{Account: *account, Primary: n.primary, Priority: &n.priority}, nil
}

func addProvider(
	ctx context.Context, p *cli.Process, store *db.Store, c config.Config, n newAccount, form payments.ProviderForm,
) error {
	keys, err := wire.NeededVault(c, ", so credentials cannot be encrypted; give the value that the API and the workers have")
	if err != nil {
		return err
	}
	by, err := n.Caller(ctx, p, store)
	if err != nil {
		return err
	}
	door := wire.GatewayOf(c, keys)
	if !n.untested {
		if err := door.Try(ctx, form.Provider, n.Mode, form.Credentials); err != nil {
			_, _ = fmt.Fprintf(p.Stderr, "nothing was added; --skip-test adds it all the same\n") // the error follows
			return err
		}
	}
	use := service.New(store, p.Now).WithWebhooks(service.Webhooks{Vault: keys}).WithProviders(door)
	config, err := use.Payments.CreateProvider(ctx, by, form, nil)
	if err != nil {
		return err
	}
	status, problem := config.Status()
	// the ID matters
	_, _ = fmt.Fprintf(p.Stderr, "connection: %s %s\ncallbacks: have %s send its events to %s\n", status, problem,
		config.Provider, wire.CallbackURL(c, config.Provider, config.ID))
	_, err = fmt.Fprintln(p.Stdout, config.ID)
	return err
}

package main

import (
	"context"
	"flag"
	"fmt"

	"perennial/db"
	"perennial/internal/config"
	"perennial/service"
	"perennial/service/payments"
)

func providerAddCommand() *command {
	return &command{
		name: "add", summary: "add an account at a payment provider to an environment",
		about: "The provider is asked first whether it takes the credentials; where it does not, nothing is stored. The first account of\n" +
			"an environment is the primary one, others stand by in the order of --priority. Credentials come from environment\n" +
			"variables or standard input, never from the command line. The account's ID is printed, alone on standard output. Needs\n" +
			"PERENNIAL_KEK: the same as the API's and the workers'.",
		examples: []string{
			"STRIPE_KEY=… perennial provider add --tenant Acme --app Shop --mode live --credential secretKey=STRIPE_KEY",
			"TOKEN=… perennial provider add --tenant Acme --app Shop --mode test --provider pawapay --credential apiToken=TOKEN " +
				"--priority 10",
		},
		setup: func(f *flag.FlagSet) action {
			var in newAccount
			in.declare(f)
			return func(ctx context.Context, p *process, _ []string) error {
				form, err := in.form(p)
				if err != nil {
					return err
				}
				return withStore(ctx, p, func(store *db.Store, c config.Config) error {
					return addProvider(ctx, p, store, c, in, form)
				})
			}
		},
	}
}

// newAccount are the flags as they were typed.
type newAccount struct {
	environmentFlags
	primary, untested bool
	priority          int
	credentials       credentialFlags
}

func (n *newAccount) declare(f *flag.FlagSet) {
	n.environmentFlags.declare(f)
	f.BoolVar(&n.primary, "primary", false, "make it the primary account; the present one becomes a backup")
	f.IntVar(&n.priority, "priority", 100, "order among the backups, a `number` from 0 to 1000: the lowest is the first")
	f.BoolVar(&n.untested, "skip-test", false,
		"store credentials that the provider does not take, or where it cannot be reached")
	n.credentials.declareProvider(f)
	n.credentials.declare(f)
}

// form checks everything that can be checked without a database.
func (n *newAccount) form(p *process) (payments.ProviderForm, error) {
	if err := n.check(); err != nil {
		return payments.ProviderForm{}, err
	}
	switch {
	case n.priority < 0 || n.priority > 1000:
		return payments.ProviderForm{}, usagef("--priority is a number from 0 to 1000, not %d", n.priority)
	case len(n.credentials.given) == 0:
		return payments.ProviderForm{}, usagef("give --credential name=variable, such as --credential secretKey=STRIPE_KEY")
	}
	account, err := n.credentials.account(p)
	if err != nil {
		return payments.ProviderForm{}, err
	}
	return payments.ProviderForm{Account: *account, Primary: n.primary, Priority: &n.priority}, nil
}

func addProvider(
	ctx context.Context, p *process, store *db.Store, c config.Config, n newAccount, form payments.ProviderForm,
) error {
	keys, err := neededVault(c, ", so credentials cannot be encrypted; give the value that the API and the workers have")
	if err != nil {
		return err
	}
	by, err := n.caller(ctx, p, store)
	if err != nil {
		return err
	}
	door := gatewayOf(c, keys)
	if !n.untested {
		if err := door.Try(ctx, form.Provider, n.mode, form.Credentials); err != nil {
			_, _ = fmt.Fprintf(p.stderr, "nothing was added; --skip-test adds it all the same\n") // the error follows
			return err
		}
	}
	use := service.New(store, p.now).WithWebhooks(service.Webhooks{Vault: keys}).WithProviders(door)
	config, err := use.Payments.CreateProvider(ctx, by, form, nil)
	if err != nil {
		return err
	}
	status, problem := config.Status()
	// the ID matters
	_, _ = fmt.Fprintf(p.stderr, "connection: %s %s\ncallbacks: have %s send its events to %s\n", status, problem,
		config.Provider, callbackURL(c, config.Provider, config.ID))
	_, err = fmt.Fprintln(p.stdout, config.ID)
	return err
}

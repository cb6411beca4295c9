package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"perennial/db"
	"perennial/internal/config"
	"perennial/service"
	"perennial/service/gateway"
)

func providerCommand() *command {
	return &command{
		name: "provider", summary: "list accounts at payment providers, and replace their credentials",
		about:       "`perennial key create` adds an account to an environment.",
		subcommands: []*command{providerListCommand(), providerUpdateCommand()},
		examples: []string{
			"perennial provider list",
			"STRIPE_KEY=… perennial provider update pp_01jcz6dyqx4w9s1c2k7v5h8m3n --stripe-secret-key-env STRIPE_KEY",
		},
	}
}

func providerListCommand() *command {
	return &command{
		name: "list", summary: "list the accounts of all environments",
		about:    "CHANGED is when credentials were last stored. The credentials themselves are never shown.",
		examples: []string{"perennial provider list"},
		setup: func(*flag.FlagSet) action {
			return func(ctx context.Context, p *process, _ []string) error {
				return withStore(ctx, p, func(store *db.Store, c config.Config) error {
					found, err := store.Accounts(ctx)
					if err != nil {
						return err
					}
					return accountsTable(p.stdout, c, found)
				})
			}
		},
	}
}

func accountsTable(out io.Writer, c config.Config, found []db.AccountListing) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "ID\tTENANT\tAPP\tMODE\tPROVIDER\tCHANGED\tCALLBACKS TO") // Flush tells
	for _, a := range found {
		callbacks := callbackURL(c, a.ID)
		if !a.HasWebhookSecret {
			callbacks = "none: it has no webhook secret"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", a.ID, a.Tenant, a.App, a.Mode, a.Provider,
			a.ChangedAt.UTC().Format(time.DateTime), callbacks) // Flush tells
	}
	return w.Flush()
}

func providerUpdateCommand() *command {
	return &command{
		name: "update", summary: "replace the credentials of an account", arguments: "ID",
		about: "The account keeps its ID and its callback address; what is not given stays as it is. Stripe is asked first whether it\n" +
			"takes a new secret key; where it does not, nothing is stored. Running processes use the new credentials with their next\n" +
			"request, so that nothing has to be restarted, and payments that wait are tried again by themselves. Who replaced them is\n" +
			"kept. Needs PERENNIAL_KEK: the same as the API's and the workers'.",
		examples: []string{
			"STRIPE_KEY=… perennial provider update pp_01jcz6dyqx4w9s1c2k7v5h8m3n --stripe-secret-key-env STRIPE_KEY",
			"STRIPE_WEBHOOK=… perennial provider update pp_01jcz6dyqx4w9s1c2k7v5h8m3n " +
				"--stripe-webhook-secret-env STRIPE_WEBHOOK",
		},
		setup: func(f *flag.FlagSet) action {
			var secret, webhook string
			declareStripe(f, &secret, &webhook)
			untested := f.Bool("skip-test", false, "store a secret key without asking Stripe, where it cannot be reached")
			keyset := f.Bool("new-keyset", false,
				"where the key-encryption key is lost: begin with the present one, and lose all else sealed for the app")
			return func(ctx context.Context, p *process, args []string) error {
				if len(args) != 1 {
					return usagef("give the ID of one account (pp_…); `perennial provider list` shows them")
				}
				if secret == "" && webhook == "" {
					return usagef("give --stripe-secret-key-env, --stripe-webhook-secret-env or both")
				}
				account, err := stripeAccount(p, secret, webhook)
				if err != nil {
					return err
				}
				return withStore(ctx, p, func(store *db.Store, c config.Config) error {
					n := service.NewCredentials{ConfigID: args[0], Stripe: account, NewKeyset: *keyset}
					return replaceCredentials(ctx, p, store, c, n, *untested)
				})
			}
		},
	}
}

// baseURLs are the operator's addresses of providers.
func baseURLs(c config.Config) map[string]string { return map[string]string{"stripe": c.Stripe.APIURL} }

// replaceCredentials asks the provider before anything is stored, outside the transaction: a provider that hangs must
// not hold a row that payments read.
func replaceCredentials(
	ctx context.Context, p *process, store *db.Store, c config.Config, n service.NewCredentials, untested bool,
) error {
	keys, err := vaultOf(c)
	if err != nil {
		return err
	}
	account, err := store.ProviderConfigByID(ctx, n.ConfigID)
	if err != nil {
		return err
	}
	// A mistyped key would stall every payment of the environment until somebody reads the log.
	if n.Stripe.SecretKey != "" && !untested {
		door := gateway.New(gateway.Config{BaseURLs: baseURLs(c), Timeout: c.Stripe.Timeout})
		if err := door.Try(ctx, account.Provider, account.Mode, n.Stripe.SecretKey); err != nil {
			_, _ = fmt.Fprintf(p.stderr, "nothing was changed; --skip-test stores without asking Stripe\n") // the error follows
			return err
		}
		_, _ = fmt.Fprintln(p.stderr, "Stripe takes the new secret key") // what follows matters
	}
	if err := service.New(store, p.now).ReplaceCredentials(ctx, p.actor(), keys, n); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s has new credentials; its callbacks come to %s as before\n",
		account.ID, callbackURL(c, account.ID))
	return err
}

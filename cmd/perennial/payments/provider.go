package payments

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/flags"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/config"
	"perennial/service"
	"perennial/service/gateway"
	"perennial/service/payments"
)

// ProviderCommand is `perennial provider`.
func ProviderCommand() *cli.Command {
	return &cli.Command{
		Name: "provider", Summary: "add, list, test and pause accounts at payment providers, and replace their credentials",
		About: "An environment may have several accounts, of which one is primary. Apps administer theirs with /payment-providers.",
		Subcommands: []*cli.Command{
			providerListCommand(), providerAddCommand(), providerTestCommand(), providerUpdateCommand(), providerPauseCommand(),
			providerResumeCommand(),
		},
		Examples: []string{
			"perennial provider list",
			"STRIPE_KEY=… perennial provider update pp_01jcz6dyqx4w9s1c2k7v5h8m3n --credential secretKey=STRIPE_KEY",
		},
	}
}

func providerListCommand() *cli.Command {
	return &cli.Command{
		Name: "list", Summary: "list the accounts of all environments",
		About: "The primary account of an environment takes its charges, unless a rule says otherwise; backups stand by in the order\n" +
			"of their priority. CHARGING says whether new charges are paused, of the account or of its environment. CHANGED is when\n" +
			"the account last changed. The credentials themselves are never shown, and deleted accounts are left out.",
		Examples: []string{"perennial provider list"},
		Setup: func(*flag.FlagSet) cli.Action {
			return func(ctx context.Context, p *cli.Process, _ []string) error {
				return wire.WithStore(ctx, p, func(store *db.Store, c config.Config) error {
					found, err := store.Payments.Accounts(ctx)
					if err != nil {
						return err
					}
					return accountsTable(p.Stdout, c, found)
				})
			}
		},
	}
}

func accountsTable(out io.Writer, c config.Config, found []db.AccountListing) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	// Flush reports
	_, _ = fmt.Fprintln(
		w, "ID\tTENANT\tAPP\tMODE\tPROVIDER\tENVIRONMENT\tTAKES\tCONNECTION\tCHARGING\tCHANGED\tCALLBACKS TO",
	)
	for _, a := range found {
		if !a.DeletedAt.IsZero() {
			continue
		}
		status, _ := a.Status()
		callbacks := wire.CallbackURL(c, a.Provider, a.ID)
		if !slices.Contains(a.Fields, gateway.FieldWebhookSecret) {
			callbacks = "none: it has no webhook secret"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", a.ID, a.Tenant, a.App, a.Mode, a.Provider,
			a.EnvironmentID, rank(a), status, chargingOf(a), a.ChangedAt.UTC().Format(time.DateTime), callbacks) // Flush reports
	}
	return w.Flush()
}

func rank(a db.AccountListing) string {
	if a.Primary {
		return "primary"
	}
	return fmt.Sprintf("backup %d", a.Priority)
}

func chargingOf(a db.AccountListing) string {
	switch {
	case !a.EnvironmentPausedAt.IsZero():
		return "paused in the environment since " + a.EnvironmentPausedAt.UTC().Format(time.DateTime)
	case !a.ChargingPausedAt.IsZero():
		return "paused since " + a.ChargingPausedAt.UTC().Format(time.DateTime)
	}
	return "on"
}

func providerUpdateCommand() *cli.Command {
	return &cli.Command{
		Name: "update", Summary: "replace the credentials of an account", Arguments: "ID",
		About: "The account keeps its ID and its callback address; what is not given stays as it is. The provider is asked first\n" +
			"whether it takes the new credentials; where it does not, nothing is stored. Running processes use them with their next\n" +
			"request, so that nothing has to be restarted, and payments that wait are tried again by themselves. A webhook secret that\n" +
			"was replaced verifies callbacks for 24 hours more. Who replaced them is kept. Needs PERENNIAL_KEK: the same as the API's\n" +
			"and the workers'.",
		Examples: []string{
			"STRIPE_KEY=… perennial provider update pp_01jcz6dyqx4w9s1c2k7v5h8m3n --credential secretKey=STRIPE_KEY",
			"PAWAPAY_TOKEN=… perennial provider update pp_01jcz6dyqx4w9s1c2k7v5h8m3n --credential apiToken=PAWAPAY_TOKEN",
		},
		Setup: func(f *flag.FlagSet) cli.Action {
			var credentials flags.Credentials
			credentials.Declare(f)
			untested := f.Bool("skip-test", false, "store credentials without asking the provider, where it cannot be reached")
			keyset := f.Bool("new-keyset", false,
				"where the key-encryption key is lost: begin with the present one, and lose all else sealed for the app")
			return func(ctx context.Context, p *cli.Process, args []string) error {
				if len(args) != 1 {
					return cli.Usagef("give the ID of one account (pp_…); `perennial provider list` shows them")
				}
				if credentials.Absent() {
					return cli.Usagef("give --credential name=variable, such as --credential secretKey=STRIPE_KEY")
				}
				read, err := credentials.Read(p)
				if err != nil {
					return err
				}
				return wire.WithStore(ctx, p, func(store *db.Store, c config.Config) error {
					n := payments.NewCredentials{ConfigID: args[0], Credentials: read, NewKeyset: *keyset}
					return replaceCredentials(ctx, p, store, c, n, *untested)
				})
			}
		},
	}
}

// replaceCredentials asks the provider before anything is stored, outside the transaction: a provider that hangs must
// not hold a row that payments read.
func replaceCredentials(
	ctx context.Context, p *cli.Process, store *db.Store, c config.Config, n payments.NewCredentials, untested bool,
) error {
	keys, err := wire.VaultOf(c)
	if err != nil {
		return err
	}
	account, err := store.Payments.ProviderConfigByID(ctx, n.ConfigID)
	if err != nil {
		return err
	}
	use := service.New(store, p.Now).WithProviders(wire.GatewayOf(c, keys))
	// A mistyped key would stall every payment of the environment until a person reads the log.
	if !untested {
		if err := use.Payments.TryCredentials(ctx, keys, account, n); err != nil {
			_, _ = fmt.Fprintf(p.Stderr, "nothing was changed; --skip-test stores without asking %s\n",
				account.Provider) // the error follows
			return err
		}
		_, _ = fmt.Fprintf(p.Stderr, "%s takes the credentials\n", account.Provider) // what follows matters
	}
	if err := use.Payments.ReplaceCredentials(ctx, p.Actor(), keys, n); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Stdout, "%s has new credentials; its callbacks come to %s as before\n",
		account.ID, wire.CallbackURL(c, account.Provider, account.ID))
	return err
}

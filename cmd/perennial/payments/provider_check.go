package payments

import (
	"context"
	"flag"
	"fmt"

	"perennial/billing/fault"
	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/config"
	"perennial/service"
	"perennial/service/usecase"
)

func providerTestCommand() *cli.Command {
	return &cli.Command{
		Name: "test", Summary: "ask a provider whether it takes the stored credentials of an account", Arguments: "ID",
		About: "Moves no money. What it finds is kept, as of the daily test, and shown by `perennial provider list`. Needs\n" +
			"PERENNIAL_KEK: the same as the API's and the workers'.",
		Examples: []string{"perennial provider test pp_01jcz6dyqx4w9s1c2k7v5h8m3n"},
		Setup: func(*flag.FlagSet) cli.Action {
			return func(ctx context.Context, p *cli.Process, args []string) error {
				if len(args) != 1 {
					return cli.Usagef("give the ID of one account (pp_…); `perennial provider list` shows them")
				}
				return wire.WithStore(ctx, p, func(store *db.Store, c config.Config) error {
					return testAccount(ctx, p, store, c, args[0])
				})
			}
		},
	}
}

func testAccount(ctx context.Context, p *cli.Process, store *db.Store, c config.Config, configID string) error {
	keys, err := wire.NeededVault(c, ", so the stored credentials cannot be opened")
	if err != nil {
		return err
	}
	account, err := store.Payments.ProviderConfigByID(ctx, configID)
	if err != nil {
		return err
	}
	keep := usecase.Around[db.ProviderConfig]{After: func(_ *db.Tx, tested db.ProviderConfig) error {
		account = tested
		return nil
	}}
	use := service.New(store, p.Now).WithWebhooks(service.Webhooks{Vault: keys}).WithProviders(wire.GatewayOf(c, keys))
	by := usecase.Caller{Actor: p.Actor(), EnvironmentID: account.EnvironmentID}
	if err := use.Payments.TestProvider(ctx, by, configID, keep); err != nil {
		return err
	}
	if account.TestError != "" {
		return fault.New(fault.Conflict, "provider_test_failed", "%s", account.TestError)
	}
	_, err = fmt.Fprintf(p.Stdout, "%s takes the credentials of %s\n", account.Provider, account.ID)
	return err
}

package payments

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"time"

	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service"
	"perennial/service/payments"
	"perennial/service/usecase"
)

func providerPauseCommand() *cli.Command {
	return &cli.Command{
		Name: "pause", Summary: "hold the new charges of an account, or of a whole environment", Arguments: "ID",
		About: "The ID is that of an account (pp_…) or of an environment (env_…); `perennial provider list` shows both. Payments are\n" +
			"made as before and stay pending; nothing is lost, and no retry is used up. What was sent goes on: look-ups, repeats,\n" +
			"cancellations and refunds. Of an account that is paused, backups take the charges. Who paused it is kept.",
		Examples: []string{
			"perennial provider pause pp_01jcz6dyqx4w9s1c2k7v5h8m3n",
			"perennial provider pause env_01jcz6dyqx4w9s1c2k7v5h8m3n",
		},
		Setup: func(*flag.FlagSet) cli.Action { return stopAction(true) },
	}
}

func providerResumeCommand() *cli.Command {
	return &cli.Command{
		Name: "resume", Summary: "send charges again, those that were held too", Arguments: "ID",
		About: "The ID is that of an account (pp_…) or of an environment (env_…). Held payments are sent within half a minute, many of\n" +
			"them at the pace of RECONCILE_RATE.",
		Examples: []string{
			"perennial provider resume pp_01jcz6dyqx4w9s1c2k7v5h8m3n",
			"perennial provider resume env_01jcz6dyqx4w9s1c2k7v5h8m3n",
		},
		Setup: func(*flag.FlagSet) cli.Action { return stopAction(false) },
	}
}

func stopAction(pause bool) cli.Action {
	return func(ctx context.Context, p *cli.Process, args []string) error {
		if len(args) != 1 {
			return cli.Usagef("give the ID of one account (pp_…) or environment (env_…); `perennial provider list` shows them")
		}
		return wire.WithDispatcher(ctx, p, "provider", func(store *db.Store) error {
			if strings.HasPrefix(args[0], id.Environment) {
				return stopEnvironment(ctx, p, store, args[0], pause)
			}
			return stopProvider(ctx, p, store, args[0], pause)
		})
	}
}

func stopEnvironment(ctx context.Context, p *cli.Process, store *db.Store, environmentID string, pause bool) error {
	var after payments.Charging
	keep := usecase.Around[payments.Charging]{After: func(_ *db.Tx, c payments.Charging) error {
		after = c
		return nil
	}}
	use, by := service.New(store, p.Now), usecase.Caller{Actor: p.Actor(), EnvironmentID: environmentID}
	change := use.Payments.ResumeCharging
	if pause {
		change = use.Payments.PauseCharging
	}
	if err := change(ctx, by, keep); err != nil {
		return err
	}
	return tellStop(p, "in "+environmentID, after.PausedAt, after.Held)
}

func stopProvider(ctx context.Context, p *cli.Process, store *db.Store, configID string, pause bool) error {
	config, err := store.Payments.ProviderConfigByID(ctx, configID)
	if err != nil {
		return err
	}
	keep := usecase.Around[db.ProviderConfig]{After: func(_ *db.Tx, c db.ProviderConfig) error {
		config.ChargingPausedAt = c.ChargingPausedAt
		return nil
	}}
	use, by := service.New(store, p.Now), usecase.Caller{Actor: p.Actor(), EnvironmentID: config.EnvironmentID}
	change := use.Payments.ResumeProvider
	if pause {
		change = use.Payments.PauseProvider
	}
	if err := change(ctx, by, configID, keep); err != nil {
		return err
	}
	held, err := store.Payments.HeldCharges(ctx, config.EnvironmentID)
	if err != nil {
		return err
	}
	return tellStop(p, "through "+config.Provider+" ("+configID+")", config.ChargingPausedAt, held)
}

func tellStop(p *cli.Process, where string, pausedAt time.Time, held int) error {
	state := "is on"
	if !pausedAt.IsZero() {
		state = "is paused since " + pausedAt.UTC().Format(time.DateTime)
	}
	_, err := fmt.Fprintf(p.Stdout, "charging %s %s; %s held in the environment\n", where, state, cli.Counted(held, "payment"))
	return err
}

package tenancy

import (
	"context"
	"flag"
	"fmt"
	"time"

	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/config"
	"perennial/service"
	"perennial/service/tenancy"
	"perennial/service/usecase"
)

// keyRotateCommand prints the new key alone on standard output, as create does.
func keyRotateCommand() *cli.Command {
	return &cli.Command{
		Name: "rotate", Summary: "make the next API key of one, which ends", Arguments: "ID",
		About: "The new key may do what the old one may, and is printed once, alone on standard output. The old one ends at once,\n" +
			"or when --overlap has passed, so that servers can change keys one after another.",
		Examples: []string{
			"perennial key rotate key_01jcz6dyqx4w9s1c2k7v5h8m3n",
			"perennial key rotate --overlap 24h key_01jcz6dyqx4w9s1c2k7v5h8m3n",
		},
		Setup: func(f *flag.FlagSet) cli.Action {
			overlap := f.Duration(
				"overlap", 0, "`duration` for which the old key goes on, at most 168h (default: it ends at once)",
			)
			return func(ctx context.Context, p *cli.Process, args []string) error {
				switch {
				case len(args) != 1:
					return cli.Usagef("give the ID of one key (key_…); `perennial key list` shows them")
				case *overlap < 0 || *overlap > tenancy.MaxOverlap:
					return cli.Usagef("--overlap is 0 to %s", tenancy.MaxOverlap)
				}
				return wire.WithStore(ctx, p, func(store *db.Store, _ config.Config) error {
					return rotateKey(ctx, p, service.New(store, p.Now), args[0], *overlap)
				})
			}
		},
	}
}

func rotateKey(ctx context.Context, p *cli.Process, s *service.Service, keyID string, overlap time.Duration) error {
	caller, err := s.Tenancy.CallerForKey(ctx, p.Actor(), keyID)
	if err != nil {
		return err
	}
	var made tenancy.APIKey
	err = s.Tenancy.RotateAPIKey(ctx, caller, keyID, overlap, usecase.Around[tenancy.APIKey]{
		After: func(_ *db.Tx, k tenancy.APIKey) error {
			made = k
			return nil
		},
	})
	if err != nil {
		return err
	}
	when := "has ended"
	if overlap > 0 {
		when = "ends in " + overlap.String()
	}
	// the key matters more
	_, _ = fmt.Fprintf(p.Stderr, "%s %s; made key %s, which is shown only now:\n", keyID, when, made.ID)
	_, err = fmt.Fprintln(p.Stdout, made.Plain)
	return err
}

package main

import (
	"context"
	"flag"
	"fmt"
	"time"

	"perennial/db"
	"perennial/internal/config"
	"perennial/service"
	"perennial/service/tenancy"
	"perennial/service/usecase"
)

// keyRotateCommand prints the new key alone on standard output, as create does.
func keyRotateCommand() *command {
	return &command{
		name: "rotate", summary: "make the next API key of one, which ends", arguments: "ID",
		about: "The new key may do what the old one may, and is printed once, alone on standard output. The old one ends at once,\n" +
			"or when --overlap has passed, so that servers can change keys one after another.",
		examples: []string{
			"perennial key rotate key_01jcz6dyqx4w9s1c2k7v5h8m3n",
			"perennial key rotate --overlap 24h key_01jcz6dyqx4w9s1c2k7v5h8m3n",
		},
		setup: func(f *flag.FlagSet) action {
			overlap := f.Duration(
				"overlap", 0, "`duration` for which the old key goes on, at most 168h (default: it ends at once)",
			)
			return func(ctx context.Context, p *process, args []string) error {
				switch {
				case len(args) != 1:
					return usagef("give the ID of one key (key_…); `perennial key list` shows them")
				case *overlap < 0 || *overlap > tenancy.MaxOverlap:
					return usagef("--overlap is 0 to %s", tenancy.MaxOverlap)
				}
				return withStore(ctx, p, func(store *db.Store, _ config.Config) error {
					return rotateKey(ctx, p, service.New(store, p.now), args[0], *overlap)
				})
			}
		},
	}
}

func rotateKey(ctx context.Context, p *process, s *service.Service, keyID string, overlap time.Duration) error {
	caller, err := s.Tenancy.CallerForKey(ctx, p.actor(), keyID)
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
	// the key is what matters
	_, _ = fmt.Fprintf(p.stderr, "%s %s; made key %s, which is shown only now:\n", keyID, when, made.ID)
	_, err = fmt.Fprintln(p.stdout, made.Plain)
	return err
}

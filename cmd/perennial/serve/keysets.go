package serve

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"perennial/billing/fault"
	"perennial/cmd/perennial/cli"
	"perennial/db"
	"perennial/internal/telemetry"
	"perennial/internal/vault"
)

// keysetsAtMost bounds what a start reads: unwrapping 10,000 keysets takes some 30 ms.
const keysetsAtMost = 10_000

// keysetsTold bounds how many of them are named in the log.
const keysetsTold = 10

// checkKeysets refuses to start where the key-encryption key opens nothing that is stored: a worker would take payments
// and stall each of them, an API would refuse every callback. Where it opens some, the others are one app's trouble:
// the process runs, and says whose.
func (s *Server) checkKeysets(ctx context.Context, p *cli.Process, keys *vault.Vault) error {
	store, err := db.Open(ctx, db.Config{
		URL: s.config.Database.URL.Reveal(), MaxConns: 1, Clock: p.Now, ApplicationName: "perennial start",
	})
	if err != nil {
		return err
	}
	defer store.Close()
	stored, err := store.Reconcile.Keysets(ctx, "", keysetsAtMost)
	if err != nil {
		return err
	}
	closed, first := unreadable(stored, keys)
	// All of them: the usual cause is a wrong or forgotten key, not a thousand damaged rows.
	if len(closed) > 0 && len(closed) == len(stored) {
		return fmt.Errorf("PERENNIAL_KEK opens none of the %d stored keysets, so no payment could be made: give the key "+
			"that this database's apps were made with (%s)", len(stored), fault.From(first).Detail)
	}
	for _, app := range closed[:min(len(closed), keysetsTold)] {
		s.telemetry.Logger.Error("the keyset of an app does not decrypt: none of its payments succeeds; put the key that "+
			"it was made with into PERENNIAL_KEK, behind a comma; where that key is lost, enter the credentials again with "+
			"`perennial provider update ID --new-keyset`",
			zap.String("appId", app))
	}
	return s.telemetry.Watch([]telemetry.Gauge{{
		Name: "perennial_keysets_unreadable", Text: "Apps whose keyset PERENNIAL_KEK did not open when the process started.",
	}}, func(context.Context) map[string]float64 {
		return map[string]float64{"perennial_keysets_unreadable": float64(len(closed))}
	})
}

// unreadable names the apps whose keyset does not open, and says why the first does not.
func unreadable(stored []db.Keyset, keys *vault.Vault) (apps []string, first error) {
	for _, k := range stored {
		if _, err := keys.Rewrap(k.Wrapped, k.AppID); err != nil {
			if first == nil {
				first = err
			}
			apps = append(apps, k.AppID)
		}
	}
	return apps, first
}

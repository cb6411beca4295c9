package doctor

import (
	"context"
	"time"

	"perennial/cmd/perennial/backlog"
	"perennial/cmd/perennial/cli"
	"perennial/db"
)

// breakers names the accounts that get no payments.
func (d *doctor) breakers(ctx context.Context, store *db.Store, now time.Time) {
	const check = "breakers"
	open, err := store.Payments.OpenBreakers(ctx, backlog.BreakersShown)
	if err != nil {
		d.fail(check, "check the database", "%s", cli.Describe(err))
		return
	}
	if len(open) == 0 {
		d.ok(check, "closed: every account takes payments, as far as payments have shown")
		return
	}
	d.fail(check,
		"see whether the provider is up and takes our credentials; a payment tries it every 30 s, and closes it; where "+
			"all payments go to other accounts, the daily connection test does, or `perennial provider test ID`",
		"open: %s", backlog.Names(open, func(b db.OpenBreaker) string {
			return b.Provider + " " + b.ProviderConfigID + " of " + b.EnvironmentID + " for " +
				now.Sub(b.OpenedAt).Round(time.Second).String()
		}))
}

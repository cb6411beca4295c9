package main

import (
	"context"
	"time"

	"go.uber.org/zap"

	"perennial/cmd/perennial/backlog"
	"perennial/cmd/perennial/cli"
	"perennial/db"
	"perennial/internal/telemetry"
)

const (
	openGauge  = "perennial_provider_breakers_open"
	eachBroken = "perennial_provider_breaker_open_seconds"
)

// watchBreakers serves which accounts get no payments because they take none.
func (s *server) watchBreakers(store *db.Store, now func() time.Time) error {
	return s.telemetry.WatchAmounts([]telemetry.Gauge{
		{
			Name: openGauge,
			Text: "Accounts at providers whose breaker is open: payments go to the backups, or wait. Up to 100.",
		},
		{Name: eachBroken, Text: "For each account whose breaker is open: for how long it has been."},
	}, func(ctx context.Context) map[string][]telemetry.Amount {
		open, err := store.OpenBreakers(ctx, backlog.BreakersShown)
		if err != nil {
			s.telemetry.Logger.Warn("the breakers cannot be read", zap.Error(err))
			return nil
		}
		out := map[string][]telemetry.Amount{openGauge: {{Value: float64(len(open))}}}
		for _, b := range open {
			out[eachBroken] = append(out[eachBroken], telemetry.Amount{
				Value: now().Sub(b.OpenedAt).Seconds(),
				Labels: []string{
					"environment", b.EnvironmentID, "mode", b.Mode, "account", b.ProviderConfigID, "provider", b.Provider,
				},
			})
		}
		return out
	})
}

// breakers names the accounts that get no payments.
func (d *doctor) breakers(ctx context.Context, store *db.Store, now time.Time) {
	const check = "breakers"
	open, err := store.OpenBreakers(ctx, backlog.BreakersShown)
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

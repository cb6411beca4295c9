package main

import (
	"context"
	"fmt"

	"perennial/cmd/perennial/backlog"
	"perennial/cmd/perennial/cli"
	"perennial/db"
	"perennial/internal/telemetry"
)

// The gauges of charging stops. They have series only while something is paused.
const (
	pausedGauge = "perennial_charging_paused"
	heldGauge   = "perennial_charging_held"
)

// watchCharging serves which environments and accounts have their charging paused.
func (s *server) watchCharging(store *db.Store) error {
	return s.telemetry.WatchAmounts([]telemetry.Gauge{
		{Name: pausedGauge, Text: "1 for each environment, and each account at a provider, whose charging is paused."},
		{Name: heldGauge, Text: "Payments of an environment that wait for charging to be resumed, up to 10,000."},
	}, func(ctx context.Context) map[string][]telemetry.Amount {
		paused, err := store.PausedCharging(ctx)
		if err != nil {
			return nil // the backlog's own reading says so
		}
		out, seen := map[string][]telemetry.Amount{}, map[string]bool{}
		for _, p := range paused {
			environment := []string{"environment", p.EnvironmentID, "mode", p.Mode}
			out[pausedGauge] = append(out[pausedGauge], telemetry.Amount{
				Value: 1, Labels: append(environment, "account", p.ProviderConfigID, "provider", p.Provider),
			})
			if !seen[p.EnvironmentID] {
				out[heldGauge] = append(out[heldGauge], telemetry.Amount{Value: float64(p.Held), Labels: environment})
			}
			seen[p.EnvironmentID] = true
		}
		return out
	})
}

// charging names what is paused. It warns only: a person wants it so, but must not forget it.
func (d *doctor) charging(ctx context.Context, store *db.Store) {
	const check = "charging"
	paused, err := store.PausedCharging(ctx)
	if err != nil {
		d.fail(check, "check the database", "%s", cli.Describe(err))
		return
	}
	if len(paused) == 0 {
		d.ok(check, "paused nowhere")
		return
	}
	d.warn(check, "resume with `perennial provider resume ID`, or POST …/resume-charging, where it should go on",
		"paused: %s", backlog.Names(paused, func(p db.PausedCharging) string {
			where := p.EnvironmentID
			if p.ProviderConfigID != "" {
				where = p.Provider + " " + p.ProviderConfigID
			}
			return fmt.Sprintf("%s of %s, %s (%s) since %s, %s held", where, p.Tenant, p.App, p.Mode,
				p.Since.UTC().Format("2006-01-02 15:04:05"), cli.Counted(p.Held, "payment"))
		}))
}

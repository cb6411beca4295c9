package serve

import (
	"context"

	"perennial/db"
	"perennial/internal/telemetry"
)

// The gauges of charging stops. They have series only while something is paused.
const (
	pausedGauge = "perennial_charging_paused"
	heldGauge   = "perennial_charging_held"
)

// watchCharging serves which environments and accounts have their charging paused.
func (s *Server) watchCharging(store *db.Store) error {
	return s.telemetry.WatchAmounts([]telemetry.Gauge{
		{Name: pausedGauge, Text: "1 for each environment, and each account at a provider, whose charging is paused."},
		{Name: heldGauge, Text: "Payments of an environment that wait for charging to be resumed, up to 10,000."},
	}, func(ctx context.Context) map[string][]telemetry.Amount {
		paused, err := store.Payments.PausedCharging(ctx)
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

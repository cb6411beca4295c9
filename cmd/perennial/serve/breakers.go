package serve

import (
	"context"
	"time"

	"go.uber.org/zap"

	"perennial/cmd/perennial/backlog"
	"perennial/db"
	"perennial/internal/telemetry"
)

const (
	openGauge  = "perennial_provider_breakers_open"
	eachBroken = "perennial_provider_breaker_open_seconds"
)

// watchBreakers serves which accounts get no payments because they take none.
func (s *Server) watchBreakers(store *db.Store, now func() time.Time) error {
	return s.telemetry.WatchAmounts([]telemetry.Gauge{
		{
			Name: openGauge,
			Text: "Accounts at providers whose breaker is open: payments go to the backups, or wait. Up to 100.",
		},
		{Name: eachBroken, Text: "For each account whose breaker is open: for how long it has been."},
	}, func(ctx context.Context) map[string][]telemetry.Amount {
		open, err := store.Payments.OpenBreakers(ctx, backlog.BreakersShown)
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

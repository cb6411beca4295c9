package serve

import (
	"context"
	"time"

	"go.uber.org/zap"

	"perennial/billing/fault"
	"perennial/cmd/perennial/cli"
	"perennial/service"
)

// providerTestsEvery is the pause between two searches for accounts whose last test is older than a day.
const providerTestsEvery = 5 * time.Minute

// testProviders tests the connections of accounts once a day, until ctx ends. It runs outside Temporal: a provider that
// hangs costs no slot of a payment, and a claim in the database shares the accounts among processes.
func (s *Server) testProviders(ctx context.Context, use *service.Service) {
	for {
		if err := use.Payments.TestDueProviders(ctx); err != nil && ctx.Err() == nil {
			s.telemetry.Logger.Warn("the connections of payment providers could not all be tested",
				zap.String("code", fault.From(err).Code), zap.Error(err))
		}
		if cli.Pause(ctx, providerTestsEvery) != nil {
			return
		}
	}
}

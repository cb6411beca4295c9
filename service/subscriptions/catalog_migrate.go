package subscriptions

import (
	"context"

	"perennial/service/catalog"
	"perennial/service/usecase"
)

// MigrateCatalogPlan moves the running subscriptions of a plan to its newest version, after a catalogue was applied, at
// the end of their period. Each is moved in its own transaction; after an interruption the moved ones stay, and a
// repetition continues. A subscription that a newer version has overtaken is refused, so that of two files in short
// succession the later one applies, in any order of the moves. Faults: those of MigratePlan; plan_version_superseded,
// where a newer version appeared between two pages: later subscriptions were not examined.
func (s *Service) MigrateCatalogPlan(
	ctx context.Context, by usecase.Caller, c catalog.Change,
) (all PlanMigrated, err error) {
	m := PlanMigration{To: c.To.Version, AtPeriodEnd: true, Limit: MaxMigrated, NewestOnly: true}
	for {
		step, err := s.migratePlan(ctx, by, c.To.ID, m)
		all.To, all.Examined, all.Migrated = step.To, all.Examined+step.Examined, all.Migrated+step.Migrated
		all.Refused = append(all.Refused, step.Refused...)
		if err != nil || !step.HasMore {
			return all, err
		}
		m.After = step.Last
	}
}

package subscriptions

import (
	"context"

	"perennial/service/catalog"
	"perennial/service/usecase"
)

// MigrateCatalogPlan moves the running subscriptions of a plan that a catalogue was applied to, to its newest version
// at the end of their period. Each is a transaction of its own; where it is interrupted, what was moved stays, and a
// repeat goes on. One that a newer version has overtaken is refused, so that of two files that are applied shortly
// after each other the later one holds, whichever moves a subscription last. Faults: those of MigratePlan;
// plan_version_superseded, where a newer version was found between two pages: the subscriptions behind it were not
// looked at.
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

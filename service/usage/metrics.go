package usage

import (
	"cmp"
	"context"

	"perennial/billing/audit"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/text"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// NewMetric is a metric to create.
type NewMetric struct {
	Name        string
	DisplayName string // empty: the name
	usage.Definition
}

// CreateMetric stores the first version of a metric, which accepts records from now on. Faults: those of
// usage.Metric.Validate and of text; metric_name_taken.
func (s *Service) CreateMetric(
	ctx context.Context, by usecase.Caller, in NewMetric, also usecase.Also[usage.Metric],
) (usage.Metric, error) {
	now := s.Now()
	m := usage.Metric{
		ID: id.New(id.Metric, now), Version: 1, Name: in.Name, DisplayName: cmp.Or(in.DisplayName, in.Name), Active: true,
		CreatedAt: now, VersionAt: now, Definition: in.Definition,
	}
	if err := fault.Joined(m.Validate(), text.Check("displayName", m.DisplayName)); err != nil {
		return m, err
	}
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (usage.Metric, error) {
		if err := tx.Usage.InsertMetric(ctx, by.EnvironmentID, m); err != nil {
			return m, err
		}
		return m, tx.Emit(ctx, by.EnvironmentID, event.New(event.MetricCreated{ID: m.ID}, now))
	})
}

// MetricUpdate changes the fields that are not nil. Another definition creates another version.
type MetricUpdate struct {
	DisplayName *string
	Active      *bool
	Definition  *usage.Definition
}

// UpdateMetric changes a metric or creates its next version, and announces the changes, if any. Prices keep their
// versions. Faults: metric_not_found, those of usage.Metric.Next and of text.
func (s *Service) UpdateMetric(
	ctx context.Context, by usecase.Caller, metricID string, u MetricUpdate, also usecase.Also[usage.Metric],
) (usage.Metric, error) {
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (usage.Metric, error) {
		m, err := tx.Usage.LockMetric(ctx, by.EnvironmentID, metricID)
		if err != nil {
			return m, err
		}
		now := s.Now()
		was := m
		var changed []string
		if u.DisplayName != nil && *u.DisplayName != m.DisplayName {
			m.DisplayName, changed = *u.DisplayName, append(changed, "displayName")
		}
		if u.Active != nil && *u.Active != m.Active {
			m.Active, changed = *u.Active, append(changed, "active")
		}
		if err := text.Check("displayName", m.DisplayName); err != nil {
			return m, err
		}
		if len(changed) > 0 {
			if err := tx.Usage.SaveMetric(ctx, by.EnvironmentID, m); err != nil {
				return m, err
			}
		}
		if u.Definition != nil {
			if m, err = m.Next(*u.Definition, now); err != nil {
				return m, inDefinition(err)
			}
			if err := tx.Usage.InsertMetric(ctx, by.EnvironmentID, m); err != nil {
				return m, err
			}
			changed = append(changed, "version")
		}
		tx.AuditChanges(audit.Changes("metric", changed, was, m)...)
		if len(changed) == 0 {
			return m, nil
		}
		return m, tx.Emit(ctx, by.EnvironmentID, event.New(event.MetricUpdated{ID: m.ID, Changed: changed}, now))
	})
}

// inDefinition adds the field of the definition to a fault.
func inDefinition(err error) error {
	if f := fault.From(err); f.Kind == fault.Invalid {
		return f.Within("definition")
	}
	return err
}

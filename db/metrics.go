package db

import (
	"context"

	"perennial/billing/fault"
	"perennial/billing/usage"
	"perennial/db/internal/dbsqlc"
)

// MetricFilter narrows a list; nil: any.
type MetricFilter struct{ Active *bool }

// MetricWithKey reads key and metric, in its newest version, in one round trip. Faults: api_key_unknown;
// metric_not_found, with the key.
func (r Reader) MetricWithKey(ctx context.Context, hash []byte, id string) (APIKey, usage.Metric, error) {
	row, err := queries.MetricGetWithKey(ctx, r.handle, dbsqlc.MetricGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.withoutResource(ctx, hash, "metric", err)
		return key, usage.Metric{}, err
	}
	return apiKeyFromDB(row.ApiKeyDetail), metricFromDB(row.Metric), nil
}

// ServedMetric reads the version that answers about the metric with a name: the newest, unless it is still counting
// what was recorded before it. Fault: metric_not_found.
func (r Reader) ServedMetric(ctx context.Context, environmentID, name string) (usage.Metric, error) {
	row, err := queries.MetricGetServed(ctx, r.handle,
		dbsqlc.MetricGetServedParams{EnvironmentID: environmentID, Name: name})
	return metricFromDB(row.Metric), readError("metric", err)
}

// ServedMetrics lists the metrics that take records, at most limit, each in the version that answers about it.
func (r Reader) ServedMetrics(ctx context.Context, environmentID string, limit int) ([]usage.Metric, error) {
	found, err := queries.MetricListServed(ctx, r.handle,
		dbsqlc.MetricListServedParams{EnvironmentID: environmentID, RowLimit: rowLimit(limit)})
	return refs(found, func(row dbsqlc.MetricListServedRow) usage.Metric {
		return metricFromDB(row.Metric)
	}), translate("MetricListServed", err)
}

// MetricVersion reads one version by its id. Fault: metric_not_found.
func (r Reader) MetricVersion(ctx context.Context, environmentID, versionID string) (usage.Metric, error) {
	row, err := queries.MetricGetVersion(ctx, r.handle,
		dbsqlc.MetricGetVersionParams{EnvironmentID: environmentID, ID: versionID})
	return metricFromDB(row.Metric), readError("metric", err)
}

// MetricVersions lists all versions of a metric, the newest first.
func (r Reader) MetricVersions(ctx context.Context, environmentID, metricID string) ([]usage.Metric, error) {
	rows, err := queries.MetricVersionList(ctx, r.handle,
		dbsqlc.MetricVersionListParams{EnvironmentID: environmentID, MetricID: metricID})
	return refs(rows, func(row dbsqlc.MetricVersionListRow) usage.Metric {
		return metricFromDB(row.Metric)
	}), translate("MetricVersionList", err)
}

// Metrics lists an environment's, each in its newest version.
func (r Reader) Metrics(
	ctx context.Context, environmentID string, f MetricFilter, page Page,
) (metrics []usage.Metric, hasMore bool, err error) {
	span, err := r.bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := queries.MetricList(ctx, r.lists(), dbsqlc.MetricListParams{
		EnvironmentID: environmentID, Active: f.Active, Below: span.below, Above: span.above, Forward: page.forward(),
		RowLimit: page.rowLimit(),
	})
	if err != nil {
		return nil, false, translate("MetricList", err)
	}
	metrics, hasMore = cut(page, rows, func(row dbsqlc.MetricListRow) usage.Metric { return metricFromDB(row.Metric) })
	return metrics, hasMore, nil
}

// LockMetric reads the newest version of one that nobody else may change until the transaction ends. Fault:
// metric_not_found.
func (tx *Tx) LockMetric(ctx context.Context, environmentID, id string) (usage.Metric, error) {
	_, err := queries.MetricLock(ctx, tx.pipe, dbsqlc.MetricLockParams{EnvironmentID: environmentID, MetricID: id})
	if err != nil {
		return usage.Metric{}, readError("metric", err)
	}
	row, err := queries.MetricGetLocked(ctx, tx.pipe,
		dbsqlc.MetricGetLockedParams{EnvironmentID: environmentID, MetricID: id})
	return metricFromDB(row.Metric), readError("metric", err)
}

var errMetricNameTaken = fault.New(fault.Conflict, "metric_name_taken",
	"The environment has a metric with this name. Send another name.").In("name")

// InsertMetric writes a version, which is the current one from now on. The caller holds the lock of an earlier one.
// Fault: metric_name_taken.
func (tx *Tx) InsertMetric(ctx context.Context, environmentID string, m usage.Metric) error {
	if m.Version > 1 {
		err := queries.MetricRetire(ctx, tx.pipe,
			dbsqlc.MetricRetireParams{EnvironmentID: environmentID, MetricID: m.ID})
		if err != nil {
			return err
		}
	}
	err := queries.MetricInsert(ctx, tx.pipe.orElse(errMetricNameTaken), dbsqlc.MetricInsertParams{
		ID: m.VersionID(), EnvironmentID: environmentID, Name: m.Name, DisplayName: m.DisplayName, Active: m.Active,
		Definition: m.Definition, CreatedAt: m.CreatedAt, VersionAt: m.VersionAt,
	})
	if err != nil {
		return err
	}
	return queries.UsageProgressInsert(ctx, tx.pipe,
		dbsqlc.UsageProgressInsertParams{
			EnvironmentID: environmentID, VersionID: m.VersionID(), MetricID: m.ID, Tail: usageTail,
		})
}

// SaveMetric writes what may change: the name for people, and whether records are taken. The caller holds the lock.
// Fault: metric_not_found.
func (tx *Tx) SaveMetric(ctx context.Context, environmentID string, m usage.Metric) error {
	return queries.MetricUpdate(ctx, tx.pipe.orElse(notFound("metric")), dbsqlc.MetricUpdateParams{
		EnvironmentID: environmentID, MetricID: m.ID, DisplayName: m.DisplayName, Active: m.Active,
	})
}

func metricFromDB(row dbsqlc.Metric) usage.Metric {
	return usage.Metric{
		ID: row.MetricID, Version: row.Version, Name: row.Name, DisplayName: row.DisplayName, Active: row.Active,
		CreatedAt: row.CreatedAt, VersionAt: row.VersionAt, Definition: row.Definition,
	}
}

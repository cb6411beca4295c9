package usage

import (
	"context"

	"perennial/billing/fault"
	"perennial/billing/usage"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// MetricFilter narrows a list; nil: any.
type MetricFilter struct{ Active *bool }

// MetricWithKey reads key and metric, in its newest version, in one round trip. Faults: api_key_unknown;
// metric_not_found, with the key.
func (r Reader) MetricWithKey(ctx context.Context, hash []byte, id string) (core.APIKey, usage.Metric, error) {
	row, err := core.Queries.MetricGetWithKey(ctx, r.Handle, dbsqlc.MetricGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "metric", err)
		return key, usage.Metric{}, err
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), MetricFromDB(row.Metric), nil
}

// ServedMetric reads the version that serves a metric by its name: the newest, unless it is still counting earlier
// records. Fault: metric_not_found.
func (r Reader) ServedMetric(ctx context.Context, environmentID, name string) (usage.Metric, error) {
	row, err := core.Queries.MetricGetServed(ctx, r.Handle,
		dbsqlc.MetricGetServedParams{EnvironmentID: environmentID, Name: name})
	return MetricFromDB(row.Metric), core.ReadError("metric", err)
}

// ServedMetrics lists the metrics that accept records, at most limit, each in its serving version.
func (r Reader) ServedMetrics(ctx context.Context, environmentID string, limit int) ([]usage.Metric, error) {
	found, err := core.Queries.MetricListServed(ctx, r.Handle,
		dbsqlc.MetricListServedParams{EnvironmentID: environmentID, RowLimit: core.RowLimit(limit)})
	return core.Map(found, func(row dbsqlc.MetricListServedRow) usage.Metric {
		return MetricFromDB(row.Metric)
	}), core.Translate("MetricListServed", err)
}

// MetricVersion reads one version by its id. Fault: metric_not_found.
func (r Reader) MetricVersion(ctx context.Context, environmentID, versionID string) (usage.Metric, error) {
	row, err := core.Queries.MetricGetVersion(ctx, r.Handle,
		dbsqlc.MetricGetVersionParams{EnvironmentID: environmentID, ID: versionID})
	return MetricFromDB(row.Metric), core.ReadError("metric", err)
}

// MetricsByVersion reads versions by their ids, also of archived metrics. Unknown ids are absent.
func (r Reader) MetricsByVersion(
	ctx context.Context, environmentID string, versionIDs []string,
) (map[string]usage.Metric, error) {
	rows, err := core.Queries.MetricListVersions(ctx, r.Handle,
		dbsqlc.MetricListVersionsParams{EnvironmentID: environmentID, Ids: versionIDs})
	metrics := map[string]usage.Metric{}
	for _, row := range rows {
		metrics[row.Metric.ID] = MetricFromDB(row.Metric)
	}
	return metrics, core.Translate("MetricListVersions", err)
}

// MetricVersions lists all versions of a metric, the newest first.
func (r Reader) MetricVersions(ctx context.Context, environmentID, metricID string) ([]usage.Metric, error) {
	rows, err := core.Queries.MetricVersionList(ctx, r.Handle,
		dbsqlc.MetricVersionListParams{EnvironmentID: environmentID, MetricID: metricID})
	return core.Map(rows, func(row dbsqlc.MetricVersionListRow) usage.Metric {
		return MetricFromDB(row.Metric)
	}), core.Translate("MetricVersionList", err)
}

// Metrics lists the metrics of an environment, each in its newest version.
func (r Reader) Metrics(
	ctx context.Context, environmentID string, f MetricFilter, page core.Page,
) (metrics []usage.Metric, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.MetricList(ctx, r.Lists(), dbsqlc.MetricListParams{
		EnvironmentID: environmentID, Active: f.Active, Below: span.Below, Above: span.Above, Forward: page.Forward(),
		RowLimit: page.RowLimit(),
	})
	if err != nil {
		return nil, false, core.Translate("MetricList", err)
	}
	metrics, hasMore = core.Cut(page, rows,
		func(row dbsqlc.MetricListRow) usage.Metric { return MetricFromDB(row.Metric) })
	return metrics, hasMore, nil
}

// LockMetric reads the newest version of a metric and locks it until the transaction ends. Fault: metric_not_found.
func (tx *Tx) LockMetric(ctx context.Context, environmentID, id string) (usage.Metric, error) {
	_, err := core.Queries.MetricLock(ctx, tx.Pipe, dbsqlc.MetricLockParams{EnvironmentID: environmentID, MetricID: id})
	if err != nil {
		return usage.Metric{}, core.ReadError("metric", err)
	}
	row, err := core.Queries.MetricGetLocked(ctx, tx.Pipe,
		dbsqlc.MetricGetLockedParams{EnvironmentID: environmentID, MetricID: id})
	return MetricFromDB(row.Metric), core.ReadError("metric", err)
}

var errMetricNameTaken = fault.New(fault.Conflict, "metric_name_taken",
	"The environment has a metric with this name. Send another name.").In("name")

// InsertMetric writes a version, which becomes the current one. The caller holds the lock of an earlier one. Fault:
// metric_name_taken.
func (tx *Tx) InsertMetric(ctx context.Context, environmentID string, m usage.Metric) error {
	if m.Version > 1 {
		err := core.Queries.MetricRetire(ctx, tx.Pipe,
			dbsqlc.MetricRetireParams{EnvironmentID: environmentID, MetricID: m.ID})
		if err != nil {
			return err
		}
	}
	err := core.Queries.MetricInsert(ctx, tx.Pipe.OrElse(errMetricNameTaken), dbsqlc.MetricInsertParams{
		ID: m.VersionID(), EnvironmentID: environmentID, Name: m.Name, DisplayName: m.DisplayName, Active: m.Active,
		Definition: m.Definition, CreatedAt: m.CreatedAt, VersionAt: m.VersionAt,
	})
	if err != nil {
		return err
	}
	return core.Queries.UsageProgressInsert(ctx, tx.Pipe,
		dbsqlc.UsageProgressInsertParams{
			EnvironmentID: environmentID, VersionID: m.VersionID(), MetricID: m.ID, Tail: usageTail,
		})
}

// SaveMetric writes the fields that may change: the name for people, and whether the metric accepts records. The caller
// holds the lock. Fault: metric_not_found.
func (tx *Tx) SaveMetric(ctx context.Context, environmentID string, m usage.Metric) error {
	return core.Queries.MetricUpdate(ctx, tx.Pipe.OrElse(core.NotFound("metric")), dbsqlc.MetricUpdateParams{
		EnvironmentID: environmentID, MetricID: m.ID, DisplayName: m.DisplayName, Active: m.Active,
	})
}

// MetricFromDB returns the metric of a row.
func MetricFromDB(row dbsqlc.Metric) usage.Metric {
	return usage.Metric{
		ID: row.MetricID, Version: row.Version, Name: row.Name, DisplayName: row.DisplayName, Active: row.Active,
		CreatedAt: row.CreatedAt, VersionAt: row.VersionAt, Definition: row.Definition,
	}
}

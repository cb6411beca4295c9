package catalog

import (
	"context"
	"errors"
	"fmt"

	"perennial/billing/fault"
	"perennial/billing/plan"
	"perennial/db"
	"perennial/service/usecase"
)

// checkFeatures refuses features that are counted by a metric which does not exist. Fault: metric_not_found.
func checkFeatures(ctx context.Context, r metricReader, by usecase.Caller, all plan.Features) error {
	for i, f := range all {
		if f.MetricName == "" {
			continue
		}
		_, err := r.ServedMetric(ctx, by.EnvironmentID, f.MetricName)
		if errors.Is(err, db.ErrMetricNotFound) {
			return fault.New(fault.NotFound, "metric_not_found",
				"There is no metric %.40q. Create it first.", f.MetricName).In(fmt.Sprintf("features[%d].metricName", i))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

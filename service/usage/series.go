package usage

import (
	"context"
	"slices"
	"time"

	"perennial/billing/fault"
	"perennial/billing/period"
	"perennial/billing/subscription"
	"perennial/billing/usage"
	"perennial/service/usecase"
)

// Question is a question for a subscription's usage. Zero times: the current period. No name: all metrics that accept
// records.
type Question struct {
	MetricName  string
	From, To    time.Time
	Granularity usage.Granularity
	GroupBy     []string
}

// Answer has the usage of one metric in each of the periods.
type Answer struct {
	Metric  usage.Metric
	Periods []usage.Span
	Totals  []usage.Totals
}

// usageMetrics bounds the metrics of an answer about all of them.
const usageMetrics = 100

// Used reads a subscription's usage, by the newest versions of metrics that have counted all earlier records. Faults:
// metric_not_found, usage_range_invalid, usage_group_unknown.
func (s *Service) Used(
	ctx context.Context, by usecase.Caller, sub subscription.Subscription, q Question,
) ([]Answer, error) {
	metrics, err := s.metricsAsked(ctx, by, q)
	if err != nil {
		return nil, err
	}
	from, to := q.From, q.To
	if from.IsZero() {
		from = sub.CurrentPeriod.Start
	}
	if to.IsZero() {
		to = sub.CurrentPeriod.End
	}
	zone, err := period.LoadLocation(sub.TimeZone)
	if err != nil {
		return nil, err
	}
	periods := usage.Windows(q.Granularity, from, to, zone)
	if len(periods) == 0 || len(periods) > usage.MaxWindows {
		return nil, fault.InvalidParam("from", "usage_range_invalid",
			"`from` must be before `to`, with at most %d periods of the granularity between them.", usage.MaxWindows)
	}
	answers := make([]Answer, len(metrics))
	for i, metric := range metrics {
		totals, err := s.Quantities(ctx, by.EnvironmentID, sub.ID, metric, periods, q.GroupBy)
		if err != nil {
			return nil, err
		}
		answers[i] = Answer{Metric: metric, Periods: periods, Totals: totals}
	}
	return answers, nil
}

// metricsAsked returns the metrics of a question. Faults: metric_not_found, usage_group_unknown.
func (s *Service) metricsAsked(ctx context.Context, by usecase.Caller, q Question) ([]usage.Metric, error) {
	if q.MetricName == "" && len(q.GroupBy) == 0 {
		return s.Store.Usage.ServedMetrics(ctx, by.EnvironmentID, usageMetrics)
	}
	metric, err := s.Store.Usage.ServedMetric(ctx, by.EnvironmentID, q.MetricName)
	if err != nil {
		return nil, usecase.InParam(err, "metric")
	}
	for i, name := range q.GroupBy {
		if !slices.Contains(metric.GroupBy, name) || slices.Contains(q.GroupBy[:i], name) {
			return nil, fault.InvalidParam("groupBy", "usage_group_unknown",
				"`groupBy` must name dimensions of the metric, each once, separated by commas.")
		}
	}
	return []usage.Metric{metric}, nil
}

// Quantities returns a subscription's usage in periods that are in the order of time and do not overlap, by one version
// of a metric.
func (s *Service) Quantities(
	ctx context.Context, environmentID, subscriptionID string, of usage.Metric, periods []usage.Span, by []string,
) ([]usage.Totals, error) {
	return s.usage.UsageSeries(ctx, environmentID, subscriptionID, of, periods, by)
}

package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/metric"
)

// Gauge is a measurement that is read at each scrape, not when something happens: what stands still shows too.
type Gauge struct{ Name, Text string }

// gaugeBudget is how long one reading may take: less than Prometheus waits for a scrape.
const gaugeBudget = 3 * time.Second

// Watch serves gauges from now on. read gives their values by name at each scrape; a gauge without a value is left out
// of that scrape.
func (t *Telemetry) Watch(gauges []Gauge, read func(context.Context) map[string]float64) error {
	meter := t.meters.Meter(scope)
	byName := map[string]metric.Float64ObservableGauge{}
	var all []metric.Observable
	for _, g := range gauges {
		made, err := meter.Float64ObservableGauge(g.Name, metric.WithDescription(g.Text))
		if err != nil {
			return err
		}
		byName[g.Name] = made
		all = append(all, made)
	}
	_, err := meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		ctx, cancel := context.WithTimeout(ctx, gaugeBudget)
		defer cancel()
		for name, value := range read(ctx) {
			o.ObserveFloat64(byName[name], value)
		}
		return nil
	}, all...)
	return err
}

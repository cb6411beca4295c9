package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/metric"
)

// Gauge is a measurement that is read at each scrape, not when something happens, so that stuck work shows too.
type Gauge struct{ Name, Text string }

// gaugeBudget is the time that one reading may take: less than Prometheus waits for a scrape.
const gaugeBudget = 3 * time.Second

// Watch serves gauges from now on. read gives their values by name at each scrape; a gauge without a value is left out
// of that scrape.
func (t *Telemetry) Watch(gauges []Gauge, read func(context.Context) map[string]float64) error {
	return t.watch(gauges, func(ctx context.Context, observe func(name string, value float64, labels ...string)) {
		for name, value := range read(ctx) {
			observe(name, value)
		}
	})
}

func (t *Telemetry) watch(
	gauges []Gauge, read func(ctx context.Context, observe func(name string, value float64, labels ...string)),
) error {
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
		read(ctx, func(name string, value float64, labels ...string) {
			o.ObserveFloat64(byName[name], value, with(labels...))
		})
		return nil
	}, all...)
	return err
}

// Amount is one value of a gauge that is split by labels: keys and values in turn, words of small sets.
type Amount struct {
	Value  float64
	Labels []string
}

// WatchAmounts serves gauges with labels; what read leaves out is left out of that scrape.
func (t *Telemetry) WatchAmounts(gauges []Gauge, read func(context.Context) map[string][]Amount) error {
	return t.watch(gauges, func(ctx context.Context, observe func(name string, value float64, labels ...string)) {
		for name, amounts := range read(ctx) {
			for _, a := range amounts {
				observe(name, a.Value, a.Labels...)
			}
		}
	})
}

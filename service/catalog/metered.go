package catalog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"perennial/billing/metered"
	"perennial/billing/text"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// metricReader is the usage column of a transaction, or of a store.
type metricReader interface {
	ServedMetric(ctx context.Context, environmentID, name string) (usage.Metric, error)
}

// resolved returns the metered prices of a new version: with ids, and with the present versions of their metrics. was
// are those of the version before; nil: none. Faults: those of metered.Prices.Resolve.
func resolved(
	ctx context.Context, r metricReader, by usecase.Caller, was, p *metered.Prices, now time.Time,
) (*metered.Prices, error) {
	if p == nil {
		return nil, nil
	}
	metrics := map[string]usage.Metric{}
	for _, name := range p.Unresolved() {
		m, err := r.ServedMetric(ctx, by.EnvironmentID, name)
		switch {
		case errors.Is(err, db.ErrMetricNotFound):
		case err != nil:
			return nil, err
		case m.Active:
			metrics[name] = m
		}
	}
	out, err := p.Resolve(metrics)
	if err != nil {
		return nil, err
	}
	out = out.Identified(was, func() string { return id.New(id.Price, now) })
	return &out, nil
}

// checkMeteredNames refuses names of metered prices that people cannot read. Faults: those of text.Check.
func checkMeteredNames(p *metered.Prices) error {
	if p == nil {
		return nil
	}
	for i, c := range p.Components {
		if err := text.Check(fmt.Sprintf("meteredPrices[%d].name", i), c.Name); err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"perennial/billing/money"
	"perennial/db"
	"perennial/internal/telemetry"
)

// sumsNamed is how many sums one look at the log or the doctor shows; the oldest come first.
const sumsNamed = 10

// watchWaiting serves gauges of the money that waits.
func (s *server) watchWaiting(store *db.Store, now func() time.Time) error {
	var gauges []telemetry.Gauge
	for _, w := range allWaiting {
		gauges = append(gauges, telemetry.Gauge{
			Name: "perennial_" + w.metric + "_amount", Text: "Their sum in minor units, by currency and mode. " + w.text + ".",
		})
		if w.counted {
			continue
		}
		gauges = append(gauges,
			telemetry.Gauge{Name: "perennial_" + w.metric, Text: w.text + ", up to 10,000."},
			telemetry.Gauge{
				Name: "perennial_" + w.metric + "_age_seconds", Text: "How long the oldest of them has waited. " + w.text + ".",
			})
	}
	return s.telemetry.WatchAmounts(gauges, func(ctx context.Context) map[string][]telemetry.Amount {
		out := map[string][]telemetry.Amount{}
		for _, w := range allWaiting {
			sums, err := w.read(ctx, store, now())
			if err != nil { // the backlog's own reading says so
				continue
			}
			out["perennial_"+w.metric+"_amount"] = byCurrency(sums)
			if w.counted {
				continue
			}
			count, age := totals(sums, now())
			out["perennial_"+w.metric] = []telemetry.Amount{{Value: float64(count)}}
			out["perennial_"+w.metric+"_age_seconds"] = []telemetry.Amount{{Value: age.Seconds()}}
		}
		return out
	})
}

func totals(sums []db.WaitingMoney, now time.Time) (count int, age time.Duration) {
	for _, sum := range sums {
		count, age = count+sum.Count, max(age, now.Sub(sum.Oldest))
	}
	return count, age
}

// byCurrency adds up what environments of one mode wait for.
func byCurrency(sums []db.WaitingMoney) (out []telemetry.Amount) {
	type series struct {
		currency money.Currency
		mode     string
	}
	added := map[series]float64{}
	for _, sum := range sums {
		added[series{sum.Currency, sum.Mode}] += float64(sum.Amount)
	}
	for at, amount := range added {
		out = append(out, telemetry.Amount{
			Value: amount, Labels: []string{"currency", at.currency.String(), "mode", at.mode},
		})
	}
	return out
}

// alarmWaiting is the part of one look of alarm that is about money.
func (s *server) alarmWaiting(ctx context.Context, store *db.Store, said *said, now time.Time) {
	ctx, cancel := context.WithTimeout(ctx, alarmEvery)
	defer cancel()
	for _, w := range allWaiting {
		if sums, err := w.read(ctx, store, now); err == nil { // a database that is away is in the log of every request
			s.soundWaiting(w, sums, said, now)
		}
	}
}

// soundWaiting logs the money that waits, one line for each environment and currency, once a minute.
func (s *server) soundWaiting(w waiting, sums []db.WaitingMoney, said *said, now time.Time) {
	if len(sums) == 0 || !said.again(w.check, now) {
		return
	}
	for _, sum := range sums[:min(len(sums), sumsNamed)] {
		s.telemetry.Logger.Error(w.alarm, telemetry.Environment(sum.EnvironmentID), zap.String("tenant", sum.Tenant),
			zap.String("app", sum.App), zap.String("mode", sum.Mode), zap.Int("count", sum.Count),
			zap.String("amount", money.Format(sum.Amount, sum.Currency)), zap.Time("since", sum.Oldest),
			zap.Duration("oldest", now.Sub(sum.Oldest)), zap.String(w.idField(), sum.FirstID))
	}
}

// waiting checks that no money waits.
func (d *doctor) waiting(ctx context.Context, store *db.Store, w waiting) {
	sums, err := w.read(ctx, store, d.now())
	if err == nil && len(sums) == 0 {
		d.ok(w.check, "none")
		return
	}
	examples := ""
	if err == nil && w.examples != nil {
		examples, err = w.examples(ctx, store, d.now())
	}
	if err != nil {
		d.fail(w.check, "check the database", "%s", describe(err))
		return
	}
	if examples != "" {
		examples = "; the oldest: " + examples
	}
	count, age := totals(sums, d.now())
	d.fail(w.check, w.remedy, "%s%s, the oldest for %s: %s%s", counted(count, w.noun), w.state, age.Round(time.Second),
		names(sums[:min(len(sums), sumsNamed)], func(sum db.WaitingMoney) string {
			return fmt.Sprintf("%s for %s, %s (%s; %s from %s on)", money.Format(sum.Amount, sum.Currency), sum.Tenant, sum.App,
				sum.Mode, counted(sum.Count, w.noun), sum.FirstID)
		}), examples)
}

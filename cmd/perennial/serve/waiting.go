package serve

import (
	"context"
	"time"

	"go.uber.org/zap"

	"perennial/billing/money"
	"perennial/cmd/perennial/backlog"
	"perennial/db"
	"perennial/internal/telemetry"
)

// watchWaiting serves gauges of the money that waits.
func (s *Server) watchWaiting(store *db.Store, now func() time.Time) error {
	var gauges []telemetry.Gauge
	for _, w := range backlog.AllWaiting {
		gauges = append(gauges, telemetry.Gauge{
			Name: "perennial_" + w.Metric + "_amount", Text: "Their sum in minor units, by currency and mode. " + w.Text + ".",
		})
		if w.Counted {
			continue
		}
		gauges = append(gauges,
			telemetry.Gauge{Name: "perennial_" + w.Metric, Text: w.Text + ", up to 10,000."},
			telemetry.Gauge{
				Name: "perennial_" + w.Metric + "_age_seconds", Text: "How long the oldest of them has waited. " + w.Text + ".",
			})
	}
	return s.telemetry.WatchAmounts(gauges, func(ctx context.Context) map[string][]telemetry.Amount {
		out := map[string][]telemetry.Amount{}
		for _, w := range backlog.AllWaiting {
			sums, err := w.Read(ctx, store, now())
			if err != nil { // the backlog's own reading says so
				continue
			}
			out["perennial_"+w.Metric+"_amount"] = byCurrency(sums)
			if w.Counted {
				continue
			}
			count, age := backlog.Totals(sums, now())
			out["perennial_"+w.Metric] = []telemetry.Amount{{Value: float64(count)}}
			out["perennial_"+w.Metric+"_age_seconds"] = []telemetry.Amount{{Value: age.Seconds()}}
		}
		return out
	})
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
func (s *Server) alarmWaiting(ctx context.Context, store *db.Store, said *said, now time.Time) {
	ctx, cancel := context.WithTimeout(ctx, alarmEvery)
	defer cancel()
	for _, w := range backlog.AllWaiting {
		if sums, err := w.Read(ctx, store, now); err == nil { // a database that is away is in the log of every request
			s.soundWaiting(w, sums, said, now)
		}
	}
}

// soundWaiting logs the money that waits, one line for each environment and currency, once a minute.
func (s *Server) soundWaiting(w backlog.Waiting, sums []db.WaitingMoney, said *said, now time.Time) {
	if len(sums) == 0 || !said.again(w.Check, now) {
		return
	}
	for _, sum := range sums[:min(len(sums), backlog.SumsNamed)] {
		s.telemetry.Logger.Error(w.Alarm, telemetry.Environment(sum.EnvironmentID), zap.String("tenant", sum.Tenant),
			zap.String("app", sum.App), zap.String("mode", sum.Mode), zap.Int("count", sum.Count),
			zap.String("amount", money.Format(sum.Amount, sum.Currency)), zap.Time("since", sum.Oldest),
			zap.Duration("oldest", now.Sub(sum.Oldest)), zap.String(w.IDField(), sum.FirstID))
	}
}

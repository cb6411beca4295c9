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

// waiting is one reason for which money waits, as operators see it.
type waiting struct {
	check         string // of the doctor
	alarm, remedy string
	metric, text  string // perennial_ and this: a count, the age of the oldest, amounts by currency
	read          func(context.Context, *db.Store, time.Time) ([]db.WaitingMoney, error)
}

var untakenCharges = waiting{
	check: "charges not taken", metric: "untaken_charges",
	text: "Charges due for more than a minute that no provider has taken",
	alarm: "charges are due and no provider has taken them: see that workers run, and that the provider answers and " +
		"takes our key",
	remedy: "check that workers run, and the line `payment provider`; what waits is sent by itself once the provider " +
		"answers",
	read: func(ctx context.Context, store *db.Store, now time.Time) ([]db.WaitingMoney, error) {
		return store.UntakenCharges(ctx, now.Add(-late))
	},
}

var refundsOwed = waiting{
	check: "refunds owed", metric: "refunds_owed",
	text: "Charges of which a refund failed, so that money is owed to the payer",
	alarm: "refunds failed and are owed to payers: list them with GET /payments?refundOwed=true, then retry each or " +
		"return it as credit",
	remedy: "the app lists them with GET /payments?refundOwed=true; then POST /payments/{id}/retry-refund, or /credit-refund to return " +
		"the amount as credit",
	read: func(ctx context.Context, store *db.Store, _ time.Time) ([]db.WaitingMoney, error) {
		return store.RefundsOwed(ctx)
	},
}

// sumsNamed is how many sums one look at the log or the doctor shows; the oldest come first.
const sumsNamed = 10

// watchWaiting serves gauges of the money that waits.
func (s *server) watchWaiting(store *db.Store, now func() time.Time) error {
	var gauges []telemetry.Gauge
	all := []waiting{untakenCharges, refundsOwed}
	for _, w := range all {
		gauges = append(gauges,
			telemetry.Gauge{Name: "perennial_" + w.metric, Text: w.text + ", up to 10,000."},
			telemetry.Gauge{
				Name: "perennial_" + w.metric + "_age_seconds", Text: "How long the oldest of them has waited. " + w.text + ".",
			},
			telemetry.Gauge{
				Name: "perennial_" + w.metric + "_amount", Text: "Their sum in minor units, by currency and mode. " + w.text + ".",
			})
	}
	return s.telemetry.WatchAmounts(gauges, func(ctx context.Context) map[string][]telemetry.Amount {
		out := map[string][]telemetry.Amount{}
		for _, w := range all {
			sums, err := w.read(ctx, store, now())
			if err != nil { // the backlog's own reading says so
				continue
			}
			payments, age := totals(sums, now())
			out["perennial_"+w.metric] = []telemetry.Amount{{Value: float64(payments)}}
			out["perennial_"+w.metric+"_age_seconds"] = []telemetry.Amount{{Value: age.Seconds()}}
			out["perennial_"+w.metric+"_amount"] = byCurrency(sums)
		}
		return out
	})
}

func totals(sums []db.WaitingMoney, now time.Time) (payments int, age time.Duration) {
	for _, sum := range sums {
		payments, age = payments+sum.Payments, max(age, now.Sub(sum.Oldest))
	}
	return payments, age
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
	for _, w := range []waiting{untakenCharges, refundsOwed} {
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
			zap.String("app", sum.App), zap.String("mode", sum.Mode), zap.Int("count", sum.Payments),
			zap.String("amount", money.Format(sum.Amount, sum.Currency)), zap.Duration("oldest", now.Sub(sum.Oldest)),
			zap.String("transactionId", sum.FirstID))
	}
}

// waiting checks that no money waits.
func (d *doctor) waiting(ctx context.Context, store *db.Store, w waiting) {
	sums, err := w.read(ctx, store, d.now())
	switch {
	case err != nil:
		d.fail(w.check, "check the database", "%s", describe(err))
	case len(sums) == 0:
		d.ok(w.check, "none")
	default:
		payments, age := totals(sums, d.now())
		d.fail(w.check, w.remedy, "%s, the oldest for %s: %s", counted(payments, "charge"), age.Round(time.Second),
			names(sums[:min(len(sums), sumsNamed)], func(sum db.WaitingMoney) string {
				return fmt.Sprintf("%s for %s, %s (%s; %s from %s on)", money.Format(sum.Amount, sum.Currency), sum.Tenant, sum.App,
					sum.Mode,
					counted(sum.Payments, "charge"), sum.FirstID)
			}))
	}
}

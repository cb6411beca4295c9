package scenario

import (
	"context"
	"fmt"
	"time"

	"perennial/activities"
	"perennial/activities/execution"
	activity "perennial/activities/rating"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
	"perennial/bench/stage"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/contract"
)

// meter measures the activity that rates a subscription's usage of a day, from the call to the issued invoice: with a
// price for each record, with one of an aggregated sum, and with one for each value of a dimension.
func meter(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	var out result.Result
	unit := rating.Price{Model: rating.PerUnit, UnitPrice: money.Units(1, "EUR")}
	fees := rating.Price{Model: rating.Percentage, Percent: money.Whole(1), Transactions: rating.Transactions{
		Fee: money.Units(1, "EUR"), Free: 10, Maximum: money.Units(5, "EUR"),
	}}
	for _, c := range []struct {
		path string
		of   stage.Metering
		most float64 // milliseconds
	}{
		{"rating of %d transactions", stage.Metering{
			Records: Pick(o, 100_000, 1_000_000), Values: 5, Rate: metered.Rate{Price: fees},
		}, Pick(o, 200.0, 2000)},
		{"rating of %d records behind aggregates", stage.Metering{
			Records: Pick(o, 20_000, 100_000), Values: 5, Rate: metered.Rate{Price: unit}, Merged: true,
		}, 50},
		{"rating of %d values of a dimension", stage.Metering{
			Records: Pick(o, 10_000, 100_000), Values: Pick(o, 10_000, 100_000), Merged: true,
			Rate: metered.Rate{Price: unit, By: []string{"value"}},
		}, 0},
	} {
		row := result.Row{Path: fmt.Sprintf(c.path, c.of.Records), Unit: "ms", Goal: result.Goal{Most: c.most}}
		for round := range o.Rounds + 1 { // the first warms up
			took, err := rateOnce(ctx, r, c.of)
			if err != nil {
				return out, err
			}
			r.Say("metering: %s: round %d of %d: %s", row.Path, round, o.Rounds, took.Round(time.Millisecond))
			if round > 0 {
				row.Ours = append(row.Ours, float64(took.Microseconds())/1000)
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// rateOnce ends the first day of a new subscription, and returns the time of the rating of its usage. The day ends
// after this scenario, so that no worker rates it first.
func rateOnce(ctx context.Context, r *rig.Rig, of stage.Metering) (time.Duration, error) {
	now := time.Now().Truncate(time.Hour).Add(6*time.Hour + 30*time.Minute)
	subject, err := r.Stage.Metered(ctx, r.Ours.Store, r.Ours.Pool, of, now)
	if err != nil {
		return 0, err
	}
	if err := r.NoteStarted(ctx, []stage.Subject{subject}); err != nil {
		return 0, err
	}
	in := contract.AdvanceInput{
		Ref: contract.Ref{EnvironmentID: r.Stage.EnvironmentID, ID: subject.SubscriptionID}, Now: now,
	}
	advancing := activities.Subscriptions{Store: r.Ours.Store, Clock: time.Now, Observer: unobserved{}}
	if _, err := advancing.Advance(ctx, in); err != nil {
		return 0, err
	}
	r.Settle(ctx)
	usage := activity.Usage{Store: r.Ours.Store, Clock: time.Now, Observer: unobserved{}}
	began := time.Now()
	snap, err := usage.BillUsage(ctx, in)
	took := time.Since(began)
	if err == nil && (snap.Unrated != "" || snap.Live == nil) {
		err = fmt.Errorf("bench: the usage of %s was not billed: %+v", subject.SubscriptionID, snap)
	}
	return took, err
}

// unobserved ignores everything: a failed rating is visible in its snapshot.
type unobserved struct{}

func (unobserved) RowAbsent(context.Context, execution.RowAbsent) {}
func (unobserved) UsageUnrated(context.Context, activity.Unrated) {}

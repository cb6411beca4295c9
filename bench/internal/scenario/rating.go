package scenario

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
	"perennial/bench/stage"
	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/db"
)

// rateUsage measures the parts of the price of a period's usage: the quantities of a day of 1,000 records by region,
// from hourly aggregates and, at the ends of the period, records; and the amounts of quantities by a price in tiers.
func rateUsage(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	n := Pick(o, 20, 100)
	now := time.Now().Truncate(time.Second)
	due := now.Add(time.Hour + 30*time.Minute) // after this scenario; both ends of the day are within an hour
	ours, err := r.Stage.Due(ctx, r.Ours.Store, n, due, now)
	if err != nil {
		return result.Result{}, err
	}
	other, err := r.Stage.Due(ctx, r.Bare.Store, n, due, now)
	if err != nil {
		return result.Result{}, err
	}
	if err := r.NoteStarted(ctx, ours); err != nil {
		return result.Result{}, err
	}
	metric := "rated" + strconv.FormatInt(now.UnixNano(), 36)
	for _, side := range []struct {
		store    *db.Store
		subjects []stage.Subject
	}{{r.Ours.Store, ours}, {r.Bare.Store, other}} {
		if err := r.Stage.Use(ctx, side.store, metric, side.subjects, now); err != nil {
			return result.Result{}, err
		}
	}
	out, err := reads(ctx, r, o, "quantities of a day's usage", ours, other, func(s stage.Subject) question {
		return question{
			method: http.MethodGet, path: "/api/subscriptions/" + s.SubscriptionID + "/usage",
			query: "metric=" + metric + "&groupBy=region",
		}
	})
	if err != nil {
		return out, err
	}
	amounts, err := rateAmounts(o)
	out.Rows = append(out.Rows, amounts)
	return out, err
}

// rateAmounts measures only the rule: the amount of a quantity by a graduated price of five tiers.
func rateAmounts(o Options) (result.Row, error) {
	out := result.Row{Path: "amounts by a price of five tiers", Unit: "1/s"}
	price := rating.Price{Model: rating.Graduated}
	for _, upTo := range []int64{100, 1_000, 10_000, 100_000} {
		price.Tiers = append(price.Tiers, rating.Tier{UpTo: money.Whole(upTo), UnitPrice: money.Whole(3)})
	}
	price.Tiers = append(price.Tiers, rating.Tier{UnitPrice: money.Whole(1)})
	for round := range o.Rounds + 1 {
		began, n := time.Now(), 0
		for ; time.Since(began) < time.Second; n++ {
			if _, err := price.Rate(money.Whole(int64(n)), "EUR"); err != nil {
				return out, err
			}
		}
		if round > 0 { // the first warms up
			out.Ours = append(out.Ours, float64(n)/time.Since(began).Seconds())
		}
	}
	return out, nil
}

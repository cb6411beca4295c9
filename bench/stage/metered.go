package stage

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/period"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service"
	serviceusage "perennial/service/usage"
	"perennial/service/usecase"
)

// Metering is the usage of one subscription on its priced day.
type Metering struct {
	Records int // spread evenly over the day
	Values  int // of their dimension, in rotation
	Rate    metered.Rate
	Merged  bool // the records are in running aggregates; otherwise they are never merged
}

// Metered writes a subscription whose first day ends now, with usage to bill.
func (s Stage) Metered(
	ctx context.Context, store *db.Store, pool *pgxpool.Pool, m Metering, now time.Time,
) (Subject, error) {
	product := service.New(store, time.Now)
	by := usecase.Caller{Actor: db.BySystem("bench"), EnvironmentID: s.EnvironmentID, TimeZone: "UTC"}
	of, err := product.Usage.CreateMetric(ctx, by, serviceusage.NewMetric{
		Name:       "metered" + strconv.FormatInt(time.Now().UnixNano(), 36),
		Definition: usage.Definition{Aggregation: usage.Sum, GroupBy: []string{"value"}},
	}, nil)
	if err != nil {
		return Subject{}, err
	}
	plan := newPlan("Metered", period.Day, 1000, now)
	plan.Metered = &metered.Prices{Components: []metered.Component{{
		ID: id.New(id.Price, now), MetricName: of.Name, MetricVersionID: of.VersionID(), Rates: []metered.Rate{m.Rate},
	}}}
	err = store.InTx(ctx, db.BySystem("bench"), now, func(tx *db.Tx) error {
		return tx.Catalog.InsertPlan(ctx, s.EnvironmentID, plan)
	})
	if err != nil {
		return Subject{}, err
	}
	none, began := 0, now.AddDate(0, 0, -1)
	subjects, err := s.subscribe(ctx, store, 1, now, func(sub, cust string) (subscription.Subscription, error) {
		out, _, err := subscribing.Create(plan,
			subscribing.NewInput{ID: sub, CustomerID: cust, TrialDays: &none, TimeZone: "UTC", Now: began})
		out.PeriodIndex, out.RenewedIndex = 1, 1
		out.NextPeriod, out.NextAction, out.NextActionAt = 1, subscription.ActionRenewal, out.CurrentPeriod.End
		out.PaidThrough, out.ActivatedAt, out.MeteredSince = out.CurrentPeriod.End, began, began
		return out, err
	})
	if err != nil {
		return Subject{}, err
	}
	if !metering.Counts(subjects[0].row, plan, nil) {
		panic("bench: the plan has no price of usage")
	}
	return subjects[0], s.record(ctx, pool, product, subjects[0], of, m, began)
}

// record writes the records of a metering, and merges them.
func (s Stage) record(
	ctx context.Context, pool *pgxpool.Pool, product *service.Service, of Subject, metric usage.Metric, m Metering,
	began time.Time,
) error {
	_, err := pool.Exec(ctx, `insert into usage_records
		(at, environment_id, subscription_id, metric_id, id, quantity, properties)
		select $1::timestamptz + (i - 1) * interval '1 day' / $2, $3, $4, $5, $6 || to_char(i, 'FM00000000'), 1 + i % 7,
			jsonb_build_object('value', 'v' || i % $7)
		from generate_series(1, $2::integer) i`,
		began, m.Records, s.EnvironmentID, of.SubscriptionID, metric.ID, "usg_"+of.SubscriptionID[4:], m.Values)
	if err != nil {
		return err
	}
	if m.Merged {
		return merge(ctx, product.Usage)
	}
	_, err = pool.Exec(ctx, "update usage_progress set position = (select max(position) from usage_records) where version_id = $1",
		metric.VersionID())
	if err == nil {
		_, err = pool.Exec(ctx, "analyze usage_records")
	}
	return err
}

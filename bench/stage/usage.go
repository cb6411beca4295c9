package stage

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"perennial/billing/money"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/service"
	serviceusage "perennial/service/usage"
	"perennial/service/usecase"
)

// Use creates a metric, and records and aggregates 1,000 records of it for each subject: of five regions, spread over
// the 22 hours before now.
func (s Stage) Use(ctx context.Context, store *db.Store, metric string, subjects []Subject, now time.Time) error {
	const perSubject, regions = 1000, 5
	product := service.New(store, time.Now)
	by := usecase.Caller{Actor: db.BySystem("bench"), EnvironmentID: s.EnvironmentID, TimeZone: "UTC"}
	_, err := product.Usage.CreateMetric(ctx, by, serviceusage.NewMetric{
		Name: metric, Definition: usage.Definition{Aggregation: usage.Sum, GroupBy: []string{"region"}},
	}, nil)
	if err != nil {
		return err
	}
	for _, subject := range subjects {
		records := make([]usage.Record, perSubject)
		for i := range records {
			records[i] = usage.Record{
				SubscriptionID: subject.SubscriptionID, Metric: metric, Quantity: money.Whole(int64(i%7 + 1)),
				At:         now.Add(-time.Minute - time.Duration(i)*22*time.Hour/perSubject),
				Key:        fmt.Sprintf("%s-%s-%04d", metric, subject.SubscriptionID, i),
				Properties: usage.Properties{"region": strconv.Itoa(i % regions)},
			}
		}
		outcomes, err := product.Usage.RecordUsageBatch(ctx, by, records)
		if err != nil {
			return err
		}
		for _, one := range outcomes {
			if one.Refusal != nil {
				return one.Refusal
			}
		}
	}
	return merge(ctx, product.Usage)
}

// merge merges all records into running aggregates. A new record may still have an older neighbour that is not
// committed, so it repeats until no record is left.
func merge(ctx context.Context, product *serviceusage.Service) error {
	for quiet := 0; quiet < 3; quiet++ {
		n, err := product.RollUpUsage(ctx)
		if err != nil {
			return err
		}
		if n > 0 {
			quiet = 0
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}

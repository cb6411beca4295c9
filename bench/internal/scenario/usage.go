package scenario

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/bench/internal/load"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
	"perennial/bench/stage"
	"perennial/internal/id"
)

// usageBatch is the number of records of a batch.
const usageBatch = 1000

// recordUsage measures POST /api/usage and mux with one statement that writes the same rows, and POST /api/usage/batch
// and COPY of as many rows into the same tables, from memory and without a request.
func recordUsage(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	var out result.Result
	subjects, err := r.Stage.Trials(ctx, r.Ours.Store, 100, time.Now())
	if err != nil {
		return out, err
	}
	session := strconv.FormatInt(time.Now().UnixNano(), 36)
	_, err = r.Ask(ctx, http.MethodPost, r.Ours.URL+"/api/metrics", `{"name":"m`+session+`","aggregation":"sum"}`,
		http.StatusCreated)
	if err != nil {
		return out, err
	}
	metric := id.New(id.Metric, time.Now()) // of the bare side: as long as ours
	record := func(key string, i int) string {
		return fmt.Sprintf(`{"subscriptionId":%q,"metricName":"m%s","quantity":1.5,"idempotencyKey":%q}`,
			subjects[i%len(subjects)].SubscriptionID, session, key)
	}
	lasts := Pick(o, 1500*time.Millisecond, 4*time.Second)
	single := func(base string, clients, round int) (load.Load, error) {
		return load.Drive(ctx, clients, load.Until{After: lasts}, func(ctx context.Context, i int) error {
			key := fmt.Sprintf("%s-%d-%d-%09d", session, clients, round, i)
			_, err := r.Ask(ctx, http.MethodPost, base+"/api/usage", record(key, i), http.StatusCreated)
			return err
		})
	}
	for _, clients := range []int{1, 32} {
		measured, err := compare(ctx, r, o, result.ClientsPath("usage", clients), result.Goal{Ratio: 0.6},
			func(_ context.Context, round int) (load.Load, error) { return single(r.Ours.URL, clients, round) },
			func(_ context.Context, round int) (load.Load, error) { return single(r.Bare.URL, clients, round) })
		if err != nil {
			return out, err
		}
		out.Rows = append(out.Rows, measured)
	}
	batches, err := compare(ctx, r, o, "usage in batches of 1,000", result.Goal{Ratio: 0.5},
		func(ctx context.Context, round int) (load.Load, error) {
			return load.Drive(ctx, 2, load.Until{After: lasts}, func(ctx context.Context, i int) error {
				records := make([]string, usageBatch)
				for n := range records {
					records[n] = record(fmt.Sprintf("%s-b-%d-%06d-%04d", session, round, i, n), n)
				}
				_, err := r.Ask(ctx, http.MethodPost, r.Ours.URL+"/api/usage/batch",
					`{"records":[`+strings.Join(records, ",")+`]}`, http.StatusOK)
				return err
			})
		},
		func(ctx context.Context, round int) (load.Load, error) {
			return load.Drive(ctx, 2, load.Until{After: lasts}, func(ctx context.Context, i int) error {
				return copyUsage(ctx, r, subjects, metric, fmt.Sprintf("%s-b-%d-%06d", session, round, i))
			})
		})
	if err != nil {
		return out, err
	}
	out.Rows = append(out.Rows, batches)
	return out, nil
}

// copyUsage copies the records of a batch into the tables of the bare side's database.
func copyUsage(ctx context.Context, r *rig.Rig, subjects []stage.Subject, metric, prefix string) error {
	keys, records, now := make([][]any, usageBatch), make([][]any, usageBatch), time.Now()
	for n := range keys {
		record, subscription := id.New(id.UsageRecord, now), subjects[n%len(subjects)].SubscriptionID
		keys[n] = []any{r.Stage.EnvironmentID, fmt.Sprintf("%s-%04d", prefix, n), now, make([]byte, 16), record}
		records[n] = []any{now, r.Stage.EnvironmentID, subscription, metric, record, 1.5}
	}
	return pgx.BeginFunc(ctx, r.Bare.Pool, func(tx pgx.Tx) error {
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"usage_keys"},
			[]string{"environment_id", "key", "at", "fingerprint", "record_id"}, pgx.CopyFromRows(keys))
		if err != nil {
			return err
		}
		_, err = tx.CopyFrom(ctx, pgx.Identifier{"usage_records"},
			[]string{"at", "environment_id", "subscription_id", "metric_id", "id", "quantity"}, pgx.CopyFromRows(records))
		return err
	})
}

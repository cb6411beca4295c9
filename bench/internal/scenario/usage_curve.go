package scenario

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"perennial/bench/internal/load"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
	"perennial/bench/stage"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/service"
	serviceusage "perennial/service/usage"
	"perennial/service/usecase"
)

// curve fills the records of one metric, with measurements in between.
type curve struct {
	*rig.Rig
	product  *service.Service
	by       usecase.Caller
	subjects []stage.Subject
	metric   string
	now      time.Time
	next     atomic.Int64 // the number of a record, which is its key
}

// usageCurve measures the cost of a batch, a single record and a read while the records of one metric grow. The
// product's own use case writes and merges the records, so that all rows and indexes are real. Full: 50 million records
// are 35 GB, and take half an hour.
func usageCurve(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	var out result.Result
	now := time.Now().Truncate(time.Second)
	subjects, err := r.Stage.Due(ctx, r.Ours.Store, 1000, now.Add(12*time.Hour), now)
	if err != nil {
		return out, err
	}
	if err := r.NoteStarted(ctx, subjects); err != nil {
		return out, err
	}
	c := &curve{
		Rig: r, subjects: subjects, now: now, metric: "curve" + strconv.FormatInt(now.UnixNano(), 36),
		product: service.New(r.Ours.Store, time.Now),
		by:      usecase.Caller{Actor: db.BySystem("bench"), EnvironmentID: r.Stage.EnvironmentID, TimeZone: "UTC"},
	}
	_, err = r.Ask(ctx, http.MethodPost, r.Ours.URL+"/api/metrics", `{"name":"`+c.metric+`","aggregation":"sum"}`,
		http.StatusCreated)
	if err != nil {
		return out, err
	}
	for _, part := range []int{1, 5, 15, 25, 50} { // of 50
		records := Pick(o, 20_000, 1_000_000) * part
		began := time.Now()
		if err := c.fill(ctx, int64(records)); err != nil {
			return out, err
		}
		r.Say("%s records after %s", result.Number(float64(records)), time.Since(began).Round(time.Second))
		rows, err := c.measure(ctx, o, records)
		out.Rows = append(out.Rows, rows...)
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// at spreads records over the hours before now, like late ones.
func (c *curve) at(n int64) time.Time {
	return c.now.Add(-time.Minute - time.Duration(n*7919%660)*time.Minute)
}

func (c *curve) subject(n int64) string { return c.subjects[n%int64(len(c.subjects))].SubscriptionID }

// fill adds records up to a number, merges them meanwhile, and gathers statistics, as a server does in the background.
func (c *curve) fill(ctx context.Context, until int64) error {
	all, ctx := errgroup.WithContext(ctx)
	for range 2 {
		all.Go(func() error {
			for {
				last := c.next.Add(usageBatch)
				if last > until {
					return nil
				}
				records := make([]usage.Record, usageBatch)
				for i := range records {
					n := last - int64(i)
					records[i] = usage.Record{
						SubscriptionID: c.subject(n), Metric: c.metric, Quantity: money.Whole(n%7 + 1), At: c.at(n),
						Key: fmt.Sprintf("%s-%012d", c.metric, n),
					}
				}
				outcomes, err := c.record(ctx, records)
				if err != nil {
					return err
				}
				if outcomes[0].Refusal != nil {
					return outcomes[0].Refusal
				}
			}
		})
	}
	if err := all.Wait(); err != nil {
		return err
	}
	c.next.Store(until)
	_, err := c.Ours.Pool.Exec(context.WithoutCancel(ctx), "analyze usage_records, usage_keys, usage_aggregates")
	return err
}

// record records a batch. A busy database gets it again: the keys make that safe.
func (c *curve) record(ctx context.Context, records []usage.Record) (outcomes []serviceusage.Outcome, err error) {
	for range 10 {
		outcomes, err = c.product.Usage.RecordUsageBatch(ctx, c.by, records)
		if err == nil || fault.From(err).Kind != fault.Unavailable {
			return outcomes, err
		}
		time.Sleep(time.Second)
	}
	return outcomes, err
}

// measure measures at a number of records. The first round warms up and does not count.
func (c *curve) measure(ctx context.Context, o Options, records int) (rows []result.Row, err error) {
	lasts := Pick(o, 1500*time.Millisecond, 4*time.Second)
	record := func() string {
		n := c.next.Add(1)
		return fmt.Sprintf(
			`{"subscriptionId":%q,"metricName":%q,"quantity":1.5,"timestamp":%d,"idempotencyKey":"%s-m-%012d"}`,
			c.subject(n), c.metric, c.at(n).Unix(), c.metric, n)
	}
	post := func(ctx context.Context, path, body string, want int) error {
		_, err := c.Ask(ctx, http.MethodPost, c.Ours.URL+path, body, want)
		return err
	}
	for _, path := range []struct {
		name    string
		clients int
		ask     func(ctx context.Context, i int) error
	}{
		{"batches of 1,000", 2, func(ctx context.Context, _ int) error {
			batch := make([]string, usageBatch)
			for i := range batch {
				batch[i] = record()
			}
			return post(ctx, "/api/usage/batch", `{"records":[`+strings.Join(batch, ",")+`]}`, http.StatusOK)
		}},
		{"single records", 1, func(ctx context.Context, _ int) error {
			return post(ctx, "/api/usage", record(), http.StatusCreated)
		}},
		{"reads of a subscription", 1, func(ctx context.Context, i int) error {
			_, err := c.Ask(ctx, http.MethodGet,
				c.Ours.URL+"/api/subscriptions/"+c.subject(int64(i))+"/usage?metric="+c.metric, "", http.StatusOK)
			return err
		}},
	} {
		row := result.Row{Path: path.name + " at " + result.Number(float64(records)) + " records", Unit: "1/s"}
		var loads []load.Load
		for round := range o.Rounds + 1 {
			c.Settle(ctx)
			before := c.ProcessorUsage()
			l, err := load.Drive(ctx, path.clients, load.Until{After: lasts}, path.ask)
			if err != nil {
				return rows, err
			}
			if l.CPU = c.ProcessorUsage().Each(before, l.Count); round > 0 {
				loads, row.Ours = append(loads, l), append(row.Ours, l.Rate())
			}
		}
		detail(&row, loads, nil)
		rows = append(rows, row)
	}
	return rows, nil
}

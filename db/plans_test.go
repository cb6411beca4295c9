package db_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/db"
)

// lastQuery remembers the statements that a store sends.
type lastQuery struct {
	mu   sync.Mutex
	sent []sentQuery
}

type sentQuery struct {
	sql  string
	args []any
}

func (q *lastQuery) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	q.add(d.SQL, d.Args)
	return ctx
}

func (q *lastQuery) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (q *lastQuery) TraceBatchStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	for _, s := range d.Batch.QueuedQueries {
		q.add(s.SQL, s.Arguments)
	}
	return ctx
}

func (q *lastQuery) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (q *lastQuery) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

func (q *lastQuery) add(sql string, args []any) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !strings.HasPrefix(sql, "-- name:") {
		return // begin, commit, ping
	}
	var values []any
	for _, a := range args {
		if _, mode := a.(pgx.QueryExecMode); !mode {
			values = append(values, a)
		}
	}
	q.sent = append(q.sent, sentQuery{sql, values})
}

func (q *lastQuery) take() []sentQuery {
	q.mu.Lock()
	defer q.mu.Unlock()
	sent := q.sent
	q.sent = nil
	return sent
}

// plan is a node of the output of EXPLAIN.
type planNode struct {
	Type    string     `json:"Node Type"`
	Rows    float64    `json:"Actual Rows"`
	Loops   float64    `json:"Actual Loops"`
	Removed float64    `json:"Rows Removed by Filter"`
	Recheck float64    `json:"Rows Removed by Index Recheck"`
	Hit     int        `json:"Shared Hit Blocks"`
	Read    int        `json:"Shared Read Blocks"`
	Plans   []planNode `json:"Plans"`
}

// read returns the number of rows that a plan reads from tables and indexes, including those that it discards.
func (p planNode) read() int {
	n := 0
	switch p.Type {
	case "Seq Scan", "Index Scan", "Index Only Scan", "Bitmap Heap Scan", "Tid Scan":
		n = int((p.Rows + p.Removed + p.Recheck) * p.Loops)
	}
	for _, child := range p.Plans {
		n += child.read()
	}
	return n
}

// explain runs the store's last statements once more, in a transaction that is rolled back, and records the rows read.
func (c *crowd) explain(t *testing.T, name string, limit int) {
	t.Helper()
	for _, q := range c.trace.take() {
		tx, err := c.pool.Begin(t.Context())
		require.NoError(t, err)
		if c.rows < 1_000_000 { // a small table is rightly read whole; what counts is the plan that a large one gets
			_, err = tx.Exec(t.Context(), "set local enable_seqscan = off; set local jit = off")
			require.NoError(t, err)
		}
		var out []byte
		args := append([]any{pgx.QueryExecModeCacheDescribe}, q.args...)
		require.NoError(t, tx.QueryRow(t.Context(), "explain (analyze, buffers, format json) "+q.sql, args...).Scan(&out),
			q.sql)
		require.NoError(t, tx.Rollback(t.Context()))
		var plans []struct {
			Plan planNode
			Time float64 `json:"Execution Time"`
		}
		require.NoError(t, json.Unmarshal(out, &plans))
		query, _, _ := strings.Cut(strings.TrimPrefix(q.sql, "-- name: "), " ")
		p := plans[0]
		t.Logf("%-62s %-28s limit %4d: %5d rows read, %6d blocks, %7.2f ms",
			name, query, limit, p.Plan.read(), p.Plan.Hit+p.Plan.Read, p.Time)
		if p.Plan.read() > 10*limit {
			t.Errorf("%s: %s read %d rows for a limit of %d:\n%s", name, query, p.Plan.read(), limit, out)
		}
	}
}

// No list with any filter, and no list of the reconciler, reads more than ten rows for each that it may return, however
// many there are.
func TestQueries_ReadNoMoreThanTenTimesTheirLimit(t *testing.T) {
	c := newCrowd(t)
	c.lists(t)
	c.reconciler(t)
	c.operators(t)
}

func (c *crowd) lists(t *testing.T) {
	t.Helper()
	const limit = 100
	ctx := t.Context()
	customer, subscription, invoice := crowdID("cust_", 0), crowdID("sub_", 0), crowdID("in_", 0)
	clock, rarePlan, plan := crowdID("clk_", 0), crowdID("plan_", 1), crowdID("plan_", 0)
	yes, no := true, false
	minute := func(i int) time.Time { return time.Unix(1700000000+int64(i)*60, 0) }
	lists := map[string]struct {
		prefix string
		read   func(db.Page) error
	}{}
	add := func(name, prefix string, read func(db.Page) error) {
		lists[name] = struct {
			prefix string
			read   func(db.Page) error
		}{prefix, read}
	}
	for name, f := range map[string]db.PlanFilter{"all": {}, "active": {Active: &yes}, "archived": {Active: &no}} {
		add("plans, "+name, "plan_", func(p db.Page) error {
			_, _, err := c.store.Catalog.Plans(ctx, crowdEnv, f, p)
			return err
		})
	}
	for name, f := range map[string]db.CustomerFilter{
		"all": {}, "email": {Email: "rare@example.com"}, "clock": {TestClockID: clock},
		"overdue": {OverdueState: "blocked"}, "needing a person": {NeedsPerson: true},
	} {
		add("customers, "+name, "cust_", func(p db.Page) error {
			_, _, err := c.store.Customers.List(ctx, crowdEnv, f, p)
			return err
		})
	}
	for name, f := range map[string]db.SubscriptionFilter{
		"all": {}, "rare status": {Status: "past_due"}, "status": {Status: "active"}, "no such status": {Status: "canceled"},
		"plan":      {PlanID: plan},
		"rare plan": {PlanID: rarePlan}, "customer": {CustomerID: customer}, "clock": {TestClockID: clock},
		"plan and rare status":     {PlanID: plan, Status: "past_due"},
		"customer and rare status": {CustomerID: customer, Status: "past_due"},
	} {
		add("subscriptions, "+name, "sub_", func(p db.Page) error {
			_, _, err := c.store.Subscriptions.List(ctx, crowdEnv, f, p)
			return err
		})
	}
	for name, f := range map[string]db.InvoiceFilter{
		"all": {}, "rare status": {Status: "open"}, "status": {Status: "paid"}, "no such status": {Status: "void"},
		"customer": {CustomerID: customer}, "subscription": {SubscriptionID: subscription},
		"subscription and rare status": {SubscriptionID: subscription, Status: "open"},
	} {
		add("invoices, "+name, "in_", func(p db.Page) error {
			_, _, err := c.store.Invoices.List(ctx, crowdEnv, f, p)
			return err
		})
	}
	for name, f := range map[string]db.TransactionFilter{
		"all": {}, "rare status": {Status: "failed"}, "status": {Status: "pending"}, "no such status": {Status: "declined"},
		"charges": {Type: "charge"}, "refunds": {Type: "refund"}, "pending refunds": {Type: "refund", Status: "pending"},
		"customer": {CustomerID: customer}, "subscription": {SubscriptionID: subscription},
		"invoice": {InvoiceID: invoice}, "customer and rare status": {CustomerID: customer, Status: "failed"},
		"account": {ProviderConfigID: crowdID("pp_", 2)}, "account without payments": {ProviderConfigID: crowdID("pp_", 1)},
		"account and rare status": {ProviderConfigID: crowdID("pp_", 2), Status: "failed"}, "refund owed": {RefundOwed: true},
		"old time": {CreatedFrom: minute(c.rows / 10), CreatedTo: minute(c.rows / 2)},
		"one day":  {CreatedFrom: minute(c.rows / 2), CreatedTo: minute(c.rows/2 + 1440)},
		"since":    {CreatedFrom: minute(c.rows / 2)}, "until": {CreatedTo: minute(c.rows / 10)},
		"time without payments": {CreatedFrom: minute(c.rows + 100), CreatedTo: minute(c.rows + 200)},
		"time and status":       {CreatedFrom: minute(c.rows / 10), CreatedTo: minute(c.rows / 2), Status: "success"},
		"time and rare status":  {CreatedFrom: minute(c.rows / 10), CreatedTo: minute(c.rows / 2), Status: "failed"},
		"time and customer":     {CreatedFrom: minute(c.rows / 10), CreatedTo: minute(c.rows / 2), CustomerID: customer},
		"time and account": {
			CreatedFrom: minute(c.rows / 10), CreatedTo: minute(c.rows / 2), ProviderConfigID: crowdID("pp_", 2),
		},
	} {
		add("transactions, "+name, "txn_", func(p db.Page) error {
			_, _, err := c.store.Payments.Transactions(ctx, crowdEnv, f, p)
			return err
		})
	}
	for name, f := range map[string]db.DisputeFilter{
		"all": {}, "rare status": {Status: "open"}, "status": {Status: "won"}, "no such status": {Status: "lost"},
		"customer": {CustomerID: customer}, "customer without disputes": {CustomerID: crowdID("cust_", 2_000_000_000)},
		"charge": {ChargeID: crowdID("txn_", 0)}, "customer and rare status": {CustomerID: customer, Status: "open"},
	} {
		add("disputes, "+name, "dsp_", func(p db.Page) error {
			_, _, err := c.store.Payments.Disputes(ctx, crowdEnv, f, p)
			return err
		})
	}
	for name, f := range map[string]db.EventFilter{
		"all": {}, "rare type": {Types: []event.Pattern{"subscription.past_due"}}, "type": {Types: []event.Pattern{"payment.success"}},
		"no such type": {Types: []event.Pattern{"customer.deleted"}}, "group": {Types: []event.Pattern{"payment.*"}},
		"rare group": {Types: []event.Pattern{"subscription.*"}}, "no such group": {Types: []event.Pattern{"customer.*"}},
		"several": {Types: []event.Pattern{
			"payment.*", "subscription.past_due", "customer.deleted", "invoice.*",
		}},
		"customer":               {CustomerID: customer},
		"subscription":           {SubscriptionID: subscription},
		"object":                 {ObjectID: subscription},
		"object of one event":    {ObjectID: crowdID("sub_", 2)},
		"customer and rare type": {CustomerID: customer, Types: []event.Pattern{"subscription.past_due"}},
		"time":                   {RecordedFrom: crowdTime(c.rows / 2), RecordedTo: crowdTime(c.rows/2 + 3000)},
		"since":                  {RecordedFrom: crowdTime(c.rows / 2)},
		"until":                  {RecordedTo: crowdTime(c.rows / 2)},
		"time and type": {RecordedFrom: crowdTime(c.rows / 3), RecordedTo: crowdTime(c.rows / 2),
			Types: []event.Pattern{"payment.*"}},
		"time with no event": {RecordedFrom: crowdTime(c.rows + 100)},
	} {
		add("events, "+name, "evt_", func(p db.Page) error {
			_, _, err := c.store.Webhooks.Events(ctx, crowdEnv, f, p)
			return err
		})
	}
	endpoint := crowdID("whe_", 0)
	for name, f := range map[string]db.WebhookDeliveryFilter{
		"all": {}, "failed": {Status: "failed"}, "pending": {Status: "pending"}, "succeeded": {Status: "succeeded"},
		"endpoint": {EndpointID: endpoint}, "endpoint and failed": {EndpointID: endpoint, Status: "failed"},
		"endpoint and pending": {EndpointID: endpoint, Status: "pending"}, "event": {EventID: crowdID("evt_", 0)},
		"payment": {ObjectID: crowdID("txn_", 0)}, "payment and status": {ObjectID: crowdID("txn_", 0), Status: "succeeded"},
		"old time":          {Since: minute(c.rows / 10), Before: minute(c.rows / 2)},
		"time and endpoint": {Since: minute(c.rows / 2), Before: minute(c.rows), EndpointID: endpoint},
	} {
		add("webhook log, "+name, "whd_", func(p db.Page) error {
			_, _, err := c.store.Webhooks.Deliveries(ctx, crowdEnv, f, p)
			return err
		})
	}
	add("test clocks", "clk_", func(p db.Page) error { _, _, err := c.store.Clocks.List(ctx, crowdEnv, p); return err })
	c.trace.take()
	_, _, err := c.store.Webhooks.EventsFor(ctx, crowdEnv, endpoint, db.EventRange{Before: time.Now(), Limit: limit})
	require.NoError(t, err)
	c.explain(t, "events for an endpoint", limit)
	_, err = c.store.Webhooks.Log(ctx, crowdEnv, []string{crowdID("whd_", 0), crowdID("whd_", 2)},
		db.Log{Attempts: 20, ExcerptBytes: 500})
	require.NoError(t, err)
	c.explain(t, "attempts of deliveries", limit)
	for name, list := range lists {
		rows := c.rows
		if list.prefix == "plan_" || list.prefix == "clk_" {
			rows /= 10
		}
		middle, old := crowdID(list.prefix, rows/2), crowdID(list.prefix, 0)
		for where, page := range map[string]db.Page{
			"newest": {}, "older": {StartingAfter: middle}, "newer": {EndingBefore: middle}, "from the first": {EndingBefore: old},
		} {
			page.Limit = limit
			c.trace.take()
			require.NoError(t, list.read(page), name)
			c.explain(t, name+", "+where, limit)
		}
	}
}

func (c *crowd) reconciler(t *testing.T) {
	t.Helper()
	const limit = 500
	ctx, soon := t.Context(), time.Now()
	for name, read := range map[string]func() error{
		"unstarted subscriptions": func() error {
			_, err := c.store.Reconcile.UnstartedSubscriptions(ctx, 1, limit)
			return err
		},
		"overlooked subscriptions": func() error {
			_, err := c.store.Reconcile.OverlookedSubscriptions(ctx, soon, limit)
			return err
		},
		"debts to review": func() error {
			_, err := c.store.Customers.ToReview(ctx, soon, limit)
			return err
		},
		"new overdue policies": func() error {
			_, err := c.store.Customers.Sweeps(ctx, limit)
			return err
		},
		"overdue invoices": func() error {
			_, err := c.store.Invoices.Due(ctx, soon, limit)
			return err
		},
		"unstarted transactions": func() error {
			_, err := c.store.Reconcile.UnstartedTransactions(ctx, 1, limit)
			return err
		},
		"busy clocks": func() error {
			_, err := c.store.Reconcile.BusyClocks(ctx, limit)
			return err
		},
		"pending wakes": func() error {
			_, err := c.store.Reconcile.WakePendingBefore(ctx, soon, limit)
			return err
		},
		"overdue checks": func() error {
			_, err := c.store.Reconcile.OverdueChecks(ctx, soon, limit)
			return err
		},
		"kept returns": func() error {
			_, err := c.store.Reconcile.KeptReturns(ctx, soon, time.Time{}, limit)
			return err
		},
		"late subscriptions": func() error {
			_, err := c.store.Reconcile.LateSubscriptions(ctx, soon, limit)
			return err
		},
		"held payments": func() error {
			_, err := c.store.Payments.HeldTransactions(ctx, crowdEnv, limit)
			return err
		},
		"released payments": func() error {
			return c.store.InTx(ctx, db.BySystem("test"), soon, func(tx *db.Tx) error {
				_, err := tx.Payments.ReleaseHeld(ctx, limit)
				return err
			})
		},
		// All that waits at an account that has recovered, or is silent, is due later than then; few of it was not answered.
		"unanswered payments": func() error {
			return c.store.InTx(ctx, db.BySystem("test"), time.Unix(0, 0), func(tx *db.Tx) error {
				_, _, err := tx.Reconcile.ReleaseUnanswered(ctx, limit)
				return err
			})
		},
		"probes of silent accounts": func() error {
			_, err := c.store.Reconcile.SilentProbes(ctx, time.Unix(0, 0), soon, limit)
			return err
		},
		"open callbacks": func() error {
			_, err := c.store.Reconcile.OpenCallbacksBefore(ctx, soon, limit)
			return err
		},
		"purges": func() error {
			return c.store.InTx(ctx, db.BySystem("test"), soon, func(tx *db.Tx) error {
				for _, purge := range []func(context.Context, time.Time, int) (int, error){
					tx.PurgeIdempotencyKeys, tx.Payments.PurgeCallbacks,
				} {
					if _, err := purge(ctx, soon.AddDate(0, -1, 0), limit); err != nil {
						return err
					}
				}
				_, err := tx.Payments.GiveUpCallbacks(ctx, soon.AddDate(0, 0, -1), soon.AddDate(0, 0, -7), soon.AddDate(0, 0, -90), limit)
				return err
			})
		},
	} {
		c.trace.take()
		require.NoError(t, read(), name)
		c.explain(t, name, limit)
	}
}

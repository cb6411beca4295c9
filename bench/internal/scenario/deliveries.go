package scenario

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"perennial/bench/internal/load"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
)

// The product's own bounds: concurrent attempts to one endpoint, and to all endpoints of one app in a process.
const (
	endpointInFlight = 10
	appInFlight      = 100
)

// attemptsTable has one row for each attempt of the bare side, with the columns of the product's log.
const attemptsTable = `create table if not exists bare_attempts (
	id bigint generated always as identity primary key, endpoint_id text not null, event_id text not null,
	started_at timestamptz not null, ended_at timestamptz not null, status_code integer not null, latency_ms integer not null,
	request_headers jsonb not null, response_excerpt bytea not null)`

// deliveries measures from the signal to the last recorded attempt, and a loop that posts the same bytes to the same
// receiver and inserts one row for each attempt, with as many attempts in progress and as many connections.
func deliveries(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	var out result.Result
	inbox, err := startSink(ctx, r)
	if err != nil {
		return out, err
	}
	config, err := pgxpool.ParseConfig(r.Database(rig.BareName))
	if err != nil {
		return out, err
	}
	config.MaxConns = deliveryConnections
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return out, err
	}
	defer pool.Close()
	if _, err := pool.Exec(ctx, attemptsTable); err != nil {
		return out, err
	}
	for _, c := range []struct{ endpoints, events int }{{1, Pick(o, 300, 3_000)}, {100, Pick(o, 10, 200)}} {
		measured, err := deliverBeside(ctx, r, o, inbox, pool, c.endpoints, c.events)
		if err != nil {
			return out, err
		}
		out.Rows = append(out.Rows, measured)
	}
	return out, nil
}

// deliveryConnections is the product's default of DATABASE_POOL_WEBHOOKS.
const deliveryConnections = 8

func deliverBeside(
	ctx context.Context, r *rig.Rig, o Options, inbox *sink, pool *pgxpool.Pool, endpoints, events int,
) (result.Row, error) {
	out := result.Row{Path: fmt.Sprintf("deliveries, %d endpoints", endpoints), Unit: "1/s", Goal: result.Goal{Ratio: 0.6}}
	if endpoints == 1 {
		out.Path = "deliveries, 1 endpoint"
	}
	ids, err := insertEndpoints(ctx, r, inbox.url, endpoints)
	if err != nil {
		return out, err
	}
	var ours, bare []load.Load
	for round := range o.Rounds + 1 { // the first warms up
		if err := announce(ctx, r, events); err != nil {
			return out, err
		}
		for i, side := range []side{
			func(ctx context.Context, _ int) (load.Load, error) {
				return deliver(ctx, r, inbox, ids, endpoints*events)
			},
			func(ctx context.Context, _ int) (load.Load, error) {
				return postAll(ctx, inbox, pool, endpoints, events)
			},
		} {
			r.Settle(ctx)
			before := r.ProcessorUsage()
			l, err := side(ctx, round)
			if err != nil {
				return out, err
			}
			l.CPU = r.ProcessorUsage().Each(before, l.Count)
			switch {
			case round == 0:
			case i == 0:
				ours, out.Ours = append(ours, l), append(out.Ours, l.Rate())
			default:
				bare, out.Bare = append(bare, l), append(out.Bare, l.Rate())
			}
		}
		if round > 0 {
			r.Say("%s: round %d of %d: ours %s/s, bare %s/s", out.Path, round, o.Rounds, result.Number(out.Ours[round-1]),
				result.Number(out.Bare[round-1]))
		}
	}
	out.OursCPU, out.BareCPU = averageCPU(ours), averageCPU(bare)
	return out, deleteEndpoints(ctx, r, ids)
}

// deliver wakes the endpoints and waits until all attempts are recorded.
func deliver(ctx context.Context, r *rig.Rig, inbox *sink, ids []string, n int) (load.Load, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	before, began := inbox.count(), time.Now()
	if err := wakeEndpoints(ctx, r, ids); err != nil {
		return load.Load{}, err
	}
	if err := inbox.wait(ctx, before+n); err != nil {
		return load.Load{}, fmt.Errorf("%d of %d deliveries arrived: %w", inbox.count()-before, n, err)
	}
	if err := recorded(ctx, r); err != nil {
		return load.Load{}, err
	}
	return load.Load{Count: n, Seconds: time.Since(began).Seconds()}, nil
}

// postAll runs the bare side.
func postAll(ctx context.Context, inbox *sink, pool *pgxpool.Pool, endpoints, events int) (load.Load, error) {
	clients := min(endpoints*endpointInFlight, appInFlight)
	transport := &http.Transport{MaxIdleConnsPerHost: clients, DisableCompression: true}
	defer transport.CloseIdleConnections()
	client, q := &http.Client{Transport: transport, Timeout: 10 * time.Second}, inbox.sample
	headers := map[string]string{}
	for name := range q.header {
		headers[name] = q.header.Get(name)
	}
	return load.Drive(ctx, clients, load.Until{Count: endpoints * events}, func(ctx context.Context, i int) error {
		began := time.Now()
		status, err := inbox.post(ctx, client, q)
		if err != nil {
			return err
		}
		_, err = pool.Exec(ctx, `insert into bare_attempts
			(endpoint_id, event_id, started_at, ended_at, status_code, latency_ms, request_headers, response_excerpt)
			values ($1, $2, $3, $4, $5, $6, $7, $8)`, fmt.Sprint("whe_", i%endpoints), q.header.Get("Webhook-Id"), began, time.Now(),
			status, time.Since(began).Milliseconds(), headers, []byte{})
		return err
	})
}

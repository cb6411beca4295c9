package scenario

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"perennial/bench/internal/load"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
)

// receiptRate is the number of events per second.
const receiptRate = 100

// receipt measures the time from an event's transaction to its receiver, at a hundred events per second. The time
// starts with the transaction, not with its commit, which is a little stricter.
func receipt(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	var out result.Result
	inbox, err := startSink(ctx, r)
	if err != nil {
		return out, err
	}
	ids, err := insertEndpoints(ctx, r, inbox.url, 1)
	if err != nil {
		return out, err
	}
	title := fmt.Sprintf("commit to receipt at %d events/s, ", receiptRate)
	p50 := result.Row{Path: title + "p50", Unit: "ms", Goal: result.Goal{Most: 150}}
	p99 := result.Row{Path: title + "p99", Unit: "ms", Goal: result.Goal{Most: 1000}}
	for round := range o.Rounds + 1 { // the first warms up
		r.Settle(ctx)
		l, err := createPlans(ctx, r, inbox, receiptRate*Pick(o, 3, 30))
		if err != nil {
			return out, err
		}
		r.Say("receipt: round %d of %d: p50 %s ms, p99 %s ms of %d events, %s/s", round, o.Rounds,
			result.Number(l.P50), result.Number(l.P99),
			l.Count, result.Number(l.Rate()))
		if l.Rate() < 0.95*receiptRate {
			out.Notes = append(out.Notes,
				fmt.Sprintf("round %d had only %s events/s: the machine was too busy to make more", round,
					result.Number(l.Rate())))
		}
		if round > 0 {
			p50.Ours, p99.Ours = append(p50.Ours, l.P50), append(p99.Ours, l.P99)
		}
	}
	out.Rows = []result.Row{p50, p99}
	return out, deleteEndpoints(ctx, r, ids)
}

// createPlans creates n plans at the rate, independently of answers to earlier requests, and returns the delays of
// their events.
func createPlans(ctx context.Context, r *rig.Rig, inbox *sink, n int) (load.Load, error) {
	before, began := inbox.count(), time.Now()
	var all sync.WaitGroup
	errs := make(chan error, n)
	for i := range n {
		if err := load.SleepUntil(ctx, began.Add(time.Duration(i)*time.Second/receiptRate)); err != nil {
			return load.Load{}, err
		}
		all.Go(func() {
			body := `{"name":"Bench","currency":"EUR","interval":"month","amount":1000}`
			if _, err := r.Ask(ctx, http.MethodPost, r.Ours.URL+"/api/plans", body, http.StatusCreated); err != nil {
				errs <- err
			}
		})
	}
	all.Wait()
	seconds := time.Since(began).Seconds()
	select {
	case err := <-errs:
		return load.Load{}, err
	default:
	}
	limited, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := inbox.wait(limited, before+n); err != nil {
		return load.Load{}, fmt.Errorf("%d of %d events arrived: %w", inbox.count()-before, n, err)
	}
	late, err := lateness(ctx, r, inbox, began)
	if err != nil {
		return load.Load{}, err
	}
	slices.Sort(late)
	return load.Load{Count: n, Seconds: seconds, P50: load.Percentile(late, 50), P99: load.Percentile(late, 99)}, nil
}

// lateness returns the delays of the events since a time.
func lateness(ctx context.Context, r *rig.Rig, inbox *sink, since time.Time) (late []time.Duration, err error) {
	rows, err := r.Ours.Pool.Query(ctx,
		"select event_id, created_at from webhook_deliveries where environment_id = $1 and created_at >= $2",
		r.Stage.EnvironmentID, since)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	inbox.mu.Lock()
	defer inbox.mu.Unlock()
	for rows.Next() {
		var eventID string
		var at time.Time
		if err := rows.Scan(&eventID, &at); err != nil {
			return nil, err
		}
		arrived, ok := inbox.first[eventID]
		if !ok {
			return nil, fmt.Errorf("event %s counts as owed and did not arrive", eventID)
		}
		late = append(late, arrived.Sub(at))
	}
	return late, rows.Err()
}

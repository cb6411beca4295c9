package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"perennial/bench/stage"
	"perennial/providers/simulator/core"
)

// readsPerSecond is the load of reads beside a storm, the same on both sides.
const readsPerSecond = 40

// storm measures renewals that all fall due in the same second while others read, and then asks the provider's own
// ledger whether each was charged once. The reads beside it show whether renewals take the API along: a pool or a
// processor that is full shows there first.
func storm(ctx context.Context, r *rig, o options) (result, error) {
	var out result
	n, rest := pick(o, 150, 2000), pick(o, 0, restBeforeDue)
	sides := []string{sideOurs, sideBare}
	gap, err := r.gapFor(ctx, sides, n)
	if err != nil {
		return out, err
	}
	r.say("storm: preparing 2 × %d subscriptions, due %s apart", n, gap)
	waves, err := r.schedule(ctx, sides, n, gap, rest)
	if err != nil {
		return out, err
	}
	rate := row{Path: fmt.Sprintf("storm, %d due", n), Unit: "1/s", Goal: goal{Ratio: 0.8}}
	reads := row{Path: fmt.Sprintf("GET p99 during the storm, %d/s", readsPerSecond), Unit: "ms", Goal: goal{Most: 500}}
	for i := range waves {
		w := &waves[i]
		base := r.ours.url
		if w.side == sideBare {
			base = r.bare.url
		}
		if err := sleepUntil(ctx, w.due); err != nil {
			return out, err
		}
		stop := r.readSteadily(ctx, base, w.subjects)
		err := r.watch(ctx, w)
		seen, readErr := stop()
		if err != nil {
			return out, err
		}
		if readErr != nil {
			return out, readErr
		}
		r.say("storm: %s %s/s, GET p99 %s ms", w.side, number(w.rate()), number(seen.P99))
		if w.side == sideOurs {
			rate.Ours, rate.OursCPU, reads.Ours = []float64{w.rate()}, w.cpu, []float64{seen.P99}
		} else {
			rate.Bare, rate.BareCPU, reads.Bare = []float64{w.rate()}, w.cpu, []float64{seen.P99}
		}
	}
	if out.Notes, err = r.timelines(ctx, waves); err != nil {
		return out, err
	}
	wrong, err := r.notChargedOnce(ctx, waves[0].subjects)
	if err != nil {
		return out, err
	}
	charged := row{Path: "not charged exactly once", Unit: "of " + number(float64(n)), Ours: []float64{float64(wrong)}}
	if wrong > 0 {
		// A rate with a wrong charge in it is worth nothing, so the scenario fails and is not in the results.
		return out, fmt.Errorf("storm: %d of %d subscriptions were not charged exactly once", wrong, n)
	}
	out.Rows = []row{rate, reads, charged}
	return out, nil
}

// readSteadily reads subscriptions at a fixed rate, whether answers come or not, until stop. Waiting for each answer
// would slow the reads down with the server, and hide how slow it is.
func (r *rig) readSteadily(ctx context.Context, base string, subjects []stage.Subject) (stop func() (load, error)) {
	ctx, cancel := context.WithCancel(ctx)
	var mu sync.Mutex
	var took []time.Duration
	var failed error
	var all sync.WaitGroup
	began := time.Now()
	all.Go(func() {
		ticker := time.NewTicker(time.Second / readsPerSecond)
		defer ticker.Stop()
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			all.Go(func() {
				asked := time.Now()
				err := r.read(context.WithoutCancel(ctx), base, subjects[i%len(subjects)].SubscriptionID)
				mu.Lock()
				defer mu.Unlock()
				if took = append(took, time.Since(asked)); err != nil {
					failed = err
				}
			})
		}
	})
	return func() (load, error) {
		cancel()
		all.Wait()
		return summarise(took, time.Since(began).Seconds()), failed
	}
}

// notChargedOnce counts subscriptions for which the provider's ledger does not hold exactly one capture. Our own rows
// would only repeat what we believe.
func (r *rig) notChargedOnce(ctx context.Context, subjects []stage.Subject) (int, error) {
	raw, err := r.ask(ctx, http.MethodGet, r.simulator+"/_simulator/ledger", "", http.StatusOK)
	if err != nil {
		return 0, err
	}
	var ledger []core.Movement
	if err := json.Unmarshal(raw, &ledger); err != nil {
		return 0, err
	}
	captures := map[string]int{}
	for _, m := range ledger {
		if m.Kind == "capture" {
			captures[m.TransactionID]++
		}
	}
	ids := make([]string, len(subjects))
	for i, s := range subjects {
		ids[i] = s.SubscriptionID
	}
	rows, err := r.ours.pool.Query(ctx, "select subscription_id, id from transactions where subscription_id = any($1)",
		ids)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	charges := map[string]int{}
	for rows.Next() {
		var sub, txn string
		if err := rows.Scan(&sub, &txn); err != nil {
			return 0, err
		}
		charges[sub] += captures[txn]
	}
	wrong := 0
	for _, id := range ids {
		if charges[id] != 1 {
			wrong++
		}
	}
	return wrong, rows.Err()
}

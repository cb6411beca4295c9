package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"perennial/bench/bare"
	"perennial/bench/stage"
)

// The sides of a wave. The writes side is the bare side without its reads and locks:
// a stricter measure, for the reader.
const (
	sideOurs   = "ours"
	sideBare   = "bare"
	sideWrites = "writes"
)

// restBeforeDue is how long a workflow has slept when it becomes due: then both sides begin a new run, as a
// subscription that sleeps a month does.
const restBeforeDue = 61 * time.Second

// wave is a number of subscriptions of one side that fall due in the same second.
type wave struct {
	side     string
	due      time.Time
	subjects []stage.Subject
	done     time.Time // when the last payment was settled
	cpu      map[string]float64
}

func (w wave) rate() float64 { return float64(len(w.subjects)) / w.done.Sub(w.due).Seconds() }

// schedule prepares waves of n, one after the other with a gap that lets each come to its end before the next.
func (r *rig) schedule(ctx context.Context, sides []string, n int, gap, rest time.Duration) ([]wave, error) {
	const prepared = 100 // subscriptions prepared per second, at least
	one := time.Duration(n) * time.Second / prepared
	all := one * time.Duration(len(sides))
	first := time.Now().Add(max(all, one+rest) + 5*time.Second).Truncate(time.Second)
	waves := make([]wave, len(sides))
	for i, side := range sides {
		w := wave{side: side, due: first.Add(time.Duration(i) * gap)}
		if err := r.prepareWave(ctx, &w, n); err != nil {
			return nil, err
		}
		if left := time.Until(w.due); left < rest {
			return nil, fmt.Errorf("the machine is too slow to prepare %d subscriptions per second: "+
				"wave %d rests %s instead of %s", prepared, i, left, rest)
		}
		waves[i] = w
	}
	return waves, nil
}

func (r *rig) prepareWave(ctx context.Context, w *wave, n int) (err error) {
	if w.side == sideOurs {
		if w.subjects, err = r.stage.Due(ctx, r.ours.store, n, w.due, time.Now()); err != nil {
			return err
		}
		return r.startOursAll(ctx, w.subjects)
	}
	if w.subjects, err = r.stage.Due(ctx, r.bare.store, n, w.due, time.Now()); err != nil {
		return err
	}
	_, err = drive(ctx, 32, until{count: n}, func(ctx context.Context, i int) error {
		return r.startBareWorkflow(ctx, bare.Renewal,
			bare.Input{Subject: w.subjects[i], Due: w.due, Writes: w.side == sideWrites})
	})
	return err
}

// pool is where a side's rows are.
func (r *rig) pool(side string) *pgxpool.Pool {
	if side == sideOurs {
		return r.ours.pool
	}
	return r.bare.pool
}

// watch waits until a wave is due and then until each of its subscriptions has paid.
func (r *rig) watch(ctx context.Context, w *wave) error {
	if err := sleepUntil(ctx, w.due); err != nil {
		return err
	}
	ids := make([]string, len(w.subjects))
	for i, s := range w.subjects {
		ids[i] = s.SubscriptionID
	}
	profiled := r.profileWave(ctx, w.side)
	used := r.processorUsage()
	deadline := w.due.Add(max(2*time.Minute, time.Duration(len(w.subjects))*200*time.Millisecond))
	for {
		paid, err := r.paid(ctx, w.side, ids)
		if err != nil {
			return err
		}
		if paid == len(ids) {
			w.done, w.cpu = time.Now(), r.processorUsage().each(used, len(w.subjects))
			return profiled()
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s: only %d of %d renewals were paid within %s", w.side, paid, len(ids), deadline.Sub(w.due))
		}
		if err := sleepUntil(ctx, time.Now().Add(look)); err != nil {
			return err
		}
	}
}

// look is how often it is counted what was paid; a count of thousands takes some milliseconds.
const look = 150 * time.Millisecond

// paid counts successful charges of these subscriptions.
func (r *rig) paid(ctx context.Context, side string, ids []string) (n int, err error) {
	err = r.pool(side).QueryRow(ctx,
		"select count(*) from transactions where environment_id = $1 and subscription_id = any($2) and status = 'success'",
		r.stage.EnvironmentID, ids).Scan(&n)
	return n, err
}

// gapFor measures small waves to learn how far apart large ones must be.
func (r *rig) gapFor(ctx context.Context, sides []string, n int) (time.Duration, error) {
	if r.waveRate == 0 {
		if err := r.tryWaves(ctx, sides); err != nil {
			return 0, err
		}
	}
	const atMost = 18 // renewals per second: small waves are faster than large ones
	gap := time.Duration(1.2 * float64(n) / min(r.waveRate, atMost) * float64(time.Second))
	return gap.Truncate(time.Second) + 3*time.Second, nil
}

func (r *rig) tryWaves(ctx context.Context, sides []string) error {
	const trial = 40
	waves, err := r.schedule(ctx, sides, trial, 5*time.Second, 0)
	if err != nil {
		return err
	}
	for i := range waves {
		if err := r.watch(ctx, &waves[i]); err != nil {
			return err
		}
		if rate := waves[i].rate(); r.waveRate == 0 || rate < r.waveRate {
			r.waveRate = rate
		}
	}
	return nil
}

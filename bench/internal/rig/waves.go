package rig

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"perennial/bench/bare"
	"perennial/bench/internal/load"
	"perennial/bench/stage"
)

// The sides of a wave. The writes side is the bare side without its reads and locks: a stricter measure.
const (
	SideOurs   = "ours"
	SideBare   = "bare"
	SideWrites = "writes"
)

// RestBeforeDue is the time that a workflow sleeps before it is due. Both sides then begin a new run, as a subscription
// that sleeps a month does.
const RestBeforeDue = 61 * time.Second

// Wave is a number of subscriptions of one side that are due in the same second.
type Wave struct {
	Side     string
	Due      time.Time
	Subjects []stage.Subject
	Done     time.Time // the time of the last settled payment
	CPU      map[string]float64
}

// Rate is the number of renewals per second.
func (w Wave) Rate() float64 { return float64(len(w.Subjects)) / w.Done.Sub(w.Due).Seconds() }

// Schedule prepares waves of n, one after the other with a gap in which each can end before the next.
func (r *Rig) Schedule(ctx context.Context, sides []string, n int, gap, rest time.Duration) ([]Wave, error) {
	const prepared = 100 // subscriptions prepared per second, at least
	one := time.Duration(n) * time.Second / prepared
	all := one * time.Duration(len(sides))
	first := time.Now().Add(max(all, one+rest) + 5*time.Second).Truncate(time.Second)
	waves := make([]Wave, len(sides))
	for i, side := range sides {
		w := Wave{Side: side, Due: first.Add(time.Duration(i) * gap)}
		if err := r.PrepareWave(ctx, &w, n); err != nil {
			return nil, err
		}
		if left := time.Until(w.Due); left < rest {
			return nil, fmt.Errorf("the machine is too slow to prepare %d subscriptions per second: "+
				"wave %d rests %s instead of %s", prepared, i, left, rest)
		}
		waves[i] = w
	}
	return waves, nil
}

// PrepareWave inserts n subscriptions of a wave and starts their workflows.
func (r *Rig) PrepareWave(ctx context.Context, w *Wave, n int) (err error) {
	if w.Side == SideOurs {
		if w.Subjects, err = r.Stage.Due(ctx, r.Ours.Store, n, w.Due, time.Now()); err != nil {
			return err
		}
		return r.StartOursAll(ctx, w.Subjects)
	}
	if w.Subjects, err = r.Stage.Due(ctx, r.Bare.Store, n, w.Due, time.Now()); err != nil {
		return err
	}
	_, err = load.Drive(ctx, 32, load.Until{Count: n}, func(ctx context.Context, i int) error {
		return r.StartBareWorkflow(ctx, bare.Renewal,
			bare.Input{Subject: w.Subjects[i], Due: w.Due, Writes: w.Side == SideWrites})
	})
	return err
}

// pool returns the pool of a side's database.
func (r *Rig) pool(side string) *pgxpool.Pool {
	if side == SideOurs {
		return r.Ours.Pool
	}
	return r.Bare.Pool
}

// Watch waits until a wave is due and then until each of its subscriptions has paid.
func (r *Rig) Watch(ctx context.Context, w *Wave) error {
	if err := load.SleepUntil(ctx, w.Due); err != nil {
		return err
	}
	ids := make([]string, len(w.Subjects))
	for i, s := range w.Subjects {
		ids[i] = s.SubscriptionID
	}
	profiled := r.profileWave(ctx, w.Side)
	used := r.ProcessorUsage()
	deadline := w.Due.Add(max(2*time.Minute, time.Duration(len(w.Subjects))*200*time.Millisecond))
	for {
		paid, err := r.paid(ctx, w.Side, ids)
		if err != nil {
			return err
		}
		if paid == len(ids) {
			w.Done, w.CPU = time.Now(), r.ProcessorUsage().Each(used, len(w.Subjects))
			return profiled()
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s: only %d of %d renewals were paid within %s", w.Side, paid, len(ids), deadline.Sub(w.Due))
		}
		if err := load.SleepUntil(ctx, time.Now().Add(look)); err != nil {
			return err
		}
	}
}

// look is the time between two counts of paid subscriptions; a count of thousands takes some milliseconds.
const look = 150 * time.Millisecond

// paid returns the number of successful charges of these subscriptions.
func (r *Rig) paid(ctx context.Context, side string, ids []string) (n int, err error) {
	err = r.pool(side).QueryRow(ctx,
		"select count(*) from transactions where environment_id = $1 and subscription_id = any($2) and status = 'success'",
		r.Stage.EnvironmentID, ids).Scan(&n)
	return n, err
}

// GapFor measures small waves to find the necessary gap between large ones.
func (r *Rig) GapFor(ctx context.Context, sides []string, n int) (time.Duration, error) {
	if r.waveRate == 0 {
		if err := r.tryWaves(ctx, sides); err != nil {
			return 0, err
		}
	}
	const atMost = 18 // renewals per second: small waves are faster than large ones
	gap := time.Duration(1.2 * float64(n) / min(r.waveRate, atMost) * float64(time.Second))
	return gap.Truncate(time.Second) + 3*time.Second, nil
}

func (r *Rig) tryWaves(ctx context.Context, sides []string) error {
	const trial = 40
	waves, err := r.Schedule(ctx, sides, trial, 5*time.Second, 0)
	if err != nil {
		return err
	}
	for i := range waves {
		if err := r.Watch(ctx, &waves[i]); err != nil {
			return err
		}
		if rate := waves[i].Rate(); r.waveRate == 0 || rate < r.waveRate {
			r.waveRate = rate
		}
	}
	return nil
}

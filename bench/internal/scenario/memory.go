package scenario

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"perennial/bench/bare"
	"perennial/bench/internal/load"
	"perennial/bench/internal/machine"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
	"perennial/internal/temporalpg"
)

// memory measures the cost of sleeping subscriptions: the memory of a worker process that has begun all of them, and
// the bytes of each in both databases. It reads the worker's resident memory since containers limit that.
func memory(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	var out result.Result
	n := Pick(o, 500, 10_000)
	if err := r.Ours.Worker.Stop(ctx); err != nil { // a fresh one has an empty cache
		return out, err
	}
	if err := r.StartWorker(ctx); err != nil {
		return out, err
	}
	r.Settle(ctx)
	begin := machine.ResidentMB(r.Ours.Worker.PID())
	oursBefore, temporalBefore, err := sizes(ctx, r)
	if err != nil {
		return out, err
	}
	r.Say("memory: starting %d subscriptions", n)
	subjects, err := r.Stage.Trials(ctx, r.Ours.Store, n, time.Now())
	if err != nil {
		return out, err
	}
	if err := r.StartOursAll(ctx, subjects); err != nil {
		return out, err
	}
	r.Say("memory: waiting until all sleep")
	r.Settle(ctx)
	if err := load.SleepUntil(ctx, time.Now().Add(Pick(o, time.Second, 10*time.Second))); err != nil {
		return out, err
	}
	r.Settle(ctx)
	oursAfter, temporalAfter, err := sizes(ctx, r)
	if err != nil {
		return out, err
	}
	resident := machine.ResidentMB(r.Ours.Worker.PID())
	each := func(before, after int64) []float64 { return []float64{float64(after-before) / float64(n)} }
	out.Rows = []result.Row{
		{
			Path: fmt.Sprintf("worker's resident memory, %d sleeping", n), Unit: "MB", Ours: []float64{resident},
			Goal: result.Goal{Most: 200},
		},
		{Path: "our database, per sleeping subscription and customer", Unit: "bytes", Ours: each(oursBefore, oursAfter)},
		{Path: "Temporal's database, per sleeping subscription", Unit: "bytes", Ours: each(temporalBefore, temporalAfter)},
	}
	out.Notes = append(out.Notes, fmt.Sprintf("a worker with nothing to do had %s MB", result.Number(begin)))
	r.Say("memory: starting as many on the bare side, so that what follows meets databases of the same size")
	return out, startBareSleepers(ctx, r, n)
}

// startBareSleepers gives the bare side as many rows and sleeping workflows.
func startBareSleepers(ctx context.Context, r *rig.Rig, n int) error {
	subjects, err := r.Stage.Trials(ctx, r.Bare.Store, n, time.Now())
	if err != nil {
		return err
	}
	_, err = load.Drive(ctx, 32, load.Until{Count: n}, func(ctx context.Context, i int) error {
		return r.StartBareWorkflow(ctx, bare.Idle, bare.Input{Subject: subjects[i], Due: time.Now().AddDate(0, 0, 14)})
	})
	return err
}

// sizes returns the bytes of the product's database, and of Temporal's: its file with the write-ahead log, or its
// databases.
func sizes(ctx context.Context, r *rig.Rig) (ours, temporal int64, err error) {
	if ours, err = databaseSize(ctx, r, rig.OursName); err != nil {
		return 0, 0, err
	}
	if r.Kind == "postgres" {
		for _, name := range temporalpg.Databases {
			size, err := databaseSize(ctx, r, name)
			if err != nil {
				return 0, 0, err
			}
			temporal += size
		}
		return ours, temporal, nil
	}
	info, err := os.Stat(filepath.Join(r.Dir, "temporal", "temporal.db"))
	if err != nil {
		return 0, 0, err
	}
	return ours, info.Size(), nil
}

func databaseSize(ctx context.Context, r *rig.Rig, name string) (size int64, err error) {
	err = r.Ours.Pool.QueryRow(ctx, "select pg_database_size($1)", name).Scan(&size)
	return size, err
}

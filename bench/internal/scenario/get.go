package scenario

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"perennial/bench/internal/load"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
)

// get measures GET /api/subscriptions/{id}, and mux with one select of key and row.
func get(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	var out result.Result
	ourIDs, err := r.Stage.Trials(ctx, r.Ours.Store, 1000, time.Now())
	if err != nil {
		return out, err
	}
	bareIDs, err := r.Stage.Trials(ctx, r.Bare.Store, 1000, time.Now())
	if err != nil {
		return out, err
	}
	if err := r.NoteStarted(ctx, ourIDs); err != nil {
		return out, err
	}
	for _, pool := range []*pgxpool.Pool{r.Ours.Pool, r.Bare.Pool} { // as autovacuum does within a minute
		if _, err := pool.Exec(ctx, "analyze"); err != nil {
			return out, err
		}
	}
	lasts := Pick(o, time.Second, 3*time.Second)
	order := rand.New(rand.NewPCG(o.Seed, 1)).Perm(len(ourIDs))
	for _, clients := range []int{1, 32} {
		measured, err := compare(ctx, r, o, result.ClientsPath("get", clients), result.Goal{Ratio: 0.6},
			func(ctx context.Context, _ int) (load.Load, error) {
				return load.Drive(ctx, clients, load.Until{After: lasts}, func(ctx context.Context, i int) error {
					return r.Read(ctx, r.Ours.URL, ourIDs[order[i%len(order)]].SubscriptionID)
				})
			},
			func(ctx context.Context, _ int) (load.Load, error) {
				return load.Drive(ctx, clients, load.Until{After: lasts}, func(ctx context.Context, i int) error {
					return r.Read(ctx, r.Bare.URL, bareIDs[order[i%len(order)]].SubscriptionID)
				})
			})
		if err != nil {
			return out, err
		}
		out.Rows = append(out.Rows, measured)
	}
	return out, nil
}

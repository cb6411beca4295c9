package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// get measures GET /api/subscriptions/{id}, beside mux with one select of key and row.
func get(ctx context.Context, r *rig, o options) (result, error) {
	var out result
	ourIDs, err := r.stage.Trials(ctx, r.ours.store, 1000, time.Now())
	if err != nil {
		return out, err
	}
	bareIDs, err := r.stage.Trials(ctx, r.bare.store, 1000, time.Now())
	if err != nil {
		return out, err
	}
	if err := r.noteStarted(ctx, ourIDs); err != nil {
		return out, err
	}
	for _, pool := range []*pgxpool.Pool{r.ours.pool, r.bare.pool} { // as autovacuum does within a minute
		if _, err := pool.Exec(ctx, "analyze"); err != nil {
			return out, err
		}
	}
	lasts := pick(o, time.Second, 3*time.Second)
	order := rand.New(rand.NewPCG(o.seed, 1)).Perm(len(ourIDs))
	for _, clients := range []int{1, 32} {
		measured, err := r.compare(ctx, o, clientsPath("get", clients), goal{Ratio: 0.6},
			func(ctx context.Context, _ int) (load, error) {
				return drive(ctx, clients, until{after: lasts}, func(ctx context.Context, i int) error {
					return r.read(ctx, r.ours.url, ourIDs[order[i%len(order)]].SubscriptionID)
				})
			},
			func(ctx context.Context, _ int) (load, error) {
				return drive(ctx, clients, until{after: lasts}, func(ctx context.Context, i int) error {
					return r.read(ctx, r.bare.url, bareIDs[order[i%len(order)]].SubscriptionID)
				})
			})
		if err != nil {
			return out, err
		}
		out.Rows = append(out.Rows, measured)
	}
	return out, nil
}

func (r *rig) read(ctx context.Context, base, id string) error {
	_, err := r.ask(ctx, http.MethodGet, base+"/api/subscriptions/"+id, "", http.StatusOK)
	return err
}

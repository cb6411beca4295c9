package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"perennial/bench/stage"
)

// question is a request about one subject.
type question struct {
	method, path, query, body string
}

// reads measures questions with 1 and 32 clients, beside the same reads in the same round trips and one encoding of the
// answer.
func (r *rig) reads(
	ctx context.Context, o options, name string, ours, other []stage.Subject, ask func(stage.Subject) question,
) (result, error) {
	var out result
	for _, pool := range []*pgxpool.Pool{r.ours.pool, r.bare.pool} { // as autovacuum does within a minute
		if _, err := pool.Exec(ctx, "analyze"); err != nil {
			return out, err
		}
	}
	lasts := pick(o, time.Second, 3*time.Second)
	order := rand.New(rand.NewPCG(o.seed, 1)).Perm(len(ours))
	for _, clients := range []int{1, 32} {
		measured, err := r.compare(ctx, o, clientsPath(name, clients), goal{},
			func(ctx context.Context, _ int) (load, error) {
				return drive(ctx, clients, until{after: lasts}, func(ctx context.Context, i int) error {
					q := ask(ours[order[i%len(order)]])
					_, err := r.ask(ctx, q.method, r.ours.url+q.path+"?"+q.query, q.body, http.StatusOK)
					return err
				})
			},
			func(ctx context.Context, _ int) (load, error) {
				return drive(ctx, clients, until{after: lasts}, func(ctx context.Context, i int) error {
					subject := other[order[i%len(order)]]
					q := ask(subject)
					_, err := r.ask(ctx, q.method, r.bare.url+q.path+"?customer="+subject.CustomerID+"&"+q.query, q.body,
						http.StatusOK)
					return err
				})
			})
		if err != nil {
			return out, err
		}
		out.Rows = append(out.Rows, measured)
	}
	return out, nil
}

// trials are n subscriptions of each side that nothing happens to.
func (r *rig) trials(ctx context.Context, n int) (ours, other []stage.Subject, err error) {
	if ours, err = r.stage.Trials(ctx, r.ours.store, n, time.Now()); err != nil {
		return nil, nil, err
	}
	if other, err = r.stage.Trials(ctx, r.bare.store, n, time.Now()); err != nil {
		return nil, nil, err
	}
	return ours, other, r.noteStarted(ctx, ours)
}

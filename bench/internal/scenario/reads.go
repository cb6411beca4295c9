package scenario

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"perennial/bench/internal/load"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
	"perennial/bench/stage"
)

// question is a request about one subject.
type question struct {
	method, path, query, body string
}

// reads measures questions with 1 and 32 clients, and the same reads in the same round trips with one encoding of the
// answer.
func reads(
	ctx context.Context, r *rig.Rig, o Options, name string, ours, other []stage.Subject, ask func(stage.Subject) question,
) (result.Result, error) {
	var out result.Result
	for _, pool := range []*pgxpool.Pool{r.Ours.Pool, r.Bare.Pool} { // as autovacuum does within a minute
		if _, err := pool.Exec(ctx, "analyze"); err != nil {
			return out, err
		}
	}
	lasts := Pick(o, time.Second, 3*time.Second)
	order := rand.New(rand.NewPCG(o.Seed, 1)).Perm(len(ours))
	for _, clients := range []int{1, 32} {
		measured, err := compare(ctx, r, o, result.ClientsPath(name, clients), result.Goal{},
			func(ctx context.Context, _ int) (load.Load, error) {
				return load.Drive(ctx, clients, load.Until{After: lasts}, func(ctx context.Context, i int) error {
					q := ask(ours[order[i%len(order)]])
					_, err := r.Ask(ctx, q.method, r.Ours.URL+q.path+"?"+q.query, q.body, http.StatusOK)
					return err
				})
			},
			func(ctx context.Context, _ int) (load.Load, error) {
				return load.Drive(ctx, clients, load.Until{After: lasts}, func(ctx context.Context, i int) error {
					subject := other[order[i%len(order)]]
					q := ask(subject)
					_, err := r.Ask(ctx, q.method, r.Bare.URL+q.path+"?customer="+subject.CustomerID+"&"+q.query, q.body,
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

// trials returns n subscriptions of each side without any events.
func trials(ctx context.Context, r *rig.Rig, n int) (ours, other []stage.Subject, err error) {
	if ours, err = r.Stage.Trials(ctx, r.Ours.Store, n, time.Now()); err != nil {
		return nil, nil, err
	}
	if other, err = r.Stage.Trials(ctx, r.Bare.Store, n, time.Now()); err != nil {
		return nil, nil, err
	}
	return ours, other, r.NoteStarted(ctx, ours)
}

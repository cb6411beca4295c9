package e2e

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/internal/testkit"
	"perennial/test/e2e/world"
)

// answeredWithin is the time that a command may take while everything is started again. The small scale runs together
// with all other tests, on shared processors, and only proves that each command is performed.
var answeredWithin = time.Duration(testkit.Scale(90, 10)) * time.Second

// TestRestartOfEverything_LeavesCommandsTheirShare: after a loss of Temporal's database thousands of subscriptions need
// their workflows again, and people continue to use subscriptions, most of which have no workflow yet.
func TestRestartOfEverything_LeavesCommandsTheirShare(t *testing.T) {
	t.Parallel()
	seed := testkit.Seed(t)
	w := world.New(t, world.Config{})
	w.Service.Start(t)
	many := testkit.Scale(100, 20_000)
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(testkit.Scale(4, 30))*time.Minute)
	defer cancel()
	env := w.Environments[0]
	customer, err := env.Create(ctx, "/api/customers", card("pm_card_visa"))
	require.NoError(t, err)
	plan, err := env.Create(ctx, "/api/plans", monthly(1000))
	require.NoError(t, err)
	sub, err := env.Create(ctx, "/api/subscriptions",
		world.Object{"customerId": customer, "planId": plan, "trialDays": 14})
	require.NoError(t, err)
	ids := sleeping(ctx, t, w, sub, many)
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(ids), func(i, k int) { ids[i], ids[k] = ids[k], ids[i] })

	began := time.Now()
	var commands sync.WaitGroup
	const unstarted = "select count(*) from subscriptions where started_epoch < (select epoch from temporal_epoch)"
	took := make([][]time.Duration, testkit.Scale(2, 4))
	for i := range took {
		commands.Go(func() {
			for n := i; n < len(ids) && ctx.Err() == nil && count(t, w, unstarted) > 0; n += len(took) { // each its own
				asked := time.Now()
				path := "/api/subscriptions/" + ids[n] + "/cancel"
				if _, err := env.Change(ctx, http.MethodPost, path, world.Object{"reason": "test"}); err != nil {
					t.Error(err)
				}
				took[i] = append(took[i], time.Since(asked))
				pause(ctx, 200*time.Millisecond)
			}
		})
	}
	commands.Wait()
	require.NoError(t, ctx.Err())
	all := slices.Sorted(slices.Values(slices.Concat(took...)))
	require.NotEmpty(t, all)
	t.Logf("%d started again in %s; %d commands beside it: half within %s, 99 %% within %s, the slowest %s", many,
		time.Since(began).Round(100*time.Millisecond), len(all), all[len(all)/2].Round(time.Millisecond),
		all[len(all)*99/100].Round(time.Millisecond), all[len(all)-1].Round(time.Millisecond))
	require.Less(t, all[len(all)-1], answeredWithin)
}

// sleeping creates copies of a subscription in their state after a loss: rows without workflows.
func sleeping(ctx context.Context, t *testing.T, w *world.World, like string, many int) (ids []string) {
	t.Helper()
	conn, err := pgx.Connect(ctx, w.Pool.Config().ConnString())
	require.NoError(t, err)
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, `insert into subscriptions
		select (jsonb_populate_record(s, jsonb_build_object('id', left(s.id, 22) || lpad(n::text, 8, '0'), 'started_epoch', 0))).*
		from subscriptions s, generate_series(1, $2::integer) n where s.id = $1 returning id`, like, many)
	require.NoError(t, err)
	ids, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return ids
}

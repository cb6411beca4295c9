package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit"
	"perennial/test/e2e/check"
	"perennial/test/e2e/load"
	"perennial/test/e2e/world"
)

// atOneTime is the number of racing requests with the same key.
const atOneTime = 50

// TestIdempotency_KeysRace: fifty requests with one key have one effect and one answer, also while the process that
// answers them is killed.
func TestIdempotency_KeysRace(t *testing.T) {
	t.Parallel()
	testkit.Seed(t)
	w := world.New(t, world.Config{})
	w.Service.Start(t)
	env := w.Environments[0]
	ctx, cancel := context.WithTimeout(t.Context(), settled)
	defer cancel()
	customer, err := env.Create(ctx, "/api/customers", card("pm_card_visa"))
	require.NoError(t, err)
	made, err := env.Create(ctx, "/api/plans", monthly(1200))
	require.NoError(t, err)
	subs := make([]string, testkit.Scale(3, 20))
	for i := range subs {
		subs[i], err = env.Create(ctx, "/api/subscriptions",
			world.Object{"customerId": customer, "planId": made, "trialDays": 30})
		require.NoError(t, err)
	}

	before := count(t, w, "select count(*) from transactions")
	var races []*race
	for i, sub := range subs {
		charge := world.Object{"customerId": customer, "amount": 500 + i, "currency": "EUR"}
		cancel := world.Object{"immediateEffect": true, "reason": "race"}
		races = append(races,
			&race{method: http.MethodPost, path: "/api/payments", body: charge},
			&race{method: http.MethodPost, path: "/api/subscriptions/" + sub + "/cancel", body: cancel})
	}
	var group sync.WaitGroup
	for _, r := range races {
		r.key = world.Key()
		r.run(ctx, &group, env)
	}
	w.Service.Kill(t) // in the middle of it
	require.True(t, w.Service.Killed())
	w.Service.Start(t)
	group.Wait()

	for _, r := range races {
		r.requireOneAnswer(t)
	}
	require.Equal(t, before+len(subs), count(t, w, "select count(*) from transactions"), "one charge for each key")
	require.Equal(t, len(subs), count(t, w, "select count(*) from events where type = 'subscription.canceled'"))
	a, err := env.Try(ctx, http.MethodPost, "/api/payments", races[0].key,
		world.Object{"customerId": customer, "amount": 9, "currency": "EUR"})
	require.NoError(t, err)
	require.Equal(t, http.StatusUnprocessableEntity, a.Status, "another body under a used key: %s", a)
	load.PayAll(t, env, settled)
	check.AtRest(t, w, settled)
	check.Sound(t, w)
}

// race is one key that many use at once.
type race struct {
	method, path, key string
	body              world.Object

	mu      sync.Mutex
	answers []world.Answer
	errs    []error
}

func (r *race) run(ctx context.Context, group *sync.WaitGroup, env *world.Environment) {
	for range atOneTime {
		group.Go(func() {
			a, err := env.ChangeUnder(ctx, r.key, r.method, r.path, r.body)
			r.mu.Lock()
			defer r.mu.Unlock()
			if err != nil {
				r.errs = append(r.errs, fmt.Errorf("%s: %w", r.path, err))
				return
			}
			r.answers = append(r.answers, a)
		})
	}
}

func (r *race) requireOneAnswer(t *testing.T) {
	t.Helper()
	require.Empty(t, r.errs)
	require.Len(t, r.answers, atOneTime)
	for _, a := range r.answers {
		require.Equal(t, r.answers[0].Status, a.Status)
		require.Equal(t, r.what(t, r.answers[0]), r.what(t, a))
	}
}

// what returns the part of an answer that all repeats have: of a payment, which a repeat shows as it is by then, the
// row that it is about; of all else, every byte.
func (r *race) what(t *testing.T, a world.Answer) string {
	t.Helper()
	if r.path != "/api/payments" {
		return string(a.Body)
	}
	var of struct{ ID, CustomerID, Currency string }
	require.NoError(t, json.Unmarshal(a.Body, &of), "%s", a)
	require.NotEmpty(t, of.ID)
	return fmt.Sprint(of)
}

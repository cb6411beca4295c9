package e2e

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit"
	"perennial/test/e2e/check"
	"perennial/test/e2e/load"
	"perennial/test/e2e/world"
)

// Cents for a call: regions of euRegion cost more.
const (
	euCents, otherCents = 3, 1
	euRegion            = "eu"
)

// TestUsageIsBilledOnceWhileEveryPartIsKilled: apps report usage in disorder, twice, late and with corrections, in real
// time and on test clocks, and cancel in the middle of it, while API, worker, PostgreSQL and Temporal are killed. In the
// end each accepted record is on one line's quantity, and the amounts are those of a recount in this file.
func TestUsageIsBilledOnceWhileEveryPartIsKilled(t *testing.T) {
	t.Parallel()
	seed := testkit.Seed(t)
	random := rand.New(rand.NewPCG(seed, 5)) //nolint:gosec // a test's seed
	kills, joining := testkit.Scale(4, 60), testkit.Scale(3, 4)
	database, engine := postgres(t), temporal(t)
	w := world.New(t, world.Config{Postgres: database, Temporal: engine, Workerless: true})
	w.Service.Start(t)
	worker, _ := w.Worker(t, "e2e")
	worker.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*settled)
	defer cancel()
	env := w.Environments[0]
	plan := meteredPlan(t, env)
	var all reporters
	crowd := load.New(t, env, seed)
	parts := everyPart(t, w, worker, database, engine)
	killInTurn(ctx, t, parts, random, kills, 2500, func(n int) {
		scripts := []load.Script{
			all.reports(env, plan, seed+uint64(3*n), ends), all.reports(env, plan, seed+uint64(3*n+1), travels),
			all.reports(env, plan, seed+uint64(3*n+2), stays),
		}
		crowd.Run(ctx, joining, scripts...)
	})
	crowd.Wait(t)
	check.AtRest(t, w, settled)
	requireCrossedOnce(ctx, t, w)
	all.cancelThose(ctx, t, stays)
	check.AtRest(t, w, settled)
	load.PayAll(t, env, settled) // invoices that a cancellation left open before their first attempt
	check.AtRest(t, w, settled)
	check.Sound(t, w)
	all.requireBilledOnce(ctx, t, env, w)
	requireCrossedOnce(ctx, t, w)
}

// fate is the course of a subscription whose usage is reported.
type fate int

const (
	ends    fate = iota // canceled while usage is reported, in real time
	travels             // the same on a test clock, which moves by months
	stays               // canceled when everything is at rest, so that it reaches thresholds
)

// meteredPlan costs 19.00 a month, and each call; some extents of usage are announced, and billed at once.
func meteredPlan(t *testing.T, env *world.Environment) (planID string) {
	t.Helper()
	_, err := env.Create(t.Context(), "/api/metrics", world.Object{
		"name": "calls", "aggregation": "sum", "groupBy": []string{"region"},
	})
	require.NoError(t, err)
	inEurope, elsewhere := perCall(euCents), perCall(otherCents)
	inEurope["where"] = world.Object{"region": euRegion}
	planID, err = env.Create(t.Context(), "/api/plans", world.Object{
		"name": "Calls", "currency": "EUR", "interval": "month", "amount": 1900,
		"meteredPrices": []any{world.Object{"metricName": "calls", "rates": []any{inEurope, elsewhere}}},
		"usageThresholds": []any{
			world.Object{"amount": 150, "invoice": true}, world.Object{"amount": 600, "invoice": true},
			world.Object{"metricName": "calls", "quantity": "100"},
		},
	})
	require.NoError(t, err)
	return planID
}

func perCall(cents int) world.Object {
	return world.Object{"model": "per_unit", "unitAmount": strconv.Itoa(cents)}
}

// reporters are all subscriptions whose usage was reported.
type reporters struct {
	mu  sync.Mutex
	all []*reporter
}

// reporter is one subscription with its accepted usage.
type reporter struct {
	env   *world.Environment
	fate  fate
	sub   string
	clock string // a test clock's id; empty: real time
	start time.Time

	mu       sync.Mutex
	now      time.Time // of the test clock
	accepted map[string]reported
	refused  map[string]int // by code
}

// reported is a record that was accepted.
type reported struct {
	region   string
	quantity int64 // below zero: a correction
}

func (m *reporter) time() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.clock == "" {
		return time.Now()
	}
	return m.now
}

// reports is a script: two senders report usage of a new subscription, which may be canceled between their requests.
func (a *reporters) reports(env *world.Environment, plan string, seed uint64, f fate) load.Script {
	return func(ctx context.Context, actor *load.Actor) error {
		m := &reporter{env: env, fate: f, accepted: map[string]reported{}, refused: map[string]int{}}
		if f == travels {
			m.now = time.Date(2027, 1, 31, 9, 0, 0, 0, time.UTC)
			var err error
			if m.clock, err = env.Create(ctx, "/api/test-clocks", world.Object{"now": m.now.Unix()}); err != nil {
				return err
			}
		}
		customer, err := actor.Customer(ctx, "pm_card_visa", m.clock)
		if err != nil {
			return err
		}
		if m.sub, err = actor.Subscribe(ctx, customer, plan, 0); err != nil {
			return err
		}
		if m.start = time.Now(); f == travels {
			m.start = m.now
		}
		a.mu.Lock()
		a.all = append(a.all, m)
		a.mu.Unlock()
		var group sync.WaitGroup
		errs := make([]error, 3)
		for i := range 2 {
			group.Go(func() { errs[i] = m.send(ctx, rand.New(rand.NewPCG(seed, uint64(i))), fmt.Sprint(m.sub, "-", i)) }) //nolint:gosec // a test's seed
		}
		if f != stays {
			group.Go(func() { errs[2] = m.live(ctx, rand.New(rand.NewPCG(seed, 9))) }) //nolint:gosec // a test's seed
		}
		group.Wait()
		return errors.Join(errs...)
	}
}

// live makes months pass on a test clock, and cancels.
func (m *reporter) live(ctx context.Context, random *rand.Rand) error {
	pause(ctx, time.Duration(random.IntN(1500))*time.Millisecond)
	for range random.IntN(3) {
		if m.clock == "" {
			break
		}
		to := m.time().AddDate(0, 1, 0)
		if err := load.Advance(ctx, m.env, m.clock, to); err != nil {
			return err
		}
		m.mu.Lock()
		m.now = to
		m.mu.Unlock()
		pause(ctx, time.Duration(random.IntN(500))*time.Millisecond)
	}
	return m.cancel(ctx)
}

func (m *reporter) cancel(ctx context.Context) error {
	_, err := m.env.Change(ctx, http.MethodPost, "/api/subscriptions/"+m.sub+"/cancel",
		world.Object{"immediateEffect": true, "reason": "enough"})
	return err
}

// cancelThose cancels the subscriptions with a fate.
func (a *reporters) cancelThose(ctx context.Context, t *testing.T, f fate) {
	t.Helper()
	for _, m := range a.all {
		if m.fate == f {
			require.NoError(t, m.cancel(ctx))
		}
	}
}

// send reports usage in some requests: singly or in batches, in disorder, with repeats and corrections.
func (m *reporter) send(ctx context.Context, random *rand.Rand, name string) error {
	var sent, correctable []world.Object
	for request := range 12 {
		var batch, fresh []world.Object
		for i := range 1 + random.IntN(8) {
			key := fmt.Sprint(name, "-", request, "-", i)
			switch kind := random.IntN(8); {
			case kind < 2 && len(sent) > 0:
				batch = append(batch, sent[random.IntN(len(sent))])
				continue
			case kind == 2 && len(correctable) > 0: // each once, so that as much is left as is taken back
				n := random.IntN(len(correctable))
				fresh = append(fresh, m.correction(random, correctable[n], key))
				correctable = slices.Delete(correctable, n, n+1)
			default:
				fresh = append(fresh, m.record(random, key))
			}
		}
		batch = append(batch, fresh...)
		random.Shuffle(len(batch), func(i, j int) { batch[i], batch[j] = batch[j], batch[i] })
		if err := m.report(ctx, batch); err != nil {
			return err
		}
		sent = append(sent, fresh...)
		for _, record := range fresh {
			if record["corrects"] == nil && m.took(record) {
				correctable = append(correctable, record)
			}
		}
		pause(ctx, time.Duration(random.IntN(300))*time.Millisecond)
	}
	return nil
}

// record is one of some calls.
func (m *reporter) record(random *rand.Rand, key string) world.Object {
	record := world.Object{
		"subscriptionId": m.sub, "metricName": "calls", "quantity": int64(1 + random.IntN(40)), "idempotencyKey": key,
		"properties": world.Object{"region": []string{euRegion, "us"}[random.IntN(2)]},
	}
	if at := m.past(random); at > 0 {
		record["timestamp"] = at
	}
	return record
}

// correction takes a part of a record back, or all of it.
func (m *reporter) correction(random *rand.Rand, of world.Object, key string) world.Object {
	quantity := of["quantity"].(int64) //nolint:forcetypeassert // of record
	return world.Object{
		"subscriptionId": m.sub, "metricName": "calls", "quantity": -1 - random.Int64N(quantity), "idempotencyKey": key,
		"corrects": of["idempotencyKey"],
	}
}

// past is a time since the subscription began, in Unix seconds; 0: now.
func (m *reporter) past(random *rand.Rand) int64 {
	age := m.time().Unix() - m.start.Unix() - 2
	if age <= 0 || random.IntN(2) == 0 {
		return 0
	}
	return m.start.Unix() + 2 + random.Int64N(age)
}

// took reports whether a record was accepted.
func (m *reporter) took(record world.Object) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.accepted[record["idempotencyKey"].(string)] //nolint:forcetypeassert // of record
	return ok
}

// report sends records until each is decided, as the documentation says.
func (m *reporter) report(ctx context.Context, batch []world.Object) error {
	for {
		answer, err := m.env.Change(ctx, http.MethodPost, "/api/usage/batch", world.Object{"records": batch})
		if err != nil {
			return err
		}
		var out struct {
			Data []struct {
				Status int `json:"status"`
				Error  struct {
					Code string `json:"code"`
				} `json:"error"`
			} `json:"data"`
		}
		if err := answer.Decode(&out); err != nil {
			return err
		}
		undecided := false
		for i, result := range out.Data {
			if result.Status >= http.StatusInternalServerError {
				undecided = true
			} else if err := m.decided(batch[i], result.Status, result.Error.Code); err != nil {
				return err
			}
		}
		if !undecided {
			return nil
		}
		pause(ctx, 100*time.Millisecond)
	}
}

// decided notes what became of a record. One that was accepted once is never refused.
func (m *reporter) decided(record world.Object, status int, code string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := record["idempotencyKey"].(string) //nolint:forcetypeassert // of send
	_, before := m.accepted[key]
	if status != http.StatusCreated {
		if before || code != "usage_closed" && code != "usage_after_end" {
			return fmt.Errorf("record %s was refused with %s; accepted before: %t", key, code, before)
		}
		m.refused[code]++
		return nil
	}
	one := reported{quantity: record["quantity"].(int64)} //nolint:forcetypeassert // of record
	if original, ok := record["corrects"].(string); ok {
		one.region = m.accepted[original].region
	} else {
		one.region = record["properties"].(world.Object)["region"].(string) //nolint:forcetypeassert // of record
	}
	m.accepted[key] = one
	return nil
}

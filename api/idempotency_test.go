package api

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/engine"
	"perennial/internal/id"
)

func TestARepeatIsGivenTheStoredAnswer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	form := `{"name":"Pro","currency":"USD","interval":"month","amount":1900}`
	first := b.ask(t, b.test, "POST", "/api/plans", form, "Idempotency-Key", "k1")
	require.Equal(t, 201, first.Status)
	require.Empty(t, first.Header.Get("Idempotent-Replayed"))

	for name, again := range map[string]response{
		"the same":                  b.ask(t, b.test, "POST", "/api/plans", form, "Idempotency-Key", "k1"),
		"under the other prefix":    b.ask(t, b.test, "POST", "/v1/plans", form, "Idempotency-Key", "k1"),
		"fields in another order":   b.ask(t, b.test, "POST", "/api/plans", `{"amount":1900, "interval":"month", "currency":"USD", "name":"Pro"}`, "Idempotency-Key", "k1"),
		"another key of the tenant": b.ask(t, tenancy{key: b.newKey(t, b.test, db.NewAPIKey{})}, "POST", "/api/plans", form, "Idempotency-Key", "k1"),
	} {
		require.Equal(t, first.Status, again.Status, name)
		require.Equal(t, string(first.Body), string(again.Body), name)
		require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"), name)
	}
	problem(t, 422, "idempotency_key_reused", "Idempotency-Key",
		b.ask(t, b.test, "POST", "/api/plans", `{"name":"Other","currency":"USD","interval":"month","amount":1900}`, "Idempotency-Key", "k1"))
	require.Equal(t, 1, b.count(t, "select count(*) from plans"))

	elsewhere := b.ask(t, b.other, "POST", "/api/plans", form, "Idempotency-Key", "k1")
	require.Equal(t, 201, elsewhere.Status)
	require.NotEqual(t, string(first.Body), string(elsewhere.Body), "a key belongs to its environment")
	b.ask(t, b.test, "POST", "/api/plans", form, "Idempotency-Key", "k2")
	b.ask(t, b.test, "POST", "/api/plans", form)
	require.Equal(t, 4, b.count(t, "select count(*) from plans"))
}

func TestShapeErrorsDoNotUseUpAKey(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	problem(t, 422, "field_missing", "currency", b.ask(t, b.test, "POST", "/api/plans", `{}`, "Idempotency-Key", "k"))
	require.Equal(t, 201, b.ask(t, b.test, "POST", "/api/plans",
		`{"name":"Pro","currency":"USD","interval":"month","amount":1}`, "Idempotency-Key", "k").Status)
}

func TestManyAtOnceAreOne(t *testing.T) {
	t.Parallel()
	const parallel, keys = 50, 4
	b := newBench(t)
	customer, sub := b.newCustomer(t, b.test), b.newSubscription(t, b.test)
	for name, c := range map[string]struct {
		path, body, table string
	}{
		"a creation": {"/api/payments", fmt.Sprintf(`{"customerId":%q,"amount":700,"currency":"USD"}`, customer.ID), "transactions"},
		"a command":  {"/api/subscriptions/" + sub.ID + "/cancel", `{"reason":"race"}`, "commands"},
	} {
		before := b.count(t, "select count(*) from "+c.table)
		for key := range keys {
			answers := b.atOnce(t, parallel, c.path, c.body, fmt.Sprintf("%s-%d", c.table, key))
			for _, a := range answers {
				require.Equal(t, answers[0].Status, a.Status, "%s: %s", name, a.Body)
				require.Equal(t, string(answers[0].Body), string(a.Body), name)
			}
			require.Less(t, answers[0].Status, 300, "%s: %s", name, answers[0].Body)
		}
		require.Equal(t, before+keys, b.count(t, "select count(*) from "+c.table), name)
	}
}

// atOnce sends the same request many times at the same moment.
func (b *bench) atOnce(t *testing.T, n int, path, body, key string) []response {
	t.Helper()
	answers := make([]response, n)
	var barrier, done sync.WaitGroup
	barrier.Add(1)
	for i := range answers {
		r := b.request(t, "POST", path, body, "Authorization", "Bearer "+b.test.key, "Idempotency-Key", key)
		done.Go(func() {
			barrier.Wait()
			answers[i] = b.serve(r)
		})
	}
	barrier.Done()
	done.Wait()
	return answers
}

func TestARefusalOfTheRulesIsRepeated(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	path := "/api/subscriptions/" + sub.ID + "/reactivate"
	first := b.ask(t, b.test, "POST", path, nil, "Idempotency-Key", "k")
	problem(t, 409, "cancellation_not_scheduled", "", first)

	// Now it would be possible; but the request was answered.
	require.Equal(t, 200, b.ask(t, b.test, "POST", "/api/subscriptions/"+sub.ID+"/cancel", nil).Status)
	again := b.ask(t, b.test, "POST", path, nil, "Idempotency-Key", "k")
	require.Equal(t, string(first.Body), string(again.Body))
	require.Equal(t, 409, again.Status)
	require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
	require.Equal(t, httpkit.ProblemType, again.Header.Get("Content-Type"))
	require.Len(t, b.engine.commands, 2)
}

// A refusal that passes by itself says when to come back, and whoever does, with the same key, is judged anew.
func TestARefusalThatPassesIsNotStored(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	clock := as[TestClock](t, 201, b.ask(t, b.test, "POST", "/api/test-clocks", `{"now":1600000000}`))
	busy := &contract.Refusal{Kind: "conflict", Code: "busy_now", Detail: "wait until it is done", RetryAfter: 3 * time.Second}
	for path, bodies := range map[string]struct{ same, other string }{
		"/api/subscriptions/" + sub.ID + "/cancel":  {`{"reason":"x"}`, `{"reason":"y"}`},
		"/api/test-clocks/" + clock.ID + "/advance": {`{"to":1700000000}`, `{"to":1800000000}`},
	} {
		body := bodies.same
		b.engine.onCommand = func(context.Context, contract.SubscriptionStart, contract.Command) (contract.CommandResult, error) {
			return contract.CommandResult{Refusal: busy}, nil
		}
		b.engine.onAdvance = func(context.Context, contract.Ref, contract.Advance) (contract.AdvanceResult, error) {
			return contract.AdvanceResult{Refusal: busy}, nil
		}
		for range 2 {
			refused := b.ask(t, b.test, "POST", path, body, "Idempotency-Key", "k")
			problem(t, 409, "busy_now", "", refused)
			require.Equal(t, "3", refused.Header.Get("Retry-After"), path)
			require.Empty(t, refused.Header.Get("Idempotent-Replayed"), path)
		}
		problem(t, 422, "idempotency_key_reused", "Idempotency-Key",
			b.ask(t, b.test, "POST", path, bodies.other, "Idempotency-Key", "k"))

		b.engine.onCommand, b.engine.onAdvance = nil, nil
		done := b.ask(t, b.test, "POST", path, body, "Idempotency-Key", "k")
		require.Equal(t, 200, done.Status, "%s: %s", path, done.Body)
		again := b.ask(t, b.test, "POST", path, body, "Idempotency-Key", "k")
		require.Equal(t, string(done.Body), string(again.Body))
		require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"), path)
	}
	for _, cmd := range b.engine.commands {
		require.Equal(t, b.engine.commands[0].ID, cmd.ID, "one command, however often it is asked")
	}
	require.Len(t, b.engine.commands, 3)
	require.Equal(t, 1, b.count(t, "select count(*) from commands"))
}

func TestTroubleIsNotStoredAndTheRepeatHasTheSameCommandID(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	path := "/api/subscriptions/" + sub.ID + "/cancel"
	b.engine.onCommand = func(ctx context.Context, in contract.SubscriptionStart, cmd contract.Command) (contract.CommandResult, error) {
		// Performed, but the answer is lost: the worst case for a repeat.
		_, err := b.engine.perform(ctx, in.Input.Ref, cmd)
		return contract.CommandResult{}, errors.Join(engine.ErrUnavailable, err)
	}
	first := b.ask(t, b.test, "POST", path, `{"immediateEffect":true,"reason":"x"}`, "Idempotency-Key", "k")
	problem(t, 503, "engine_unavailable", "", first)
	require.Equal(t, "2", first.Header.Get("Retry-After"))

	b.engine.onCommand = nil
	again := as[Subscription](t, 200, b.ask(t, b.test, "POST", path, `{"immediateEffect":true,"reason":"x"}`, "Idempotency-Key", "k"))
	require.Equal(t, "canceled", again.Status)
	require.Equal(t, "x", again.CancelReason)
	require.Len(t, b.engine.commands, 2)
	require.Equal(t, b.engine.commands[0].ID, b.engine.commands[1].ID)
	require.Equal(t, 1, b.count(t, "select count(*) from commands"))
}

func TestAReleasedKeyMayNotSmuggleAnotherBodyIn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	path := "/api/subscriptions/" + sub.ID + "/cancel"
	b.engine.onCommand = func(context.Context, contract.SubscriptionStart, contract.Command) (contract.CommandResult, error) {
		return contract.CommandResult{}, engine.ErrUnavailable
	}
	b.ask(t, b.test, "POST", path, `{"reason":"a"}`, "Idempotency-Key", "k")
	other := b.ask(t, b.test, "POST", path, `{"reason":"b"}`, "Idempotency-Key", "k")
	require.Equal(t, 422, other.Status, "the first command may still be performed")
	require.Contains(t, string(other.Body), "idempotency_key_reused")
	require.Len(t, b.engine.commands, 1)
}

func TestARepeatTakesOverWhatACrashLeft(t *testing.T) {
	t.Parallel()
	const form = `{"immediateEffect":true}`
	for name, crash := range map[string]func(t *testing.T, b *bench, path string){
		"claimed, its lease is over": func(t *testing.T, b *bench, path string) {
			b.claim(t, "POST "+path, form, -time.Second)
		},
		"performed, but not answered": func(t *testing.T, b *bench, path string) {
			b.engine.onCommand = func(ctx context.Context, in contract.SubscriptionStart, cmd contract.Command) (contract.CommandResult, error) {
				_, err := b.engine.perform(ctx, in.Input.Ref, cmd)
				return contract.CommandResult{}, errors.Join(engine.ErrUnavailable, err)
			}
			require.Equal(t, 503, b.ask(t, b.test, "POST", "/api"+path, form, "Idempotency-Key", "k").Status)
			b.engine.onCommand = nil
			require.Equal(t, 1, b.count(t, "select count(*) from idempotency_keys where state = 'performed'"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			path := "/subscriptions/" + b.newSubscription(t, b.test).ID + "/cancel"
			crash(t, b, path)
			got := as[Subscription](t, 200, b.ask(t, b.test, "POST", "/api"+path, form, "Idempotency-Key", "k"))
			require.Equal(t, "canceled", got.Status)
			require.Equal(t, 1, b.count(t, "select count(*) from commands"))
			require.Equal(t, 1, b.count(t, "select count(*) from idempotency_keys where state = 'answered'"))
		})
	}
}

// claim leaves what a request with the key k leaves while it runs, or when its process ends in the middle.
func (b *bench) claim(t *testing.T, route, body string, lease time.Duration) {
	t.Helper()
	fingerprint := sha256.Sum256([]byte(body))
	b.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, mine, err := tx.ClaimIdempotency(ctx, b.test.environmentID, db.IdempotencyKey{
			Route: route, Key: "k", Fingerprint: fingerprint[:], CommandID: id.New(id.Command, b.clock()),
		}, b.clock().Add(lease))
		require.True(t, mine)
		return err
	})
}

func TestARepeatWaitsForTheRequestItRepeats(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	path := "/api/subscriptions/" + sub.ID + "/cancel"
	arrived, proceed := make(chan struct{}), make(chan struct{})
	var runs atomic.Int32
	b.engine.onCommand = func(ctx context.Context, in contract.SubscriptionStart, cmd contract.Command) (contract.CommandResult, error) {
		if runs.Add(1) == 1 {
			close(arrived)
		}
		<-proceed
		return b.engine.perform(ctx, in.Input.Ref, cmd)
	}
	repeat := func() *http.Request {
		return b.request(t, "POST", path, `{}`, "Authorization", "Bearer "+b.test.key, "Idempotency-Key", "k")
	}
	answers := make(chan response, 2)
	go func() { answers <- b.serve(repeat()) }()
	<-arrived
	// Another body need not wait to be refused.
	problem(t, 422, "idempotency_key_reused", "Idempotency-Key", b.ask(t, b.test, "POST", path, `{"reason":"x"}`, "Idempotency-Key", "k"))
	looked := b.elapsed.Load() + 20 // only the repeat, as it looks at the row again and again, asks for the time now
	go func() { answers <- b.serve(repeat()) }()
	require.Eventually(t, func() bool { return b.elapsed.Load() > looked }, 10*time.Second, time.Millisecond)
	require.EqualValues(t, 1, runs.Load())
	close(proceed)
	first, second := <-answers, <-answers
	require.Equal(t, 200, first.Status)
	require.Equal(t, string(first.Body), string(second.Body))
	// A repeat that looks between the effect and its answer asks once more, and is given the outcome.
	require.Equal(t, 1, b.count(t, "select count(*) from commands"))
}

func TestARepeatOfARunningRequestGivesUpInTime(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	path := "/subscriptions/" + sub.ID + "/cancel"
	b.claim(t, "POST "+path, "", time.Minute)
	b.bound(t, httpkit.Bounds{Key: time.Minute, Answer: time.Minute, InFlight: 10 * time.Millisecond, After: time.Minute})
	got := b.ask(t, b.test, "POST", "/api"+path, nil, "Idempotency-Key", "k")
	problem(t, 409, "idempotency_in_flight", "Idempotency-Key", got)
	require.Equal(t, "1", got.Header.Get("Retry-After"))
	require.Empty(t, b.engine.commands)
}

func TestAnErasedAnswerIsGone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	form := `{"email":"ada@example.com"}`
	cust := as[Customer](t, 201, b.ask(t, b.test, "POST", "/api/customers", form, "Idempotency-Key", "create"))
	require.Equal(t, 200, b.ask(t, b.test, "PATCH", "/api/customers/"+cust.ID, `{"name":"Ada"}`, "Idempotency-Key", "change").Status)
	deleted := b.ask(t, b.test, "DELETE", "/api/customers/"+cust.ID, nil, "Idempotency-Key", "delete")
	require.JSONEq(t, `{"id":"`+cust.ID+`","deleted":true}`, string(deleted.Body))

	again := b.ask(t, b.test, "DELETE", "/api/customers/"+cust.ID, nil, "Idempotency-Key", "delete")
	require.Equal(t, string(deleted.Body), string(again.Body))
	require.Equal(t, 200, again.Status)
	problem(t, 410, "answer_erased", "", b.ask(t, b.test, "POST", "/api/customers", form, "Idempotency-Key", "create"))
	problem(t, 410, "answer_erased", "", b.ask(t, b.test, "PATCH", "/api/customers/"+cust.ID, `{"name":"Ada"}`, "Idempotency-Key", "change"))
	problem(t, 404, "customer_not_found", "", b.ask(t, b.test, "PATCH", "/api/customers/"+cust.ID, `{"name":"Ada"}`, "Idempotency-Key", "new"))
	problem(t, 404, "customer_not_found", "", b.ask(t, b.test, "DELETE", "/api/customers/"+cust.ID, nil))
}

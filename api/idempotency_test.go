package api

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/testkit/wait"
)

func TestIdempotency_RepeatReturnsStoredResponse(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	form := `{"name":"Pro","currency":"USD","interval":"month","amount":1900}`
	first := b.ask(t, b.test, "POST", "/api/plans", form, "Idempotency-Key", "k1")
	require.Equal(t, 201, first.Status)
	require.Empty(t, first.Header.Get("Idempotent-Replayed"))

	for name, again := range map[string]response{
		"the same":               b.ask(t, b.test, "POST", "/api/plans", form, "Idempotency-Key", "k1"),
		"under the other prefix": b.ask(t, b.test, "POST", "/v1/plans", form, "Idempotency-Key", "k1"),
		"fields in another order": b.ask(t, b.test, "POST", "/api/plans",
			`{"amount":1900, "interval":"month", "currency":"USD", "name":"Pro"}`, "Idempotency-Key", "k1"),
		"another key of the tenant": b.ask(t, opened{key: b.newKey(t, b.test, db.NewAPIKey{})}, "POST", "/api/plans",
			form, "Idempotency-Key", "k1"),
	} {
		require.Equal(t, first.Status, again.Status, name)
		require.Equal(t, string(first.Body), string(again.Body), name)
		require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"), name)
	}
	problem(t, 422, "idempotency_key_reused", "Idempotency-Key",
		b.ask(t, b.test, "POST", "/api/plans", `{"name":"Other","currency":"USD","interval":"month","amount":1900}`,
			"Idempotency-Key", "k1"))
	require.Equal(t, 1, b.count(t, "select count(*) from plans"))

	elsewhere := b.ask(t, b.other, "POST", "/api/plans", form, "Idempotency-Key", "k1")
	require.Equal(t, 201, elsewhere.Status)
	require.NotEqual(t, string(first.Body), string(elsewhere.Body), "a key belongs to its environment")
	b.ask(t, b.test, "POST", "/api/plans", form, "Idempotency-Key", "k2")
	b.ask(t, b.test, "POST", "/api/plans", form)
	require.Equal(t, 4, b.count(t, "select count(*) from plans"))
}

func TestIdempotency_ShapeErrorsKeepKeyUnused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	problem(t, 422, "field_missing", "currency", b.ask(t, b.test, "POST", "/api/plans", `{}`, "Idempotency-Key", "k"))
	require.Equal(t, 201, b.ask(t, b.test, "POST", "/api/plans",
		`{"name":"Pro","currency":"USD","interval":"month","amount":1}`, "Idempotency-Key", "k").Status)
}

func TestIdempotency_ParallelRequestsPerformOnce(t *testing.T) {
	t.Parallel()
	const parallel, keys = 50, 4
	b := newBench(t)
	customer := b.newCustomer(t, b.test)
	charge := fmt.Sprintf(`{"customerId":%q,"amount":700,"currency":"USD"}`, customer.ID)
	for name, c := range map[string]struct {
		path  func(key int) string
		body  string
		count string
	}{
		"a creation": {
			func(int) string { return "/api/payments" }, charge, "select count(*) from transactions",
		},
		"a command": {
			func(int) string { return "/api/subscriptions/" + b.newSubscription(t, b.test).ID + "/cancel" }, `{"reason":"race"}`,
			"select count(*) from events where type = 'subscription.updated'",
		},
		"a payment of an invoice": {
			func(int) string { return "/api/payments" }, "", "select count(*) from transactions where attempt_number = 2",
		},
	} {
		before := b.count(t, c.count)
		for key := range keys {
			body := c.body
			if body == "" {
				body = fmt.Sprintf(`{"subscriptionId":%q}`, b.newDebt(t).ID)
			}
			answers := b.atOnce(t, parallel, c.path(key), body, fmt.Sprintf("%s-%d", strings.ReplaceAll(name, " ", "-"), key))
			replayed := 0
			for _, a := range answers {
				require.Equal(t, answers[0].Status, a.Status, "%s: %s", name, a.Body)
				require.Equal(t, string(answers[0].Body), string(a.Body), name)
				if a.Header.Get("Idempotent-Replayed") == "true" {
					replayed++
				}
			}
			require.Less(t, answers[0].Status, 300, "%s: %s", name, answers[0].Body)
			require.Equal(t, parallel-1, replayed, "%s: all but the one that was performed say that they repeat its answer",
				name)
		}
		require.Equal(t, before+keys, b.count(t, c.count), name)
	}
	require.Equal(t, 3*keys, b.count(t, "select count(*) from idempotency_keys where status_code between 200 and 299"))
}

// Two processes share nothing but the database.
func TestIdempotency_RepeatsMeetingInDatabasePerformOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	servers := []http.Handler{b.Handler(), b.newServer(t).Handler()}
	for round := range 10 {
		path := "/api/subscriptions/" + b.newSubscription(t, b.test).ID + "/cancel"
		answers := make([]response, 8)
		var done sync.WaitGroup
		for i := range answers {
			r := b.request(t, "POST", path, `{"immediateEffect":true}`, "Authorization", "Bearer "+b.test.key, "Idempotency-Key",
				"k")
			done.Go(func() {
				w := httptest.NewRecorder()
				servers[i%2].ServeHTTP(w, r)
				answers[i] = response{Status: w.Code, Header: w.Header(), Body: w.Body.Bytes()}
			})
		}
		done.Wait()
		replayed := 0
		for _, a := range answers {
			require.Equal(t, 200, a.Status, "%s", a.Body)
			require.Equal(t, string(answers[0].Body), string(a.Body))
			if a.Header.Get("Idempotent-Replayed") == "true" {
				replayed++
			}
		}
		require.Equal(t, len(answers)-1, replayed)
		require.Equal(t, round+1, b.count(t, "select count(*) from events where type = 'subscription.canceled'"))
	}
}

// atOnce sends the same request many times at the same moment.
func (b *bench) atOnce(t *testing.T, n int, path, body, key string) []response {
	t.Helper()
	requests := make([]*http.Request, n)
	for i := range requests {
		requests[i] = b.request(t, "POST", path, body, "Authorization", "Bearer "+b.test.key, "Idempotency-Key", key)
	}
	return b.together(requests)
}

// together sends requests at the same moment.
func (b *bench) together(requests []*http.Request) []response {
	answers := make([]response, len(requests))
	barrier := make(chan struct{})
	var done sync.WaitGroup
	for i, r := range requests {
		done.Go(func() {
			<-barrier
			answers[i] = b.serve(r)
		})
	}
	close(barrier)
	done.Wait()
	return answers
}

func TestIdempotency_RefusalIsStored(t *testing.T) {
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
	require.Len(t, b.engine.woken, 1, "only what was performed wakes the workflow")
}

func TestIdempotency_ParallelRefusalsAreOne(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	answers := b.atOnce(t, 50, "/api/subscriptions/"+sub.ID+"/reactivate", "", "k")
	for _, a := range answers {
		problem(t, 409, "cancellation_not_scheduled", "", a)
		require.Equal(t, string(answers[0].Body), string(a.Body))
	}
	require.Equal(t, 1, b.count(t, "select count(*) from idempotency_keys"))
}

// A temporary refusal has a Retry-After, and a repeat with the same key is judged again.
func TestIdempotency_TemporaryRefusalIsNotStored(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newDebt(t)
	clock := as[TestClock](t, 201, b.ask(t, b.test, "POST", "/api/test-clocks", `{"now":1600000000}`))
	attempt := as[Payment](t, 201, b.ask(t, b.test, "POST", "/api/payments", map[string]any{"subscriptionId": sub.ID}))
	b.moveClock(t, clock.ID, 1650000000)
	for name, c := range map[string]struct {
		path, same, other, code string
		pass                    func() // what makes the refusal pass
		status                  int
	}{
		"a payment of an invoice": {
			"/api/payments", `{"subscriptionId":"` + sub.ID + `"}`, `{"subscriptionId":"` + sub.ID + `","amount":1}`,
			"payment_in_progress",
			func() { b.decline(t, attempt.ID) }, 201,
		},
		"an advance": {
			"/api/test-clocks/" + clock.ID + "/advance", `{"to":1700000000}`, `{"to":1800000000}`, "test_clock_advancing",
			func() {
				require.NoError(t, b.engine.AdvanceClock(t.Context(),
					contract.Ref{EnvironmentID: b.test.environmentID, ID: clock.ID}))
			}, 200,
		},
	} {
		for range 2 {
			refused := b.ask(t, b.test, "POST", c.path, c.same, "Idempotency-Key", "k")
			problem(t, 409, c.code, "", refused)
			require.NotEmpty(t, refused.Header.Get("Retry-After"), name)
			require.Empty(t, refused.Header.Get("Idempotent-Replayed"), name)
		}
		require.Zero(t, b.count(t, "select count(*) from idempotency_keys where key = 'k' and status_code >= 400"), name)
		c.pass()
		done := b.ask(t, b.test, "POST", c.path, c.same, "Idempotency-Key", "k")
		require.Equal(t, c.status, done.Status, "%s: %s", name, done.Body)
		again := b.ask(t, b.test, "POST", c.path, c.same, "Idempotency-Key", "k")
		require.Equal(t, c.status, again.Status, name)
		require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"), name)
		problem(t, 422, "idempotency_key_reused", "Idempotency-Key",
			b.ask(t, b.test, "POST", c.path, c.other, "Idempotency-Key", "k"))
	}
}

// moveClock leaves a clock on its way to an instant.
func (b *bench) moveClock(t *testing.T, clockID string, to int64) {
	t.Helper()
	b.write(t, func(ctx context.Context, tx *db.Tx) error {
		row, err := tx.Clocks.Lock(ctx, b.test.environmentID, clockID)
		if err != nil {
			return err
		}
		if row, err = row.Advance(time.Unix(to, 0)); err != nil {
			return err
		}
		return tx.Clocks.Save(ctx, b.test.environmentID, row)
	})
}

// A crash between the commit and the answer leaves the caller without an answer: the repeat gets the answer that was
// committed with the effect, also by another process.
func TestIdempotency_RepeatAfterCrashReturnsCommitted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := "/api/subscriptions/" + b.newSubscription(t, b.test).ID + "/cancel"
	const form = `{"immediateEffect":true,"reason":"x"}`
	ctx, crash := context.WithCancel(t.Context())
	b.onCommit = func() { // the process dies before it answers
		crash()
		panic(http.ErrAbortHandler)
	}
	r := b.request(t, "POST", path, form, "Authorization", "Bearer "+b.test.key, "Idempotency-Key", "k").WithContext(ctx)
	require.PanicsWithValue(t, http.ErrAbortHandler, func() { b.serve(r) })

	b.onCommit = nil
	b.Server = b.newServer(t)
	again := b.ask(t, b.test, "POST", path, form, "Idempotency-Key", "k")
	got := as[Subscription](t, 200, again)
	require.Equal(t, "canceled", got.Status)
	require.Equal(t, "x", got.CancelReason)
	require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
	require.Equal(t, 1, b.count(t, "select count(*) from events where type = 'subscription.canceled'"))
	require.Equal(t, 1, b.count(t, "select count(*) from subscriptions where wake_pending_since is not null"),
		"the signal that was lost is still owed")
	problem(t, 422, "idempotency_key_reused", "Idempotency-Key",
		b.ask(t, b.test, "POST", path, `{}`, "Idempotency-Key", "k"))
}

// A request that was not performed is not stored either: a repeat is judged again.
func TestIdempotency_ServerErrorIsNotStored(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	path := "/api/subscriptions/" + sub.ID + "/cancel"
	server := b.Server
	release := b.hold(t, "select 1 from subscriptions where id = $1 for update", sub.ID)
	b.bound(t, httpkit.Bounds{Key: time.Minute, Answer: 300 * time.Millisecond, InFlight: time.Minute, After: time.Minute})
	first := b.ask(t, b.test, "POST", path, `{"reason":"x"}`, "Idempotency-Key", "k")
	problem(t, 503, "database_unavailable", "", first)
	require.NotEmpty(t, first.Header.Get("Retry-After"))
	release()
	require.Empty(t, b.engine.woken)
	require.Zero(t, b.count(t, "select count(*) from idempotency_keys"))
	require.Equal(t, "trialing", as[Subscription](t, 200,
		b.ask(t, b.test, "GET", "/api/subscriptions/"+sub.ID, nil)).Status)

	b.Server = server
	got := as[Subscription](t, 200, b.ask(t, b.test, "POST", path, `{"reason":"x"}`, "Idempotency-Key", "k"))
	require.Equal(t, "x", got.CancelReason)
}

// hold runs a statement and keeps its locks until release, as another transaction would.
func (b *bench) hold(t *testing.T, sql string, args ...any) (release func()) {
	t.Helper()
	tx, err := b.pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
	release = sync.OnceFunc(func() { require.NoError(t, tx.Rollback(context.WithoutCancel(t.Context()))) })
	t.Cleanup(release)
	return release
}

func TestIdempotency_RepeatWaitsForFirst(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	path := "/api/subscriptions/" + sub.ID + "/cancel"
	release := b.hold(t, "select 1 from subscriptions where id = $1 for update", sub.ID)
	repeat := func(body string) *http.Request {
		return b.request(t, "POST", path, body, "Authorization", "Bearer "+b.test.key, "Idempotency-Key", "k")
	}
	answers, other := make(chan response, 20), make(chan response, 1)
	go func() { answers <- b.serve(repeat(`{}`)) }()
	require.Eventually(t, func() bool { return b.waiting(t) == 1 }, wait.Patience, time.Millisecond)
	for range cap(answers) - 1 {
		go func() { answers <- b.serve(repeat(`{}`)) }()
	}
	go func() { other <- b.serve(repeat(`{"reason":"x"}`)) }()
	time.Sleep(50 * time.Millisecond)
	require.Equal(t, 1, b.waiting(t), "a repeat waits without a connection to the database")
	release()
	first := <-answers
	require.Equal(t, 200, first.Status, "%s", first.Body)
	for range cap(answers) - 1 {
		again := <-answers
		require.Equal(t, string(first.Body), string(again.Body))
	}
	problem(t, 422, "idempotency_key_reused", "Idempotency-Key", <-other)
	require.Equal(t, 1, b.count(t, "select count(*) from events where type = 'subscription.updated'"))
}

// waiting counts the requests that wait for the lock of a subscription. Others wait for it too at times: the batcher
// that marks started workflows, for one.
func (b *bench) waiting(t testing.TB) int {
	t.Helper()
	return b.count(t, "select count(*) from pg_stat_activity where datname = current_database() "+
		"and wait_event_type = 'Lock' and query like '-- name: SubscriptionLock %'")
}

func TestIdempotency_RepeatOfRunningRequestGivesUpInTime(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	path := "/api/subscriptions/" + sub.ID + "/cancel"
	b.bound(t, httpkit.Bounds{Key: time.Minute, Answer: time.Minute, InFlight: 10 * time.Millisecond, After: time.Minute})
	release := b.hold(t, "select 1 from subscriptions where id = $1 for update", sub.ID)
	first := b.request(t, "POST", path, nil, "Authorization", "Bearer "+b.test.key, "Idempotency-Key", "k")
	answered := make(chan response, 1)
	go func() { answered <- b.serve(first) }()
	require.Eventually(t, func() bool { return b.waiting(t) == 1 }, wait.Patience, time.Millisecond)
	got := b.ask(t, b.test, "POST", path, nil, "Idempotency-Key", "k")
	problem(t, 409, "idempotency_in_flight", "Idempotency-Key", got)
	require.Equal(t, "1", got.Header.Get("Retry-After"))
	release()
	require.Equal(t, 200, (<-answered).Status)
}

func TestIdempotency_ErasedResponseIsGone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	form := `{"email":"ada@example.com"}`
	cust := as[Customer](t, 201, b.ask(t, b.test, "POST", "/api/customers", form, "Idempotency-Key", "create"))
	require.Equal(t, 200, b.ask(t, b.test, "PATCH", "/api/customers/"+cust.ID, `{"name":"Ada"}`, "Idempotency-Key",
		"change").Status)
	deleted := b.ask(t, b.test, "DELETE", "/api/customers/"+cust.ID, nil, "Idempotency-Key", "delete")
	require.JSONEq(t, `{"id":"`+cust.ID+`","deleted":true}`, string(deleted.Body))

	again := b.ask(t, b.test, "DELETE", "/api/customers/"+cust.ID, nil, "Idempotency-Key", "delete")
	require.Equal(t, string(deleted.Body), string(again.Body))
	require.Equal(t, 200, again.Status)
	problem(t, 410, "answer_erased", "", b.ask(t, b.test, "POST", "/api/customers", form, "Idempotency-Key", "create"))
	problem(t, 410, "answer_erased", "", b.ask(t, b.test, "PATCH", "/api/customers/"+cust.ID, `{"name":"Ada"}`,
		"Idempotency-Key", "change"))
	problem(t, 404, "customer_not_found", "",
		b.ask(t, b.test, "PATCH", "/api/customers/"+cust.ID, `{"name":"Ada"}`, "Idempotency-Key", "new"))
	problem(t, 404, "customer_not_found", "", b.ask(t, b.test, "DELETE", "/api/customers/"+cust.ID, nil))
}

package api

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/contract"
	"perennial/internal/testkit/wait"
	"perennial/service/engine"
)

// bound puts a server with other bounds in the place of the usual one, on the same rows.
func (b *bench) bound(t *testing.T, bounds httpkit.Bounds) {
	t.Helper()
	b.config.Bounds = bounds
	b.Server = b.newServer(t)
}

// shortAfter leaves no time for work after an answer.
var shortAfter = httpkit.Bounds{
	Key: time.Minute, Answer: time.Minute, InFlight: time.Minute, After: 20 * time.Millisecond,
}

// hang makes every use of a table wait, as a database that is stuck would.
func (b *bench) hang(t *testing.T, table string) {
	t.Helper()
	tx, err := b.pool.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tx.Rollback(context.WithoutCancel(t.Context()))) })
	_, err = tx.Exec(t.Context(), "lock table "+table+" in access exclusive mode")
	require.NoError(t, err)
}

// A hanging database leads to a 503 in time on every kind of route. The bounds are short here, so that each of them
// ends its request.
func TestRequest_HangingDatabaseIsUnavailableInTime(t *testing.T) {
	t.Parallel()
	const (
		plan  = `{"name":"Pro","currency":"USD","interval":"month","amount":1900}`
		away  = "database_unavailable"
		short = 20 * time.Millisecond
	)
	key, answer := func(b *httpkit.Bounds) *time.Duration {
		return &b.Key
	}, func(b *httpkit.Bounds) *time.Duration { return &b.Answer }
	repeatable := []string{"Idempotency-Key", "k"}
	for name, c := range map[string]struct {
		table        string // that hangs
		acts         func(*httpkit.Bounds) *time.Duration
		after        time.Duration
		method, path string
		body         string
		headers      []string
		code         string
	}{
		"the key": {table: "api_keys", acts: key, after: short, method: "GET", path: "/api/plans", code: away},
		"a read by id": {
			table: "subscriptions", acts: key, after: short, method: "GET", path: "/api/subscriptions/{id}", code: away,
		},
		"a read": {table: "plans", acts: answer, after: short, method: "GET", path: "/api/plans", code: away},
		"a creation": {table: "plans", acts: answer, after: short, method: "POST", path: "/api/plans",
			body: plan, code: away},
		"a creation that may be repeated": {
			table: "idempotency_keys", acts: answer, after: short, method: "POST", path: "/api/plans", body: plan,
			headers: repeatable, code: away,
		},
		"the key of a command": {
			table: "idempotency_keys", acts: answer, after: short, method: "POST", path: "/api/subscriptions/{id}/cancel",
			headers: repeatable, code: away,
		},
		"a command": {
			table: "credit_balances", acts: answer, after: short, method: "POST", path: "/api/subscriptions/{id}/cancel",
			code: away,
		},
		"a callback": {
			table: "provider_callbacks", acts: answer, after: short, method: "POST", path: "/callbacks/{provider}", body: "{}",
			headers: []string{"Signature", "good", "Event", "e1"}, code: away,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			sub := b.newSubscription(t, b.test)
			b.hang(t, c.table)
			bounds := httpkit.Bounds{Key: time.Minute, Answer: time.Minute, InFlight: time.Minute, After: time.Minute}
			*c.acts(&bounds) = c.after
			b.bound(t, bounds)
			path := strings.NewReplacer("{id}", sub.ID, "{provider}", b.test.providerID).Replace(c.path)
			r := b.request(t, c.method, path, c.body,
				append([]string{"Authorization", "Bearer " + b.test.key}, c.headers...)...)
			answered := make(chan response, 1)
			go func() { answered <- b.serve(r) }()
			select {
			case got := <-answered:
				problem(t, 503, c.code, "", got)
				require.NotEmpty(t, got.Header.Get("Retry-After"))
			case <-time.After(wait.Patience):
				t.Fatal("nothing ends the request")
			}
		})
	}
}

// A refusal that cannot be stored is still returned, since nothing was performed. It is logged, and never with the key:
// a key holds whatever its caller put into it.
func TestIdempotency_UnstorableRefusalIsLogged(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	b.bound(t, shortAfter)
	// Answers cannot be stored, but keys can be taken and released.
	_, err := b.pool.Exec(t.Context(), "alter table idempotency_keys add constraint full_disk check (status_code is null)")
	require.NoError(t, err)
	problem(t, 409, "cancellation_not_scheduled", "",
		b.ask(t, b.test, "POST", "/api/subscriptions/"+sub.ID+"/reactivate", nil, "Idempotency-Key", "adas-key"))
	log := b.log.String()
	require.Contains(t, log, "failed to store a refusal for repeats")
	require.NotContains(t, log, "adas-key")
}

// Work after an answer may hang too; the answer is given nevertheless.
func TestRequest_EffectsDoNotDelayResponse(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cust := b.newCustomer(t, b.test)
	plan := b.newPlan(t, b.test)
	b.patience = 20 * time.Millisecond
	b.Server = b.newServer(t)
	hangs := func(ctx context.Context) error { <-ctx.Done(); return engine.ErrUnavailable }
	b.engine.onStart = func(ctx context.Context, _ contract.SubscriptionStart) error { return hangs(ctx) }
	b.engine.onPayment = func(ctx context.Context, _ contract.PaymentInput) error { return hangs(ctx) }
	b.engine.onSignal = hangs
	sub := as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": cust.ID, "planId": plan.ID}))
	require.Equal(t, 201, b.charge(t, cust.ID).Status)
	require.Equal(t, 200, b.ask(t, b.test, "PATCH", "/api/customers/"+cust.ID,
		`{"paymentMethod":"card","paymentDetails":{"provider":"stripe","customerToken":"cus_1","paymentMethodToken":"pm_2"}}`).Status)
	require.Len(t, b.engine.woken, 1)
	require.Equal(t, sub.ID, b.engine.woken[0].Ref.ID)
	b.engine.woken = nil
	require.Equal(t, 200, b.ask(t, b.test, "POST", "/api/subscriptions/"+sub.ID+"/cancel", nil).Status)
}

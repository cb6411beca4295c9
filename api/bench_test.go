package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/billing/account"
	"perennial/billing/dunning"
	"perennial/billing/event"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/id"
	"perennial/internal/telemetry"
	"perennial/internal/testkit"
	"perennial/internal/vault"
	"perennial/providers"
	"perennial/service"
	"perennial/service/dispatch"
	"perennial/service/gateway"
	"perennial/test/testdb"
	"perennial/webhooks"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// bench is one test's server on its own database, with a fake engine.
type bench struct {
	refused refused
	*Server
	engine   *fakeEngine
	provider *fakeProvider
	pool     *pgxpool.Pool
	worker   *db.Store // with the rights of a worker
	log      *lockedBuffer
	base     time.Time
	elapsed  atomic.Int64
	deps     Deps
	keys     *vault.Vault
	keysets  map[string][]byte // by app
	local    webhooks.Allow
	config   Config
	patience time.Duration     // of the dispatcher; 0: the usual one
	baseURLs map[string]string // of providers other than Stripe
	onCommit func()            // between the commit and its effects; nil: not called
	// The environments: two of one tenant, one of another.
	test, live, other opened
}

// opened is one environment with a key for it.
type opened struct {
	tenantID, appID, environmentID, providerID string
	mode                                       apikey.Mode
	key                                        string
}

// clock moves on by a millisecond with each look, so that ids sort by when they were made.
func (b *bench) clock() time.Time {
	return b.base.Add(time.Duration(b.elapsed.Add(1)) * time.Millisecond)
}

func newBench(t testing.TB) *bench {
	t.Helper()
	b := &bench{
		engine: &fakeEngine{}, provider: &fakeProvider{}, log: &lockedBuffer{}, keysets: map[string][]byte{},
		base: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
	}
	t.Cleanup(func() {
		require.Empty(t, b.refused.unlisted, "the document does not list these for the operation")
		// Package testing keeps the cleanups of each test, with all that they refer to, until the last test has ended.
		b.Server, b.deps, b.log = nil, Deps{}, nil
	})
	database := testdb.Migrated(t)
	// With the rights that the API has, and no others.
	store := testdb.Open(t, database, db.RoleAPI, 12, b.clock)
	b.worker = testdb.Open(t, database, db.RoleWorker, 2, b.clock)
	b.pool = database.Pool(t)
	tel, err := telemetry.Start(t.Context(), telemetry.Options{
		Service: "test", LogLevel: "debug", LogOutput: b.log, Now: b.clock,
	})
	require.NoError(t, err)
	b.engine.store, b.engine.now = store, b.clock
	b.keys, err = vault.New(vault.NewKEK())
	require.NoError(t, err)
	b.local, err = webhooks.ParseAllow("127.0.0.0/8")
	require.NoError(t, err)
	b.deps = Deps{
		Store: store, Telemetry: tel, Now: b.clock,
		ProviderOf: func(context.Context, db.ProviderConfig) (providers.Provider, error) { return b.provider, nil },
	}
	b.config.Version = "test"
	b.Server = b.newServer(t)

	b.test = b.newTenancy(t, apikey.Test, "")
	b.live = b.newTenancy(t, apikey.Live, b.test.appID)
	b.other = b.newTenancy(t, apikey.Test, "")
	return b
}

func (b *bench) newServer(t testing.TB) *Server {
	t.Helper()
	d := inStep{bench: b, config: dispatch.Config{
		Store: b.deps.Store, Engine: b.engine, Now: b.clock, Log: b.deps.Telemetry.Logger, Patience: b.patience,
	}}
	baseURLs := map[string]string{"stripe": b.stripe(t).URL}
	maps.Copy(baseURLs, b.baseURLs)
	b.deps.Service = service.New(b.deps.Store.With(d), b.clock).
		WithWebhooks(service.Webhooks{Vault: b.keys, Local: b.local}).
		WithProviders(gateway.New(gateway.Config{
			Vault: b.keys, BaseURLs: baseURLs, AllowedHosts: []string{"pay.example.com"},
		}))
	server := NewServer(b.deps, b.config)
	t.Cleanup(func() {
		require.NoError(t, server.Shutdown(context.WithoutCancel(t.Context())))
		server = nil // as in newBench
	})
	return server
}

// inStep performs the effects of a commit before the answer, so that a test sees them.
type inStep struct {
	bench  *bench
	config dispatch.Config
}

func (s inStep) Dispatch(ctx context.Context, by db.Actor, effects []db.Effect) {
	if s.bench.onCommit != nil {
		s.bench.onCommit()
	}
	d := dispatch.New(s.config)
	d.Dispatch(ctx, by, effects)
	d.Close()
}

// newTenancy writes an environment with a key and a provider; without appID with a tenant and app of its own.
func (b *bench) newTenancy(t testing.TB, mode apikey.Mode, appID string) opened {
	t.Helper()
	now := b.clock()
	e := opened{
		tenantID: id.New(id.Tenant, now), appID: appID, environmentID: id.New(id.Environment, now),
		providerID: id.New(id.ProviderConfig, now), mode: mode,
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) error {
		keyset := b.keysets[appID]
		if appID == "" {
			e.appID = id.New(id.App, now)
			require.NoError(t, tx.Tenancy.InsertTenant(ctx, db.Tenant{ID: e.tenantID, Name: "tenant", CreatedAt: now}))
			var err error
			keyset, err = b.keys.NewAppKeyset(e.appID)
			require.NoError(t, err)
			b.keysets[e.appID] = keyset
			require.NoError(t, tx.Tenancy.InsertApp(ctx, db.App{
				ID: e.appID, TenantID: e.tenantID, Name: "app", Keyset: keyset, CreatedAt: now,
			}))
		}
		require.NoError(t, tx.Tenancy.InsertEnvironment(ctx, db.Environment{
			ID: e.environmentID, AppID: e.appID, Mode: string(mode), CreatedAt: now,
			Settings: subscription.Settings{TimeZone: "UTC", Dunning: dunning.Default(),
				PastDueBilling: subscription.SkipPastDue},
		}))
		config := db.ProviderConfig{
			ID: e.providerID, Provider: "stripe", Account: account.Account{Primary: true}, AppID: e.appID, Keyset: keyset,
		}
		sealed, err := gateway.Seal(b.keys, config, 1, gateway.Credentials{"secretKey": "sk_" + string(mode) + "_good"})
		require.NoError(t, err)
		config.Credentials = []db.SealedCredentials{sealed}
		return tx.Payments.InsertProviderConfig(ctx, e.environmentID, config)
	})
	e.key = b.newKey(t, e, db.NewAPIKey{})
	return e
}

// newKey adds a key; fields that k omits are those of an all-round secret key.
func (b *bench) newKey(t testing.TB, e opened, k db.NewAPIKey) string {
	t.Helper()
	if k.Kind == "" {
		k.Kind = string(apikey.Secret)
	}
	if k.Scopes == nil {
		k.Scopes = []string{"*"}
	}
	made := apikey.New(apikey.Kind(k.Kind), e.mode)
	k.ID, k.Hash, k.Hint = id.New(id.APIKey, b.clock()), made.Hash, made.Hint
	b.write(t, func(ctx context.Context, tx *db.Tx) error { return tx.Tenancy.InsertAPIKey(ctx, e.environmentID, k) })
	return made.Plain
}

func (b *bench) revokedKey(t *testing.T, e opened) string {
	t.Helper()
	plain := b.newKey(t, e, db.NewAPIKey{})
	key, err := b.store.KeyByHash(t.Context(), apikey.Hash(plain))
	require.NoError(t, err)
	b.write(t, func(ctx context.Context, tx *db.Tx) error {
		return tx.Tenancy.RevokeAPIKey(ctx, e.environmentID, key.ID)
	})
	return plain
}

func (b *bench) write(t testing.TB, fn func(ctx context.Context, tx *db.Tx) error) {
	t.Helper()
	require.NoError(t, b.store.InTx(t.Context(), db.BySystem("test"), b.clock(), func(tx *db.Tx) error {
		return fn(t.Context(), tx)
	}))
}

// count runs a query that answers one number.
func (b *bench) count(t testing.TB, sql string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, b.pool.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

// response is an answer, read.
type response struct {
	Status int
	Header http.Header
	Body   []byte
}

// ask sends a request with the environment's key. body is a string sent as it is, or encoded; headers come in pairs.
func (b *bench) ask(t testing.TB, e opened, method, path string, body any, headers ...string) response {
	t.Helper()
	return b.send(t, method, path, body, append([]string{"Authorization", "Bearer " + e.key}, headers...)...)
}

func (b *bench) send(t testing.TB, method, path string, body any, headers ...string) response {
	t.Helper()
	return b.serve(b.request(t, method, path, body, headers...))
}

func (b *bench) request(t testing.TB, method, path string, body any, headers ...string) *http.Request {
	t.Helper()
	var content io.Reader
	switch v := body.(type) {
	case nil:
	case string:
		content = bytes.NewBufferString(v)
	default:
		encoded, err := json.Marshal(v)
		require.NoError(t, err)
		content = bytes.NewReader(encoded)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, path, content)
	r.RemoteAddr = "192.0.2.7:4242"
	if content != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// serve asserts nothing, so that goroutines may call it.
func (b *bench) serve(r *http.Request) response {
	w := httptest.NewRecorder()
	b.Handler().ServeHTTP(w, r)
	b.refused.note(r, w)
	return response{Status: w.Code, Header: w.Header(), Body: w.Body.Bytes()}
}

// as reads an answer that must have a status.
func as[T any](t testing.TB, status int, r response) T {
	t.Helper()
	require.Equal(t, status, r.Status, "%s", r.Body)
	var v T
	require.NoError(t, json.Unmarshal(r.Body, &v), "%s", r.Body)
	return v
}

// dataOf reads the data of an event, in which no field may be unknown.
func dataOf[T event.Data](t testing.TB, e Event) T {
	t.Helper()
	var data T
	require.Equal(t, string(data.Type()), e.Type)
	strict := json.NewDecoder(bytes.NewReader(e.Data))
	strict.DisallowUnknownFields()
	require.NoError(t, strict.Decode(&data), "%s", e.Data)
	return data
}

// problem reads a refusal.
func problem(t testing.TB, status int, code, param string, r response) httpkit.Problem {
	t.Helper()
	p := as[httpkit.Problem](t, status, r)
	require.Equal(t, code, p.Code, "%s", r.Body)
	require.Equal(t, param, p.Param, "%s", r.Body)
	require.Equal(t, httpkit.ProblemType, r.Header.Get("Content-Type"))
	require.Equal(t, status, p.Status)
	at := slices.IndexFunc(problems(), func(l httpkit.Listed) bool { return l.Code == code })
	require.GreaterOrEqual(t, at, 0, "%s is missing in problems.json", code)
	require.Equal(t, status, problems()[at].Status, "the status of %s in problems.json", code)
	return p
}

// Shorthands for what most tests need first.

func (b *bench) newPlan(t testing.TB, e opened) Plan {
	t.Helper()
	return as[Plan](t, http.StatusCreated, b.ask(t, e, "POST", "/api/plans",
		map[string]any{"name": "Pro", "currency": "USD", "interval": "month", "amount": 1900}))
}

func (b *bench) newCustomer(t testing.TB, e opened, more ...any) Customer {
	t.Helper()
	form := map[string]any{
		"email": "ada@example.com", "name": "Ada", "paymentMethod": "card",
		"paymentDetails": map[string]any{"provider": "stripe", "customerToken": "cus_1", "paymentMethodToken": "pm_1"},
	}
	for i := 0; i < len(more); i += 2 {
		form[more[i].(string)] = more[i+1]
	}
	return as[Customer](t, http.StatusCreated, b.ask(t, e, "POST", "/api/customers", form))
}

func (b *bench) newSubscription(t testing.TB, e opened) Subscription {
	t.Helper()
	return as[Subscription](t, http.StatusCreated, b.ask(t, e, "POST", "/api/subscriptions",
		map[string]any{"customerId": b.newCustomer(t, e).ID, "planId": b.newPlan(t, e).ID, "trialDays": 14}))
}

func (b *bench) newEndpoint(t testing.TB, e opened, events ...string) WebhookEndpoint {
	t.Helper()
	return as[WebhookEndpoint](t, http.StatusCreated, b.ask(t, e, "POST", "/api/webhooks",
		map[string]any{"url": "https://example.com/webhooks", "events": events}))
}

package bare

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"perennial/bench/stage"
	"perennial/db"
	"perennial/internal/testkit"
	"perennial/providers/simulator"
	"perennial/test/testdb"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// recordedScript returns a script of the present product, with the environment of its activities.
func recordedScript(t *testing.T) (stage.Stage, *db.Store, *Activities) {
	t.Helper()
	database := testdb.Migrated(t)
	sim, err := simulator.New(
		simulator.Config{Ledger: filepath.Join(t.TempDir(), "ledger.jsonl"), KeyWindow: time.Hour,
			HangFor: time.Second, Now: time.Now},
	)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sim.Close()) })
	stripe := httptest.NewServer(sim.Providers()[0].Handler())
	t.Cleanup(stripe.Close)

	s, err := stage.New(time.Now().Truncate(time.Second))
	require.NoError(t, err)
	store, err := db.Open(t.Context(), db.Config{URL: database.URL, MaxConns: 4, Clock: time.Now})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	require.NoError(t, s.Build(t.Context(), store))
	script, err := Record(t.Context(), Source{DatabaseURL: database.URL, SimulatorURL: stripe.URL, Stage: s})
	require.NoError(t, err)
	return s, store, &Activities{
		Pool: database.Pool(t), Script: script, Writes: script.WritesOnly(), HTTP: http.DefaultClient, Simulator: stripe.URL,
	}
}

func rows(t *testing.T, pool *pgxpool.Pool, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, pool.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

// Every path of the bare side completes for several subscriptions: unique values change. A benchmark that compares the
// product with failures, or with itself, measures nothing.
func TestScript_EveryPathCompletesAgainAndAgain(t *testing.T) {
	t.Parallel()
	s, store, a := recordedScript(t)
	ctx, now := t.Context(), time.Now().Truncate(time.Second)

	due, err := s.Due(ctx, store, 2, now, now)
	require.NoError(t, err)
	for i, subject := range due {
		in := Input{Subject: subject, Due: now, Writes: i == 1}
		vars, err := a.Renew(ctx, in)
		require.NoError(t, err)
		require.NoError(t, a.Charge(ctx, in, vars))
		require.Equal(t, 1, rows(t, a.Pool,
			"select count(*) from transactions where customer_id = $1 and status = 'success'", subject.CustomerID))
	}

	trials, err := s.Trials(ctx, store, 2, now)
	require.NoError(t, err)
	for _, subject := range trials {
		vars := a.Script.Commanded(subject)
		for step, name := range StepNames {
			require.NoError(t, a.Script.PlayCommand(ctx, a.Pool, vars, step), name)
		}
		require.Equal(t, 1, rows(t, a.Pool,
			"select count(*) from subscriptions where id = $1 and plan_id = $2", subject.SubscriptionID, s.Pro.ID))
	}

	customers, err := s.Customers(ctx, store, 2, now)
	require.NoError(t, err)
	for _, customer := range customers {
		sub, err := a.Script.CreateSubscription(ctx, a.Pool, customer)
		require.NoError(t, err)
		require.Equal(t, 1, rows(t, a.Pool, "select count(*) from subscriptions where id = $1", sub))
		require.NoError(t, a.Pay(ctx))
	}
}

// A recorded read is played for other subjects, with the first answer.
func TestReading_PlaysForOthers(t *testing.T) {
	t.Parallel()
	s, store, a := recordedScript(t)
	now := time.Now().Truncate(time.Second)
	subjects, err := s.Due(t.Context(), store, 2, now.Add(time.Hour), now)
	require.NoError(t, err)
	require.NoError(t, s.Use(t.Context(), store, "calls", subjects, now))
	handler := Handler(a.Pool, Source{DatabaseURL: a.Pool.Config().ConnString(), Stage: s})
	for _, c := range []struct{ method, path, query, body, says string }{
		{http.MethodGet, "/api/customers/%s/access", "", "", `"allowed":true`},
		{http.MethodPost, "/api/subscriptions/%s/preview", "", `{"quantity":3,"upcomingCount":2}`, `"upcoming":[{`},
		{http.MethodGet, "/api/subscriptions/%s/usage", "&metric=calls&groupBy=region", "", `"records":200`},
	} {
		for _, subject := range subjects {
			named := subject.SubscriptionID
			if strings.Contains(c.path, "customers") {
				named = subject.CustomerID
			}
			path := strings.Replace(c.path, "%s", named, 1) + "?customer=" + subject.CustomerID + c.query
			r := httptest.NewRequestWithContext(t.Context(), c.method, path, strings.NewReader(c.body))
			r.Header.Set("Authorization", "Bearer "+s.Key)
			if c.body != "" {
				r.Header.Set("Content-Type", "application/json")
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			require.Equal(t, http.StatusOK, w.Code, w.Body)
			require.Contains(t, w.Body.String(), c.says)
		}
	}
}

// The bare side gives the product's answer: otherwise it would do less work.
func TestHandler_AnswersWhatTheProductDoes(t *testing.T) {
	t.Parallel()
	s, store, a := recordedScript(t)
	subjects, err := s.Trials(t.Context(), store, 1, time.Now().Truncate(time.Second))
	require.NoError(t, err)
	product, stop, err := productOn(t.Context(), store)
	require.NoError(t, err)
	defer stop()
	var answers []string
	for _, handler := range []http.Handler{product.Handler(), Handler(a.Pool, Source{})} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet,
			"/api/subscriptions/"+subjects[0].SubscriptionID, http.NoBody)
		r.Header.Set("Authorization", "Bearer "+s.Key)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		answers = append(answers, w.Body.String())
	}
	require.JSONEq(t, answers[0], answers[1])
}

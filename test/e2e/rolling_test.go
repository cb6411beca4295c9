package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit"
	"perennial/test/e2e/check"
	"perennial/test/e2e/world"
	"perennial/worker"
)

const (
	// promised is the promised bound of lateness, and the time within which a fault must show.
	promised = time.Minute
	// switchWithin is the time that Temporal may take to make a build current: its own activity for that, if it gets
	// lost on a busy machine, is repeated after a minute.
	switchWithin = 3 * time.Minute
)

// TestRollingUpdate_KeepsItsPromiseAndShowsAForgottenSwitch: two builds of the worker are rolled out under load with
// the settings of production. Then a third is rolled out and is not made current: all billing stops. It runs alone: it
// measures lateness, and a Temporal that a dozen other tests crash and flood takes a minute for the switch itself.
func TestRollingUpdate_KeepsItsPromiseAndShowsAForgottenSwitch(t *testing.T) { //nolint:paralleltest // see above
	w := world.New(t, world.Config{Workerless: true, Env: []string{"RECONCILE_EVERY=30s", "BOOTSTRAP_EVERY=15s"}})
	w.Service.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	env, c := w.Environments[0], w.Client(t)
	plan, err := env.Create(ctx, "/api/plans", monthly(1000))
	require.NoError(t, err)
	subscribe := func() error {
		customer, err := env.Create(ctx, "/api/customers", card("pm_card_visa"))
		if err == nil {
			_, err = env.Create(ctx, "/api/subscriptions", world.Object{"customerId": customer, "planId": plan, "trialDays": 0})
		}
		return err
	}
	isCurrent := func(build string) func() bool {
		return func() bool {
			within, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			current, err := worker.CurrentBuild(within, c, "perennial")
			return err == nil && current == build // a question that Temporal does not answer is asked again
		}
	}

	one, _ := w.Worker(t, "one")
	one.Start(t)
	require.Eventually(t, isCurrent("one"), switchWithin, 100*time.Millisecond)
	var stream sync.WaitGroup
	rollout, rolledOut := context.WithCancel(ctx)
	stream.Go(func() {
		for rollout.Err() == nil {
			if err := subscribe(); err != nil {
				t.Error(err)
			}
			pause(rollout, 200*time.Millisecond)
		}
	})
	pause(ctx, time.Duration(testkit.Scale(3, 30))*time.Second)
	two, _ := w.Worker(t, "two", "--make-current")
	two.Start(t)
	require.Eventually(t, isCurrent("two"), switchWithin, 100*time.Millisecond)
	one.Signal(t, syscall.SIGTERM)
	<-one.Done()
	pause(ctx, time.Duration(testkit.Scale(5, 60))*time.Second)
	rolledOut()
	stream.Wait()
	allPaid := func() bool {
		return count(t, w, `select count(*) from subscriptions s
			where not exists (select from invoices i where i.subscription_id = s.id and i.status = 'paid')`) == 0
	}
	require.Eventually(t, allPaid, promised, 100*time.Millisecond, "every first period is paid")
	latest := count(t, w, `select coalesce(max(ceil(extract(epoch from first_sent_at - due_at) * 1000)), -1)::integer
		from transactions`)
	t.Logf("%d charges through the rolling update, the latest sent %d ms after it was due",
		count(t, w, "select count(*) from transactions"), latest)
	require.GreaterOrEqual(t, latest, 0)
	require.Less(t, latest, int(promised.Milliseconds()))

	three, metrics := w.Worker(t, "three")
	three.Start(t)
	two.Signal(t, syscall.SIGTERM)
	<-two.Done()
	stopped := time.Now()
	require.NoError(t, subscribe())
	require.Eventually(t, func() bool {
		status, text := ask(ctx, t, metrics+"/readyz")
		return status == http.StatusServiceUnavailable && strings.Contains(text, `"work_not_dispatched"`)
	}, promised, 250*time.Millisecond, "the worker that gets no work is not ready")
	t.Logf("the forgotten switch showed after %s", time.Since(stopped).Round(100*time.Millisecond))
	require.Regexp(t, `"level":"error".*"message":"nothing is billed: Temporal sends all work to build two of perennial, `+
		`which has no workers`, three.Log(t))
	require.EqualValues(t, 1, gauge(ctx, t, metrics, "perennial_dispatch_stopped"))
	late := gauge(ctx, t, w.Metrics, "perennial_overdue_actions_age_seconds")
	require.Greater(t, late, 5.0, "the API shows what waits while it waits")
	text, err := w.Doctor(t, "three")
	require.Error(t, err)
	require.Contains(t, text, "which has no workers")
	require.Less(t, time.Since(stopped), promised)

	mended, _ := w.Worker(t, "three", "--make-current")
	mended.Start(t)
	require.Eventually(t, isCurrent("three"), switchWithin, 100*time.Millisecond)
	require.Eventually(t, allPaid, promised, 100*time.Millisecond, "what waited is done")
	require.Eventually(t, func() bool {
		status, _ := ask(ctx, t, metrics+"/readyz")
		return status == http.StatusOK
	}, promised, 250*time.Millisecond)
	check.AtRest(t, w, settled)
	check.Sound(t, w)
}

func ask(ctx context.Context, t *testing.T, url string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(raw)
}

// gauge reads one of our metrics that has no labels.
func gauge(ctx context.Context, t *testing.T, metrics, name string) float64 {
	t.Helper()
	_, text := ask(ctx, t, metrics+"/metrics")
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			require.NoError(t, err)
			return n
		}
	}
	require.FailNow(t, fmt.Sprintf("%s is not served", name))
	return 0
}

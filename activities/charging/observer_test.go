package charging_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/activities/charging"
	"perennial/billing/account"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

// watch records the measurements.
type watch struct {
	scene.Unobserved
	ended    []charging.Ended
	outcomes []string
	reviews  []charging.ReviewNeeded
	refused  []charging.CredentialsRefused
	silences []charging.ProviderSilent
}

func (w *watch) ProviderSilent(_ context.Context, r charging.ProviderSilent) {
	w.silences = append(w.silences, r)
}

func (w *watch) ProviderCalled(_ context.Context, _, _, outcome string, _ time.Duration) {
	w.outcomes = append(w.outcomes, outcome)
}

func (w *watch) ReviewNeeded(_ context.Context, r charging.ReviewNeeded) {
	w.reviews = append(w.reviews, r)
}

func (w *watch) CredentialsRefused(_ context.Context, r charging.CredentialsRefused) {
	w.refused = append(w.refused, r)
}

func (w *watch) PaymentEnded(_ context.Context, e charging.Ended) { w.ended = append(w.ended, e) }

// watched is a subscription that the measurements follow from its first renewal on.
func watched(t *testing.T) (*life.Life, *watch) {
	t.Helper()
	l, w := life.Begin(t, scene.New(t), scene.Monthly(1000)), &watch{}
	l.Payments.Observer = w
	return l, w
}

func TestObserver_LatenessFromDueToSent(t *testing.T) {
	t.Parallel()
	renewal := scene.Start.AddDate(0, 1, 0)
	for name, c := range map[string]struct {
		script []scene.Answer
		drive  func(*life.Life)
		want   []time.Duration
	}{
		"on time": {nil, func(l *life.Life) { l.Until(renewal) }, []time.Duration{0}},
		"a worker came an hour late": {nil, func(l *life.Life) {
			l.Clock.Set(renewal.Add(time.Hour))
			l.Until(l.Clock.Now())
		}, []time.Duration{time.Hour}},
		"the provider took three days": {[]scene.Answer{scene.Pend}, func(l *life.Life) {
			l.Until(renewal)
			l.Until(renewal.Add(3 * life.Day))
			l.Provider.Settle(l.Last().ID, providers.Succeeded)
			l.CheckAsked(l.Last().ID)
		}, []time.Duration{0}},
		"refused at first, sent again ten seconds later": {[]scene.Answer{scene.Refuse}, func(l *life.Life) {
			l.Until(renewal.Add(time.Minute))
		}, []time.Duration{10 * time.Second}},
		"a retry is due when it was scheduled for": {[]scene.Answer{scene.Decline}, func(l *life.Life) {
			l.Until(renewal)
			l.Clock.Set(renewal.Add(life.Day + time.Hour))
			l.Until(l.Clock.Now())
		}, []time.Duration{0, time.Hour}},
		"a command came before the worker": {nil, func(l *life.Life) {
			l.Clock.Set(renewal.Add(time.Hour))
			l.Perform(life.Command{Name: contract.CommandCancel})
		}, []time.Duration{time.Hour}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, w := watched(t)
			l.Provider.Script = func(n int, _ providers.ChargeRequest) scene.Answer {
				if n-2 < len(c.script) {
					return c.script[n-2]
				}
				return scene.Capture
			}
			c.drive(l)
			require.Equal(t, payment.Success, l.Last().Status)
			var late []time.Duration
			for _, e := range w.ended {
				require.True(t, e.Renewal)
				late = append(late, e.Lateness)
			}
			require.Equal(t, c.want, late)
		})
	}
}

// A payment that a command asked for is not late, and one on a test clock is not in real time.
func TestObserver_OnlyRenewalsAreLate(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]func(*testing.T) (*life.Life, *watch){
		"a payment by hand": func(t *testing.T) (*life.Life, *watch) {
			l, w := watched(t)
			l.Provider.Script = func(n int, _ providers.ChargeRequest) scene.Answer {
				if n == 2 {
					return scene.Decline
				}
				return scene.Capture
			}
			l.Until(scene.Start.AddDate(0, 1, 0))
			w.ended = nil
			l.Clock.Add(time.Hour)
			l.Perform(life.Command{Name: contract.CommandPay})
			return l, w
		},
		"a change of plan": func(t *testing.T) (*life.Life, *watch) {
			l, w := watched(t)
			l.Clock.Add(10 * life.Day)
			l.Perform(life.Command{Name: contract.CommandChangePlan, PlanID: l.Plan(t, scene.Monthly(2000)).ID})
			return l, w
		},
		"a charge of its own": func(t *testing.T) (*life.Life, *watch) {
			l, w := watched(t)
			l.Charge(t, l.OwnCharge(t).ID)
			return l, w
		},
		"a test clock": func(t *testing.T) (*life.Life, *watch) {
			l, w := life.OnOldClock(t), &watch{}
			l.Payments.Observer = w
			snap, err := l.Subscriptions.Advance(t.Context(), contract.AdvanceInput{Ref: l.Ref, Now: scene.Start})
			require.NoError(t, err)
			l.Charge(t, snap.Live.TransactionID)
			return l, w
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, w := ends(t)
			require.Len(t, w.ended, 1)
			require.Equal(t, charging.Ended{Provider: "stripe", Mode: "test", Type: "charge", Status: "success"}, w.ended[0])
		})
	}
}

func TestReviewNeeded_IsReportedOnceAndIsNoSuccess(t *testing.T) {
	t.Parallel()
	l, w := watched(t)
	l.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Mischarge }
	l.Until(scene.Start.AddDate(0, 1, 0))
	txn := l.Last()
	want := charging.ReviewNeeded{
		EnvironmentID: l.Env, TransactionID: txn.ID, SubscriptionID: l.Ref.ID, Provider: txn.Provider,
		ProviderRef: txn.ProviderRef, Reason: "amount_mismatch", Amount: txn.Amount, Currency: txn.Currency,
		Key: l.Provider.Calls()[len(l.Provider.Calls())-1].Key,
	}
	require.NotEmpty(t, want.Key)
	require.Equal(t, []charging.ReviewNeeded{want}, w.reviews)
	require.Equal(t, []string{"mismatch"}, w.outcomes)
	l.CheckAsked(txn.ID)
	require.Len(t, w.reviews, 1, "the same news a second time are none")
}

func TestCredentialsRefused_IsReportedAndShownOnThePayment(t *testing.T) {
	t.Parallel()
	l, w := watched(t)
	l.Provider.Script = func(n int, _ providers.ChargeRequest) scene.Answer {
		if n > 2 { // 1 was the first period's
			return scene.Capture
		}
		return scene.Unauthorized
	}
	l.Until(scene.Start.AddDate(0, 1, 0))
	txn := l.Last()
	require.Equal(t, payment.Pending, txn.Status)
	require.Equal(t, "HTTP Unauthorized: Invalid API Key", txn.FailureReason)
	require.Equal(t, []charging.CredentialsRefused{{
		EnvironmentID: l.Env, TransactionID: txn.ID, ProviderConfigID: l.Config.ID, Provider: txn.Provider, HTTPStatus: 401,
		Reason: "HTTP Unauthorized: Invalid API Key",
	}}, w.refused)
	announced := func() (types []string) {
		rows, err := l.Pool.Query(t.Context(), "select type from events where object_id = $1 order by position", l.Config.ID)
		require.NoError(t, err)
		types, err = pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return types
	}
	require.Equal(t, []string{"provider.failing"}, announced())
	l.Until(l.Clock.Now().Add(time.Hour))
	require.Equal(t, []string{"provider.failing", "provider.recovered"}, announced(),
		"each once, however often it is refused")
	txn = l.Last()
	require.Equal(t, payment.Success, txn.Status)
	require.Empty(t, txn.FailureReason, "what was decided says nothing of how long it took")
	l.Sound()
}

// A connection test that could not reach the provider says nothing once payments go through.
func TestCharge_ServedPaymentClearsTheTestError(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	_, err := l.Pool.Exec(
		t.Context(), "update provider_configs set test_error = 'could not be reached', last_tested_at = now()",
	)
	require.NoError(t, err)
	status := func() account.Status {
		config, err := l.Store.Payments.ProviderConfig(t.Context(), l.Env)
		require.NoError(t, err)
		s, _ := config.Status()
		return s
	}
	require.Equal(t, account.Failing, status())
	l.Provider.Script = func(n int, _ providers.ChargeRequest) scene.Answer {
		if n == 2 {
			return scene.Refuse
		}
		return scene.Capture
	}
	l.Until(scene.Start.AddDate(0, 1, 0))
	require.Equal(t, account.Failing, status(), "a refusal proves nothing")
	l.Until(l.Clock.Now().Add(time.Hour))
	require.Equal(t, account.Active, status())
}

func TestObserver_HearsOfExchangesWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	l, w := watched(t)
	l.Provider.Script = func(n int, _ providers.ChargeRequest) scene.Answer {
		if n == 2 {
			return scene.Lose
		}
		return scene.Capture
	}
	l.Until(scene.Start.AddDate(0, 1, 0).Add(time.Minute))
	require.Len(t, w.silences, 1)
	require.Equal(t, l.Last().ID, w.silences[0].TransactionID)
	require.Equal(t, l.Env, w.silences[0].EnvironmentID)
	require.Equal(t, l.Last().ProviderConfigID, w.silences[0].ProviderConfigID)
}

// Package emits proves the table of operations and events (event.Operations): it performs each operation with the real
// rules, use cases and database, and compares the stored events.
package emits

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/billing/recording"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/testkit"
	"perennial/internal/vault"
	"perennial/service"
	"perennial/service/catalog"
	"perennial/service/gateway"
	"perennial/service/subscriptions"
	"perennial/service/usecase"
	"perennial/test/scene"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// stage is where operations are performed, one after the other, each on a separate customer.
type stage struct {
	*scene.Scene
	t       *testing.T
	ctx     context.Context
	service *service.Service
	by      usecase.Caller
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{Scene: scene.New(t, scene.CancelPastDueAfter(60)), t: t, ctx: t.Context()}
	keys := s.vault()
	s.service = service.New(s.Store, s.Clock.Now).WithWebhooks(service.Webhooks{Vault: keys}).
		WithProviders(gateway.New(gateway.Config{Vault: keys, BaseURLs: map[string]string{"stripe": accountsAt(t)}}))
	s.by = usecase.Caller{
		Actor: db.ByKey("key_1").Doing(db.Call{Operation: "test"}), EnvironmentID: s.Env, Mode: apikey.Test, TimeZone: "UTC",
	}
	return s
}

// vault opens the keyset of the stage's app.
func (s *stage) vault() *vault.Vault {
	s.t.Helper()
	keys, err := vault.New(vault.NewKEK())
	s.must(err)
	var app string
	s.must(s.Pool.QueryRow(s.ctx, "select app_id from environments where id = $1", s.Env).Scan(&app))
	keyset, err := keys.NewAppKeyset(app)
	s.must(err)
	_, err = s.Pool.Exec(s.ctx, "update apps set keyset = $2 where id = $1", app, keyset)
	s.must(err)
	return keys
}

// emits performs an operation and returns the types of the events that it emitted, in order.
func (s *stage) emits(operation func() error) (types []event.Type) {
	s.t.Helper()
	var before int64
	require.NoError(s.t, s.Pool.QueryRow(s.ctx, "select coalesce(max(position), 0) from events").Scan(&before))
	require.NoError(s.t, operation())
	rows, err := s.Pool.Query(s.ctx, "select type from events where position > $1 order by position", before)
	require.NoError(s.t, err)
	types, err = pgx.CollectRows(rows, pgx.RowTo[event.Type])
	require.NoError(s.t, err)
	return types
}

// subscribe creates a subscription to a monthly plan. Without a card its customer cannot pay.
func (s *stage) subscribe(amount money.Minor, trialDays int, card bool) *life {
	s.t.Helper()
	return s.subscribeTo(s.plan(amount), trialDays, card)
}

func (s *stage) subscribeTo(planID string, trialDays int, card bool) *life {
	s.t.Helper()
	return s.subscribeWith(planID, subscribing.NewInput{TrialDays: &trialDays}, card)
}

func (s *stage) subscribeWith(planID string, wishes subscribing.NewInput, card bool) *life {
	s.t.Helper()
	c := s.Customer(s.t, "")
	if !card {
		s.SetMethod(s.t, c.ID, nil)
	}
	sub, err := s.service.Subscriptions.CreateSubscription(s.ctx, s.by, subscriptions.NewSubscription{
		CustomerID: c.ID, PlanID: planID, Wishes: wishes,
	}, nil)
	require.NoError(s.t, err)
	return &life{s, contract.Ref{EnvironmentID: s.Env, ID: sub.ID}}
}

func (s *stage) plan(amount money.Minor) string { return s.Plan(s.t, scene.Monthly(amount)).ID }

// life is one subscription on the stage.
type life struct {
	*stage
	ref contract.Ref
}

// begun is one whose first invoice is in collection.
func (s *stage) begun(amount money.Minor) *life {
	s.t.Helper()
	l := s.subscribe(amount, 0, true)
	s.must(l.due())
	return l
}

// active is one whose first period is paid.
func (s *stage) active(amount money.Minor) *life {
	s.t.Helper()
	l := s.begun(amount)
	s.must(l.answer(answer.Succeeded))
	return l
}

// paused returns a subscription that is paused a day after its first period was paid.
func (s *stage) paused(pause lifecycle.Pause) *life {
	s.t.Helper()
	l := s.active(1000)
	s.pass(1)
	s.must(l.command(pause))
	return l
}

// trialWithoutMethod is one in a trial of a plan with a behavior for its end, whose customer has no payment method.
func (s *stage) trialWithoutMethod(end plan.TrialEnd) *life {
	s.t.Helper()
	offer := scene.Monthly(1000)
	offer.TrialEnd = end
	return s.subscribeTo(s.Plan(s.t, offer).ID, 3, false)
}

// unpaid is one whose first attempt was declined.
func (s *stage) unpaid() *life {
	s.t.Helper()
	l := s.begun(1000)
	s.must(l.answer(answer.Declined))
	return l
}

// retried is one whose second period's last retry is in progress.
func (s *stage) retried() *life {
	s.t.Helper()
	l := s.active(1000)
	l.wait(subscription.ActionRenewal)
	s.must(l.due())
	for range 3 {
		s.must(l.answer(answer.Declined))
		l.wait(subscription.ActionPaymentRetry)
		s.must(l.due())
	}
	return l
}

func (s *stage) pastDue() *life {
	s.t.Helper()
	l := s.retried()
	s.must(l.answer(answer.Declined))
	require.Equal(s.t, subscription.PastDue, l.sub().Status)
	return l
}

// refunding returns a subscription that was canceled with a refund, which is in progress.
func (s *stage) refunding() *life {
	s.t.Helper()
	l := s.active(1000)
	s.pass(10)
	s.must(l.command(lifecycle.Cancel{Immediate: true, RefundUnused: true}))
	return l
}

// pass moves the clock by days.
func (s *stage) pass(days int) { s.Clock.Set(s.Clock.Now().AddDate(0, 0, days)) }

func (l *life) sub() subscription.Subscription {
	l.t.Helper()
	sub, err := l.Store.Subscriptions.Get(l.ctx, l.Env, l.ref.ID)
	require.NoError(l.t, err)
	return sub
}

// due performs the due work.
func (l *life) due() error {
	if l.sub().NextAction == subscription.ActionBillUsage {
		_, err := l.Usage.BillUsage(l.ctx, contract.AdvanceInput{Ref: l.ref, Now: l.Clock.Now()})
		return err
	}
	_, err := l.Subscriptions.Advance(l.ctx, contract.AdvanceInput{Ref: l.ref, Now: l.Clock.Now()})
	return err
}

// wait moves the clock to the next automatic action, which must be the one named.
func (l *life) wait(action subscription.Action) {
	l.t.Helper()
	sub := l.sub()
	require.Equal(l.t, action, sub.NextAction)
	if sub.NextActionAt.After(l.Clock.Now()) {
		l.Clock.Set(sub.NextActionAt)
	}
}

// must is for what sets a scene.
func (s *stage) must(err error) {
	s.t.Helper()
	require.NoError(s.t, err)
}

func (l *life) command(cmd lifecycle.Command) error {
	return l.service.Subscriptions.Command(l.ctx, l.by, l.ref.ID, cmd, usecase.Around[usecase.Performed]{})
}

func (l *life) changePlan(amount money.Minor, atPeriodEnd bool) error {
	return l.change(subscriptions.PlanChange{PlanID: l.plan(amount), AtPeriodEnd: atPeriodEnd})
}

func (l *life) change(c subscriptions.PlanChange) error {
	return l.service.Subscriptions.ChangePlan(l.ctx, l.by, l.ref.ID, c, usecase.Around[usecase.Performed]{})
}

// seats returns a subscription that has paid for one seat.
func (s *stage) seats() *life {
	s.t.Helper()
	l := s.active(1000)
	p := scene.Monthly(0)
	p.Prices[0].Price = rating.Price{Model: rating.PerUnit, UnitPrice: money.Whole(10)}
	s.must(l.change(subscriptions.PlanChange{PlanID: s.Plan(s.t, p).ID}))
	return l
}

func (l *life) newest(kind payment.Type) payment.Transaction {
	l.t.Helper()
	rows, _, err := l.Store.Payments.Transactions(l.ctx, l.Env, db.TransactionFilter{SubscriptionID: l.ref.ID, Type: kind},
		db.Page{Limit: 1})
	require.NoError(l.t, err)
	require.Len(l.t, rows, 1)
	return rows[0]
}

func (l *life) invoice() invoice.Invoice {
	l.t.Helper()
	rows, _, err := l.Store.Invoices.List(l.ctx, l.Env, db.InvoiceFilter{SubscriptionID: l.ref.ID}, db.Page{Limit: 1})
	require.NoError(l.t, err)
	require.Len(l.t, rows, 1)
	return rows[0]
}

// answer records the provider's answer to the newest charge.
func (l *life) answer(outcome answer.Outcome) error {
	return l.hear(l.newest(payment.Charge).ID, answer.Answer{Outcome: outcome})
}

// hear records the provider's answer about a payment, as the activity does. A success is of the requested amount.
func (s *stage) hear(id string, said answer.Answer) error {
	wall := s.Clock.Now()
	return s.Store.InTx(s.ctx, db.BySystem("test"), wall, func(tx *db.Tx) error {
		seen, err := tx.Payments.Transaction(s.ctx, s.Env, id)
		if err != nil {
			return err
		}
		state, err := tx.Lifecycle.LockOwner(s.ctx, s.Env, seen)
		if err != nil {
			return err
		}
		result, err := tx.Lifecycle.LockResult(s.ctx, s.Env, state, seen)
		if err != nil {
			return err
		}
		if result.Refunds, err = tx.Payments.LockRefunds(s.ctx, s.Env, id); err != nil {
			return err
		}
		t := result.Transaction
		result.Move, result.Transaction.FirstSentAt = payment.MoveLookup, wall.Add(-time.Hour)
		result.Protocol = payment.Protocol{
			LookupByKey: true, LookupByRef: true, Cancel: true, AbsenceAfter: time.Minute, ActionExpiry: time.Hour,
		}
		said.Ref = "ref_" + t.ID
		if said.Outcome == answer.Succeeded && said.Amount == 0 {
			said.Amount, said.Currency = t.Amount, t.Currency
		}
		result.Answer = said
		state, _, changes, err := recording.Record(state, result, db.Moment(wall, wall))
		if err != nil {
			return err
		}
		return tx.Lifecycle.Write(s.ctx, s.Env, state, changes)
	})
}

// migration is one of a plan with one subscription, to a dearer version.
func (s *stage) migration(m subscriptions.PlanMigration) func() error {
	s.t.Helper()
	l := s.active(1000)
	sub, err := s.Store.Subscriptions.Get(s.ctx, s.Env, l.ref.ID)
	s.must(err)
	_, err = s.service.Catalog.CreatePlanVersion(s.ctx, s.by, sub.PlanID,
		catalog.NewPlanVersion{Prices: []plan.Price{plan.Flat("", "", 3000)}}, nil)
	s.must(err)
	return func() error {
		return s.service.Subscriptions.MigratePlan(s.ctx, s.by, sub.PlanID, m, usecase.Around[subscriptions.PlanMigrated]{})
	}
}

func (s *stage) createPlan() func() error {
	p := scene.Monthly(1000)
	return func() error {
		_, err := s.service.Catalog.CreatePlan(s.ctx, s.by, plan.Plan{
			Name: p.Name, Currency: p.Currency, Interval: p.Interval, Prices: p.Prices,
		}, nil)
		return err
	}
}

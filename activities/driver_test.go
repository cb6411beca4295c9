package activities_test

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/testkit"
	"perennial/service"
	"perennial/test/scene"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const day = 24 * time.Hour

// life drives one subscription as its workflow would, but calls every activity twice: what was done is not done again.
type life struct {
	*scene.Scene
	t        testing.TB
	customer customer.Customer
	ref      contract.Ref
	snap     contract.Snapshot
}

// begin subscribes a customer with a card to p and lets what is due happen.
func begin(t testing.TB, s *scene.Scene, p plan.Plan) *life {
	t.Helper()
	l := &life{Scene: s, t: t, customer: s.Customer(t, "")}
	s.Plan(t, p)
	l.ref = s.Subscribe(t, l.customer, p)
	l.reload()
	l.until(s.Clock.Now())
	return l
}

// reload reads what the workflow would know, and changes nothing: what is due stays due.
func (l *life) reload() {
	require.NoError(l.t, l.Store.InTx(l.t.Context(), db.BySystem("test"), l.Clock.Now(), func(tx *db.Tx) error {
		state, err := tx.LockSubscription(l.t.Context(), l.Env, l.ref.ID)
		l.snap = contract.SnapshotOf(state, false)
		return err
	}))
}

// until lets time pass to at, doing what is due on the way.
func (l *life) until(at time.Time) {
	l.t.Helper()
	for {
		now := l.Clock.Now()
		live := l.snap.Live
		next, dueAt := "", at
		if live != nil && !live.CheckAt.After(dueAt) {
			next, dueAt = "check", live.CheckAt
		}
		if l.snap.NextAction != subscription.ActionNone && !l.snap.NextAt.After(dueAt) &&
			(next == "" || l.snap.NextAt.Before(dueAt)) {
			next, dueAt = "due", l.snap.NextAt
		}
		if dueAt.After(now) {
			l.Clock.Set(dueAt)
		}
		switch next {
		case "check":
			l.check(live.TransactionID)
		case "due":
			l.due()
		default:
			return
		}
	}
}

// twice runs one activity two times and wants the second to change nothing.
func twice[Out any](l *life, repeatable bool, run func() (Out, error)) Out {
	l.t.Helper()
	out, err := run()
	require.NoError(l.t, err)
	if !repeatable {
		return out
	}
	rows := l.Rows(l.t)
	_, err = run()
	require.NoError(l.t, err)
	l.unchanged(rows)
	return out
}

// unchanged wants the books to be as they were.
func (l *life) unchanged(before map[string][]string) {
	l.t.Helper()
	after := l.Rows(l.t)
	for table := range after {
		require.Equal(l.t, before[table], after[table], "a repeat changed %s", table)
	}
}

func (l *life) due() {
	l.t.Helper()
	caughtUp := l.Clock.Now().Sub(l.snap.NextAt) < 10*day // else one call does not do all that is due
	l.snap = twice(l, caughtUp, l.advance)
}

// collecting opens a period whose charge is not sent yet, so that the workflow has something to do.
func (l *life) collecting() {
	l.t.Helper()
	l.Clock.Set(l.snap.NextAt)
	l.due()
	require.NotNil(l.t, l.snap.Live)
}

func (l *life) wake() {
	l.t.Helper()
	l.snap = twice(l, true, l.advance)
}

func (l *life) advance() (contract.Snapshot, error) {
	return l.Subscriptions.Advance(l.t.Context(), contract.AdvanceInput{Ref: l.ref, Now: l.Clock.Now()})
}

// check brings a transaction further; a pending one would be asked about again, so that only decided ones are repeated.
func (l *life) check(txn string) contract.ResolveOutput {
	l.t.Helper()
	return l.resolve(contract.ResolveInput{EnvironmentID: l.Env, TransactionID: txn, Now: l.Clock.Now()})
}

// asked is a check because the provider sent word.
func (l *life) asked(txn string) contract.ResolveOutput {
	l.t.Helper()
	return l.resolve(contract.ResolveInput{EnvironmentID: l.Env, TransactionID: txn, Now: l.Clock.Now(), Asked: true})
}

func (l *life) resolve(in contract.ResolveInput) contract.ResolveOutput {
	l.t.Helper()
	out, err := l.Payments.Charge(l.t.Context(), in)
	require.NoError(l.t, err)
	if out.Status != payment.Pending {
		in.Asked = false
		twice(l, true, func() (contract.ResolveOutput, error) { return l.Payments.Charge(l.t.Context(), in) })
	}
	if out.Snapshot != nil {
		l.snap = *out.Snapshot
	}
	return out
}

// command is one command of an app; only the fields of the named one are set.
type command struct {
	Name            string
	Reason          string
	ImmediateEffect bool
	Refund          string
	PlanID          string
	AtPeriodEnd     bool
	Amount          *int64
}

// outcome is what a command led to.
type outcome struct {
	TransactionID string
	Refusal       *fault.Error
}

// command performs one command as the API does. A fault of ours fails the test.
func (l *life) command(c command) outcome {
	l.t.Helper()
	performed, err := l.ask(c)
	var out outcome
	if performed.Attempt != nil {
		out.TransactionID = performed.Attempt.ID
	}
	if err != nil {
		out.Refusal = fault.From(err)
		require.True(l.t, out.Refusal.Refusal(), err)
	}
	l.reload()
	return out
}

// ask performs one command in a transaction of its own.
func (l *life) ask(c command) (out service.Performed, err error) {
	err = l.Store.InTx(l.t.Context(), db.BySystem("test"), l.Clock.Now(), func(tx *db.Tx) (err error) {
		out, err = l.in(tx, c)
		return err
	})
	return out, err
}

func (l *life) in(tx *db.Tx, c command) (service.Performed, error) {
	ctx, env, id := l.t.Context(), l.Env, l.ref.ID
	switch c.Name {
	case contract.CommandCancel:
		return service.Command(ctx, tx, env, id, lifecycle.Cancel{
			Reason: c.Reason, Immediate: c.ImmediateEffect, RefundUnused: c.Refund == "prorated",
		})
	case contract.CommandReactivate:
		return service.Command(ctx, tx, env, id, lifecycle.Reactivate{})
	case contract.CommandChangePlan:
		return service.ChangePlan(ctx, tx, env, id, service.PlanChange{PlanID: c.PlanID, AtPeriodEnd: c.AtPeriodEnd})
	case contract.CommandPay:
		return service.Command(ctx, tx, env, id, lifecycle.Pay{Amount: (*money.Minor)(c.Amount)})
	case contract.CommandSkipRetry:
		return service.Command(ctx, tx, env, id, lifecycle.SkipRetry{InvoiceID: l.newest()})
	case contract.CommandMarkPaid:
		return service.Command(ctx, tx, env, id, lifecycle.MarkPaid{InvoiceID: l.newest(), Method: "cash"})
	case contract.CommandPause:
		return service.Command(ctx, tx, env, id, lifecycle.Pause{})
	case contract.CommandResume:
		return service.Command(ctx, tx, env, id, lifecycle.Resume{})
	case contract.CommandResumeCollection:
		return service.Command(ctx, tx, env, id, lifecycle.ResumeCollection{})
	default:
		require.FailNow(l.t, "no such command", "%q", c.Name)
		return service.Performed{}, nil
	}
}

// newest names the newest invoice.
func (l *life) newest() string {
	l.t.Helper()
	all := l.invoices()
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1].ID
}

// perform is a command that must not be refused, with what follows from it now.
func (l *life) perform(c command) outcome {
	l.t.Helper()
	out := l.command(c)
	require.Nil(l.t, out.Refusal)
	l.until(l.Clock.Now())
	return out
}

func (l *life) sub() subscription.Subscription {
	l.t.Helper()
	s, err := l.Store.Subscription(l.t.Context(), l.Env, l.ref.ID)
	require.NoError(l.t, err)
	return s
}

// invoices lists the subscription's, oldest first.
func (l *life) invoices() []invoice.Invoice {
	l.t.Helper()
	list, _, err := l.Store.Invoices(l.t.Context(), l.Env, db.InvoiceFilter{SubscriptionID: l.ref.ID}, db.Page{Limit: 100})
	require.NoError(l.t, err)
	slices.SortFunc(list, func(a, b invoice.Invoice) int { return cmp.Compare(a.Number, b.Number) })
	return list
}

// transactions lists the subscription's, oldest first, and of one instant those of older invoices.
func (l *life) transactions() []payment.Transaction {
	l.t.Helper()
	list, _, err := l.Store.Transactions(l.t.Context(), l.Env, db.TransactionFilter{SubscriptionID: l.ref.ID},
		db.Page{Limit: 100})
	require.NoError(l.t, err)
	numbers := map[string]int64{}
	for _, i := range l.invoices() {
		numbers[i.ID] = i.Number
	}
	slices.SortFunc(list, func(a, b payment.Transaction) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(numbers[a.InvoiceID], numbers[b.InvoiceID]),
			cmp.Compare(a.AttemptNumber, b.AttemptNumber))
	})
	return list
}

func (l *life) last() payment.Transaction {
	l.t.Helper()
	all := l.transactions()
	require.NotEmpty(l.t, all)
	return all[len(all)-1]
}

// events lists the types of the subscription's events, in order.
func (l *life) events() []string {
	l.t.Helper()
	rows, err := l.Pool.Query(l.t.Context(), "select type from events where subscription_id = $1 order by sequence",
		l.ref.ID)
	require.NoError(l.t, err)
	defer rows.Close()
	var out []string
	for rows.Next() {
		var e string
		require.NoError(l.t, rows.Scan(&e))
		out = append(out, e)
	}
	require.NoError(l.t, rows.Err())
	return out
}

// refunds brings the refunds that were started to their end.
func (l *life) refunds() []payment.Transaction {
	l.t.Helper()
	var out []payment.Transaction
	for _, ref := range l.Started.Take() {
		l.check(ref.ID)
		txn, err := l.Store.Transaction(l.t.Context(), l.Env, ref.ID)
		require.NoError(l.t, err)
		out = append(out, txn)
	}
	return out
}

func (l *life) sound() { l.t.Helper(); l.RequireSound(l.t) }

func statuses(list []payment.Transaction) []payment.Status {
	var out []payment.Status
	for _, t := range list {
		out = append(out, t.Status)
	}
	return out
}

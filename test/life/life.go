// Package life drives one subscription of a scene as its workflow would, for tests of the activities: it performs due
// work, charges and commands, and reads the results. It does not own a test's expectations.
package life

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/creditnote"
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
	"perennial/service/subscriptions"
	"perennial/service/usecase"
	"perennial/test/scene"
)

// CancelNow cancels at once; refund is the treatment of unused time.
func CancelNow(refund string) Command {
	return Command{Name: contract.CommandCancel, Reason: "enough", ImmediateEffect: true, Refund: refund}
}

// Day is a day without a change of the clocks.
const Day = 24 * time.Hour

// Life drives one subscription as its workflow would, but calls every activity twice: the second call must change
// nothing.
type Life struct {
	*scene.Scene
	T     testing.TB
	Payer customer.Customer
	Ref   contract.Ref
	Snap  contract.Snapshot
}

// Begin subscribes a customer with a card to p and performs the due work.
func Begin(t testing.TB, s *scene.Scene, p plan.Plan) *Life {
	t.Helper()
	l := &Life{Scene: s, T: t, Payer: s.Customer(t, "")}
	s.Plan(t, p)
	l.Ref = s.Subscribe(t, l.Payer, p)
	l.Reload()
	l.Until(s.Clock.Now())
	return l
}

// Reload reads the workflow's snapshot, and changes nothing: due work stays due.
func (l *Life) Reload() {
	require.NoError(l.T, l.Store.InTx(l.T.Context(), db.BySystem("test"), l.Clock.Now(), func(tx *db.Tx) error {
		state, err := tx.Lifecycle.LockSubscription(l.T.Context(), l.Env, l.Ref.ID)
		l.Snap = contract.SnapshotOf(state, false)
		return err
	}))
}

// Until moves the clock to at, performing the due work on the way.
func (l *Life) Until(at time.Time) {
	l.T.Helper()
	for {
		now := l.Clock.Now()
		live := l.Snap.Live
		next, dueAt := "", at
		if live != nil && !live.CheckAt.After(dueAt) {
			next, dueAt = "check", live.CheckAt
		}
		if l.Snap.NextAction != subscription.ActionNone && !l.Snap.NextAt.After(dueAt) &&
			(next == "" || l.Snap.NextAt.Before(dueAt)) {
			next, dueAt = "due", l.Snap.NextAt
		}
		if dueAt.After(now) {
			l.Clock.Set(dueAt)
		}
		switch next {
		case "check":
			l.Check(live.TransactionID)
		case "due":
			l.Due()
		default:
			return
		}
	}
}

// twice runs one activity two times and wants the second to change nothing.
func twice[Out any](l *Life, repeatable bool, run func() (Out, error)) Out {
	l.T.Helper()
	out, err := run()
	require.NoError(l.T, err)
	if !repeatable {
		return out
	}
	rows := l.Rows(l.T)
	_, err = run()
	require.NoError(l.T, err)
	l.unchanged(rows)
	return out
}

// unchanged wants the books to be as they were.
func (l *Life) unchanged(before map[string][]string) {
	l.T.Helper()
	after := l.Rows(l.T)
	for table := range after {
		require.Equal(l.T, before[table], after[table], "a repeat changed %s", table)
	}
}

// Due performs the due work.
func (l *Life) Due() {
	l.T.Helper()
	caughtUp := l.Clock.Now().Sub(l.Snap.NextAt) < 10*Day // else one call does not do all due work
	l.Snap = twice(l, caughtUp, l.Advance)
}

// Collecting opens a period whose charge is not sent yet, so that the workflow has something to do.
func (l *Life) Collecting() {
	l.T.Helper()
	l.Clock.Set(l.Snap.NextAt)
	l.Due()
	require.NotNil(l.T, l.Snap.Live)
}

// Wake does what the woken workflow does.
func (l *Life) Wake() {
	l.T.Helper()
	l.Snap = twice(l, true, l.Advance)
}

// Advance runs the activity once.
func (l *Life) Advance() (contract.Snapshot, error) {
	if l.Snap.NextAction == subscription.ActionBillUsage && !l.Clock.Now().Before(l.Snap.NextAt) {
		return l.Usage.BillUsage(l.T.Context(), contract.AdvanceInput{Ref: l.Ref, Now: l.Clock.Now()})
	}
	return l.Subscriptions.Advance(l.T.Context(), contract.AdvanceInput{Ref: l.Ref, Now: l.Clock.Now()})
}

// Check brings a transaction further; a pending one would be asked about again, so that only decided ones are repeated.
func (l *Life) Check(txn string) contract.ResolveOutput {
	l.T.Helper()
	return l.resolve(contract.ResolveInput{EnvironmentID: l.Env, TransactionID: txn, Now: l.Clock.Now()})
}

// CheckAsked is a check because the provider sent word.
func (l *Life) CheckAsked(txn string) contract.ResolveOutput {
	l.T.Helper()
	return l.resolve(contract.ResolveInput{EnvironmentID: l.Env, TransactionID: txn, Now: l.Clock.Now(), Asked: true})
}

func (l *Life) resolve(in contract.ResolveInput) contract.ResolveOutput {
	l.T.Helper()
	out, err := l.Payments.Charge(l.T.Context(), in)
	require.NoError(l.T, err)
	if out.Status != payment.Pending {
		in.Asked = false
		twice(l, true, func() (contract.ResolveOutput, error) { return l.Payments.Charge(l.T.Context(), in) })
	}
	if out.Snapshot != nil {
		l.Snap = *out.Snapshot
	}
	return out
}

// Command is one command of an app; only the fields of the named one are set.
type Command struct {
	Name            string
	Reason          string
	ImmediateEffect bool
	Refund          string
	PlanID          string
	AtPeriodEnd     bool
	Amount          *int64
}

// Outcome is the result of a command.
type Outcome struct {
	TransactionID string
	Refusal       *fault.Error
}

// Command performs one command as the API does. A fault of ours fails the test.
func (l *Life) Command(c Command) Outcome {
	l.T.Helper()
	performed, err := l.Ask(c)
	var out Outcome
	if performed.Attempt != nil {
		out.TransactionID = performed.Attempt.ID
	}
	if err != nil {
		out.Refusal = fault.From(err)
		require.True(l.T, out.Refusal.Refusal(), err)
	}
	l.Reload()
	return out
}

// Ask performs one command in a transaction of its own.
func (l *Life) Ask(c Command) (out usecase.Performed, err error) {
	err = l.Store.InTx(l.T.Context(), db.BySystem("test"), l.Clock.Now(), func(tx *db.Tx) (err error) {
		out, err = l.in(tx, c)
		return err
	})
	return out, err
}

func (l *Life) in(tx *db.Tx, c Command) (usecase.Performed, error) {
	ctx, env, id := l.T.Context(), l.Env, l.Ref.ID
	switch c.Name {
	case contract.CommandCancel:
		return usecase.Command(ctx, tx, env, id, lifecycle.Cancel{
			Reason: c.Reason, Immediate: c.ImmediateEffect, RefundUnused: c.Refund == "prorated",
		})
	case contract.CommandReactivate:
		return usecase.Command(ctx, tx, env, id, lifecycle.Reactivate{})
	case contract.CommandChangePlan:
		return subscriptions.ChangePlan(ctx, tx, env, id,
			subscriptions.PlanChange{PlanID: c.PlanID, AtPeriodEnd: c.AtPeriodEnd})
	case contract.CommandPay:
		return usecase.Command(ctx, tx, env, id, lifecycle.Pay{Amount: (*money.Minor)(c.Amount)})
	case contract.CommandSkipRetry:
		return usecase.Command(ctx, tx, env, id, lifecycle.SkipRetry{InvoiceID: l.newest()})
	case contract.CommandMarkPaid:
		return usecase.Command(ctx, tx, env, id, lifecycle.MarkPaid{InvoiceID: l.newest(), Method: "cash"})
	case contract.CommandPause:
		return usecase.Command(ctx, tx, env, id, lifecycle.Pause{})
	case contract.CommandResume:
		return usecase.Command(ctx, tx, env, id, lifecycle.Resume{})
	case contract.CommandResumeCollection:
		return usecase.Command(ctx, tx, env, id, lifecycle.ResumeCollection{})
	default:
		require.FailNow(l.T, "no such command", "%q", c.Name)
		return usecase.Performed{}, nil
	}
}

// newest names the newest invoice.
func (l *Life) newest() string {
	l.T.Helper()
	all := l.Invoices()
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1].ID
}

// Perform performs a command that must not be refused, and the due work after it.
func (l *Life) Perform(c Command) Outcome {
	l.T.Helper()
	out := l.Command(c)
	require.Nil(l.T, out.Refusal)
	l.Until(l.Clock.Now())
	return out
}

// Sub reads the subscription.
func (l *Life) Sub() subscription.Subscription {
	l.T.Helper()
	s, err := l.Store.Subscriptions.Get(l.T.Context(), l.Env, l.Ref.ID)
	require.NoError(l.T, err)
	return s
}

// Invoices lists the subscription's, oldest first.
func (l *Life) Invoices() []invoice.Invoice {
	l.T.Helper()
	list, _, err := l.Store.Invoices.List(l.T.Context(), l.Env, db.InvoiceFilter{SubscriptionID: l.Ref.ID},
		db.Page{Limit: 100})
	require.NoError(l.T, err)
	slices.SortFunc(list, func(a, b invoice.Invoice) int { return cmp.Compare(a.Number, b.Number) })
	return list
}

// CreditNotes lists the payer's credit notes, by number.
func (l *Life) CreditNotes() []creditnote.Note {
	l.T.Helper()
	list, _, err := l.Store.Invoices.CreditNotes(l.T.Context(), l.Env, db.CreditNoteFilter{CustomerID: l.Payer.ID},
		db.Page{Limit: 100, Unsettled: true})
	require.NoError(l.T, err)
	slices.SortFunc(list, func(a, b creditnote.Note) int { return cmp.Compare(a.Number, b.Number) })
	return list
}

// Transactions lists the subscription's transactions, oldest first, those of one instant by the order of their
// invoices.
func (l *Life) Transactions() []payment.Transaction {
	l.T.Helper()
	list, _, err := l.Store.Payments.Transactions(l.T.Context(), l.Env, db.TransactionFilter{SubscriptionID: l.Ref.ID},
		db.Page{Limit: 100})
	require.NoError(l.T, err)
	numbers := map[string]int64{}
	for _, i := range l.Invoices() {
		numbers[i.ID] = i.Number
	}
	slices.SortFunc(list, func(a, b payment.Transaction) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(numbers[a.InvoiceID], numbers[b.InvoiceID]),
			cmp.Compare(a.AttemptNumber, b.AttemptNumber))
	})
	return list
}

// Last returns the newest transaction.
func (l *Life) Last() payment.Transaction {
	l.T.Helper()
	all := l.Transactions()
	require.NotEmpty(l.T, all)
	return all[len(all)-1]
}

// Events lists the types of the subscription's events, in order.
func (l *Life) Events() []string {
	l.T.Helper()
	rows, err := l.Pool.Query(l.T.Context(), "select type from events where subscription_id = $1 order by sequence",
		l.Ref.ID)
	require.NoError(l.T, err)
	defer rows.Close()
	var out []string
	for rows.Next() {
		var e string
		require.NoError(l.T, rows.Scan(&e))
		out = append(out, e)
	}
	require.NoError(l.T, rows.Err())
	return out
}

// Refunds brings the refunds that were started to their end.
func (l *Life) Refunds() []payment.Transaction {
	l.T.Helper()
	var out []payment.Transaction
	for _, ref := range l.Started.Take() {
		l.Check(ref.ID)
		txn, err := l.Store.Payments.Transaction(l.T.Context(), l.Env, ref.ID)
		require.NoError(l.T, err)
		out = append(out, txn)
	}
	return out
}

// Sound wants the books to be sound.
func (l *Life) Sound() { l.T.Helper(); l.RequireSound(l.T) }

// Statuses lists the statuses of transactions.
func Statuses(list []payment.Transaction) []payment.Status {
	var out []payment.Status
	for _, t := range list {
		out = append(out, t.Status)
	}
	return out
}

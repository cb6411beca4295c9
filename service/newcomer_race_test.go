package service

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/invoicing"
	"perennial/billing/money"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/testkit"
	"perennial/providers"
	"perennial/service/invoices"
	"perennial/service/servicetest"
	"perennial/service/usecase"
	"perennial/test/scene"
)

// unpayable is the price whose charges the provider declines.
const unpayable money.Minor = 13_370

// newcomers are customers who have no balance yet. Each has two paid subscriptions, one with an open invoice, and the
// draft of a manual invoice.
type newcomers struct {
	*house
	cheap, base, dear, declined string // plans
	coupon                      string
	keys                        int
}

type newcomer struct {
	*newcomers
	id                   string
	first, second, third contract.Ref
	paid, open, draft    string // invoices: of first, of third, and the manual one
	charge               string // that paid for first
}

func newNewcomers(t *testing.T) *newcomers {
	t.Helper()
	n := &newcomers{house: newHouse(t)}
	n.Provider.Script = func(_ int, r providers.ChargeRequest) scene.Answer {
		if r.Amount == unpayable {
			return scene.Decline
		}
		return scene.Capture
	}
	n.cheap, n.base = n.Scene.Plan(t, scene.Monthly(7_000)).ID, n.Scene.Plan(t, scene.Monthly(10_000)).ID
	n.dear, n.declined = n.Scene.Plan(t, scene.Monthly(13_000)).ID, n.Scene.Plan(t, scene.Monthly(unpayable)).ID
	made, err := n.Catalog.CreateCoupon(t.Context(), n.caller,
		discount.Coupon{Code: "HALF", Name: "Half", Terms: discount.Terms{
			Discount: discount.Discount{Percent: money.Whole(50)}, Duration: discount.Once,
		}}, nil)
	require.NoError(t, err)
	n.coupon = made.Code
	return n
}

// arrive creates a newcomer.
func (n *newcomers) arrive(t *testing.T) *newcomer {
	t.Helper()
	c := n.Scene.Customer(t, "")
	who := &newcomer{newcomers: n, id: c.ID}
	for _, s := range []struct {
		ref  *contract.Ref
		plan string
	}{{&who.first, n.base}, {&who.second, n.base}, {&who.third, n.declined}} {
		p, err := n.Scene.Store.Catalog.Plan(t.Context(), n.Env, s.plan)
		require.NoError(t, err)
		*s.ref = n.Subscribe(t, c, p)
		servicetest.Charge(t, n.Scene, *s.ref)
	}
	amount := money.Minor(2_500)
	made, err := n.Invoices.CreateInvoice(t.Context(), n.caller, invoices.NewInvoice{
		CustomerID: c.ID, Currency: "EUR",
		Content: invoicing.Content{Lines: []invoicing.Line{{Description: "Set-up", Amount: &amount}}},
	}, nil)
	require.NoError(t, err)
	who.draft = made.ID
	who.paid, who.open = n.invoiceOf(t, who.first, invoice.Paid), n.invoiceOf(t, who.third, invoice.Open)
	paid := db.TransactionFilter{InvoiceID: who.paid}
	charges, _, err := n.Scene.Store.Payments.Transactions(t.Context(), n.Env, paid, db.Page{Limit: 1})
	require.NoError(t, err)
	who.charge = charges[0].ID
	return who
}

func (n *newcomers) invoiceOf(t *testing.T, ref contract.Ref, status invoice.Status) string {
	t.Helper()
	of := db.InvoiceFilter{SubscriptionID: ref.ID}
	found, _, err := n.Scene.Store.Invoices.List(t.Context(), n.Env, of, db.Page{Limit: 10})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, status, found[0].Status)
	return found[0].ID
}

// around adds what the API adds to a command: its Idempotency-Key before, its answer after. The transaction then waits.
func around[R any](ctx context.Context, w *newcomer, wait func()) usecase.Around[R] {
	w.keys++
	key := db.IdempotencyKey{
		Route: "POST /test", Key: fmt.Sprint(w.keys), Fingerprint: []byte("f"), StatusCode: 200, Response: []byte("{}"),
		CustomerID: w.id, CreatedAt: w.Clock.Now(),
	}
	return usecase.Around[R]{
		Before: func(tx *db.Tx) error { return tx.ReserveIdempotency(ctx, w.Env, key) },
		After: func(tx *db.Tx, _ R) error {
			if err := tx.AnswerIdempotency(ctx, w.Env, key); err != nil {
				return err
			}
			wait()
			return nil
		},
	}
}

// outcome returns a customer's state and debts, without ids.
func (w *newcomer) outcome(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	for _, sql := range []string{
		`select s.status, p.name, s.quantity, s.cancel_at_period_end, s.paid_through, s.next_action, s.finished_at is null,
		   s.discounts is null
		 from subscriptions s join plans p on p.environment_id = s.environment_id and p.id = s.plan_id
		 where s.customer_id = $1 order by s.position`,
		`select i.subscription_id is null, i.reason, i.status, i.total, i.credit_applied, i.brought_forward, i.carried_forward,
		   i.amount_due, i.credited from invoices i where i.customer_id = $1 order by i.number nulls last, i.total`,
		`select t.type, t.status, t.amount, t.amount_refunded, t.refund_owed, t.trigger, t.attempt_number
		 from transactions t where t.customer_id = $1 order by t.position`,
		`select e.amount, e.reason, e.balance_after, e.grant_id is null from credit_entries e
		 where e.customer_id = $1 order by e.position`,
		`select b.currency, b.balance, b.granted from credit_balances b
		 where b.customer_id = $1 and (b.balance, b.granted) <> (0, 0)`,
		`select g.amount, g.remaining, g.voided_at is null from credit_grants g where g.customer_id = $1 order by g.position`,
	} {
		rows, err := w.Pool.Query(t.Context(), "select row_to_json(q)::text from ("+sql+") q", w.id)
		require.NoError(t, err)
		for rows.Next() {
			var row string
			require.NoError(t, rows.Scan(&row))
			out.WriteString(row + "\n")
		}
		require.NoError(t, rows.Err())
		out.WriteString("\n")
	}
	return out.String()
}

// chain performs commands on one customer so that each waits for the locks of the one before, which is about to commit:
// the longest time for which two can be under way together. It returns what each was refused with.
func (w *newcomer) chain(t *testing.T, names ...string) []string {
	t.Helper()
	refusals := make([]string, len(names))
	previous := func() {}
	for i, name := range names {
		ready, commit, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			done <- racers[name](t.Context(), w, func() { close(ready); <-commit })
		}()
		w.untilBlocked(t, ready, ended)
		previous()
		select {
		case <-ready:
		case <-ended:
		}
		previous = func() {
			close(commit)
			if err := <-done; err != nil {
				f := fault.From(err)
				require.True(t, f.Refusal(), "%s after %v: %v", name, names[:i], err)
				refusals[i] = f.Code
			}
		}
	}
	previous()
	return refusals
}

const waits = "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"

// untilBlocked waits until a transaction waits for its commit, has ended, or waits for a lock.
func (w *newcomer) untilBlocked(t *testing.T, ready, ended <-chan struct{}) {
	t.Helper()
	for poll := time.NewTicker(time.Millisecond); ; {
		select {
		case <-ready:
			return
		case <-ended:
			return
		case <-poll.C:
			if w.count(t, waits) > 0 {
				poll.Stop()
				return
			}
		}
	}
}

// Commands of a customer who never had a balance see each other's credit, whatever they are and in whatever order they
// come: concurrent commands end like consecutive ones. Before, the second saw no credit and charged the card in full,
// and a third that found the balance could wait for the second while that waited for the balance.
func TestCommands_AtACustomerWithoutABalance(t *testing.T) {
	t.Parallel()
	pairs := [][2]string{
		{"downgrade", "upgrade"}, {"downgrade", "upgrade the second"}, {"grant", "upgrade"}, {"upgrade", "downgrade"},
		{"credit note", "credit note"}, {"downgrade", "downgrade the second"}, {"grant", "finalize"}, {"adjust", "finalize"},
		{"preview a subscription", "preview a subscription"}, {"subscribe", "preview a subscription"},
	}
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0))
	names := slices.Sorted(maps.Keys(racers))
	for _, i := range random.Perm(len(names) * len(names))[:testkit.Scale(6, len(names)*len(names))] {
		pairs = append(pairs, [2]string{names[i/len(names)], names[i%len(names)]})
	}
	for when, at := range map[string]time.Time{
		"within the period": scene.Start.AddDate(0, 0, 10), "after it": scene.Start.AddDate(0, 1, 0).Add(time.Hour),
	} {
		for some := range slices.Chunk(pairs, 50) {
			t.Run(when, func(t *testing.T) {
				t.Parallel()
				race(t, some, at)
			})
		}
	}
}

// race performs each pair twice at a time, on a customer together and on another one in turns.
func race(t *testing.T, pairs [][2]string, at time.Time) {
	t.Helper()
	n := newNewcomers(t)
	raced, turns := make([]*newcomer, len(pairs)), make([]*newcomer, len(pairs))
	for i := range pairs {
		raced[i], turns[i] = n.arrive(t), n.arrive(t)
	}
	require.Zero(t, n.count(t, "select count(*) from credit_balances"))
	n.Clock.Set(at)
	for i, pair := range pairs {
		// A third command meets the balance that the first may have made, while the second is under way.
		names := []string{pair[0], pair[1], "adjust", pair[0]}
		var want []string
		for _, name := range names {
			want = append(want, turns[i].chain(t, name)...)
		}
		require.Equal(t, want, raced[i].chain(t, names...), names)
		require.Equal(t, turns[i].outcome(t), raced[i].outcome(t), names)
	}
	n.RequireSound(t)
}

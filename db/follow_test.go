package db_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/event"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/testkit"
)

// follower reads a list the way an app does: it remembers the newest id it was given and asks for what came after it.
type follower struct {
	list   func(context.Context, db.Page) (any, error)
	cursor string
	seen   map[string]int
	order  []reflect.Value // oldest first
}

// catchUp reads until a page is empty.
func (f *follower) catchUp(ctx context.Context) error {
	if f.cursor == "" {
		if err := f.begin(ctx); err != nil || f.cursor == "" {
			return err
		}
	}
	for {
		rows, err := f.page(ctx, db.Page{EndingBefore: f.cursor})
		if err != nil || len(rows) == 0 {
			return err
		}
		f.take(rows)
	}
}

// begin reads all that is listed. The first page that is not empty holds only the newest rows: where more than a page
// became visible since the last look, as after a slow commit, the others are behind it.
func (f *follower) begin(ctx context.Context) error {
	var all []reflect.Value
	for page := (db.Page{}); ; page.StartingAfter = idOf(all[len(all)-1]) {
		rows, err := f.page(ctx, page)
		if err != nil {
			return err
		}
		if all = append(all, rows...); len(rows) == 0 {
			f.take(all)
			return nil
		}
	}
}

func (f *follower) page(ctx context.Context, page db.Page) (rows []reflect.Value, err error) {
	page.Limit = 100
	list, err := f.list(ctx, page)
	if err != nil {
		return nil, err
	}
	for _, row := range reflect.ValueOf(list).Seq2() {
		rows = append(rows, row)
	}
	return rows, nil
}

// take notes rows that a list gave, newest first.
func (f *follower) take(rows []reflect.Value) {
	for _, row := range slices.Backward(rows) {
		f.cursor = idOf(row)
		f.seen[f.cursor]++
		f.order = append(f.order, row)
	}
}

func idOf(row reflect.Value) string { return row.FieldByName("ID").String() }

// The first rows of a list become visible together, and are more than a page: a follower that found the list empty
// until then loses none of them.
func TestFollowByEndingBefore_BeginsWithMoreThanAPage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := follower{seen: map[string]int{}, list: func(ctx context.Context, p db.Page) (any, error) {
		rows, _, err := b.store.Webhooks.Events(ctx, b.env, db.EventFilter{}, p)
		return rows, err
	}}
	require.NoError(t, f.catchUp(t.Context()))
	require.NoError(t, b.try(t, func(ctx context.Context, tx *db.Tx) error {
		require.NoError(t, tx.Emit(ctx, b.env, event.New(event.PlanCreated{ID: id.New(id.Plan, wall)}, now)))
		_, err := tx.Reconcile.Epoch(ctx) // a read sends what is queued
		require.NoError(t, err)
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			for range 162 {
				require.NoError(t, tx.Emit(ctx, b.env, anEvent(b.subscription)))
			}
		})
		require.NoError(t, f.catchUp(t.Context()))
		require.Empty(t, f.seen, "the open transaction holds newer rows back")
		return nil
	}))
	require.NoError(t, f.catchUp(t.Context()))
	require.Len(t, f.seen, 163)
}

// Two processes write, their clocks 2 s apart; some commits take a second. Followers read as fast as they can all the
// while, and must be given every row exactly once, the events of a subscription in their order.
func TestFollowByEndingBefore_ConcurrentWritersSlowCommitsAndTwoClocks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rounds, writers := testkit.Scale(25, 300), 6
	rng := rand.New(rand.NewPCG(testkit.Seed(t), 0)) //nolint:gosec // repeatable, not secret
	stores := make([]*db.Store, 2)
	for i := range stores {
		var err error
		stores[i], err = db.Open(t.Context(), db.Config{
			URL: b.pool.Config().ConnString(), MaxConns: 8,
			Clock: func() time.Time { return time.Now().Add(time.Duration(2*i) * time.Second) },
		})
		require.NoError(t, err)
		t.Cleanup(stores[i].Close)
	}
	lists := map[string]func(context.Context, db.Page) (any, error){
		"events": func(ctx context.Context, p db.Page) (any, error) {
			rows, _, err := b.store.Webhooks.Events(ctx, b.env, db.EventFilter{}, p)
			return rows, err
		},
		"events of a type": func(ctx context.Context, p db.Page) (any, error) {
			rows, _, err := b.store.Webhooks.Events(ctx, b.env,
				db.EventFilter{Types: []event.Pattern{"subscription.updated"}}, p)
			return rows, err
		},
		"customers": func(ctx context.Context, p db.Page) (any, error) {
			rows, _, err := b.store.Customers.List(ctx, b.env, db.CustomerFilter{}, p)
			return rows, err
		},
		"plans": func(ctx context.Context, p db.Page) (any, error) {
			rows, _, err := b.store.Catalog.Plans(ctx, b.env, db.PlanFilter{}, p)
			return rows, err
		},
		"subscriptions": func(ctx context.Context, p db.Page) (any, error) {
			rows, _, err := b.store.Subscriptions.List(ctx, b.env, db.SubscriptionFilter{}, p)
			return rows, err
		},
		"invoices": func(ctx context.Context, p db.Page) (any, error) {
			rows, _, err := b.store.Invoices.List(ctx, b.env, db.InvoiceFilter{}, p)
			return rows, err
		},
		"transactions": func(ctx context.Context, p db.Page) (any, error) {
			rows, _, err := b.store.Payments.Transactions(ctx, b.env, db.TransactionFilter{}, p)
			return rows, err
		},
		"disputes": func(ctx context.Context, p db.Page) (any, error) {
			rows, _, err := b.store.Payments.Disputes(ctx, b.env, db.DisputeFilter{}, p)
			return rows, err
		},
		"test clocks": func(ctx context.Context, p db.Page) (any, error) {
			rows, _, err := b.store.Clocks.List(ctx, b.env, p)
			return rows, err
		},
		"apps": func(ctx context.Context, p db.Page) (any, error) {
			rows, _, err := b.store.Tenancy.Apps(ctx, b.tenant, p)
			return rows, err
		},
	}
	done := make(chan struct{})
	followers := map[string]*follower{}
	failures := make(chan error, len(lists))
	var following sync.WaitGroup
	for name, list := range lists {
		f := &follower{list: list, seen: map[string]int{}}
		followers[name] = f
		following.Go(func() {
			for {
				if err := f.catchUp(t.Context()); err != nil {
					failures <- fmt.Errorf("%s: %w", name, err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	seeds := make([]uint64, writers)
	for i := range seeds {
		seeds[i] = rng.Uint64()
	}
	errs := atOnce(writers, func(i int) error {
		rng := rand.New(rand.NewPCG(seeds[i], 0)) //nolint:gosec // repeatable, not secret
		store := stores[i%len(stores)]
		for range rounds {
			slow := rng.IntN(rounds) == 0
			if err := store.InTx(t.Context(), db.BySystem("test"), now, func(tx *db.Tx) error {
				return writeOneOfEach(t.Context(), tx, b, slow)
			}); err != nil {
				return err
			}
		}
		return nil
	})
	close(done)
	following.Wait()
	close(failures)
	require.NoError(t, errors.Join(errs...))
	require.NoError(t, <-failures)
	for name, f := range followers {
		require.NoError(t, f.catchUp(t.Context()))
		want := writers*rounds + 1 // one of each was there
		switch name {
		case "events", "events of a type":
			want = 3 * writers * rounds
		case "invoices", "transactions", "disputes":
			want = writers * rounds
		}
		require.Equal(t, want, len(f.seen), "%s: rows were lost", name) //nolint:testifylint // Len would print them all
		for id, times := range f.seen {
			require.Equal(t, 1, times, "%s: %s was given twice", name, id)
		}
	}
	last := map[string]int64{}
	for _, row := range followers["events"].order {
		e := row.Interface().(db.Event)
		require.Greater(t, e.Sequence, last[e.SubscriptionID], "the events of a subscription are listed in their order")
		last[e.SubscriptionID] = e.Sequence
	}
}

// writeOneOfEach inserts a row into every list, and three events. A slow one stays open for a second in the middle of
// it.
func writeOneOfEach(ctx context.Context, tx *db.Tx, b *bundle, slow bool) error {
	p, c, clock, inv, txn := newPlan(), newCustomer(""), b.clock, b.invoice(), b.charge("")
	p.ID, c.ID, clock.ID, inv.ID, txn.ID = id.New(id.Plan, tx.Real), id.New(id.Customer, tx.Real), id.New(id.TestClock,
		tx.Real), id.New(id.Invoice, tx.Real), id.New(id.Transaction, tx.Real)
	for i := range p.Prices {
		p.Prices[i].ID = id.New(id.Price, tx.Real)
	}
	of := b.environment
	of.customer, of.plan = c, p
	sub := newSubscription(of)
	sub.ID, sub.TestClockID = id.New(id.Subscription, tx.Real), ""
	inv.CustomerID, inv.SubscriptionID, txn.CustomerID, txn.SubscriptionID, txn.AttemptNumber = c.ID, sub.ID, c.ID, "", 0
	inv.Lines = nil
	txn.Disputes = payment.Disputes{{
		ID: id.New(id.Dispute, tx.Real), OpenedAt: wall,
		Dispute: answer.Dispute{Ref: "du_1", State: answer.DisputeOpen, Amount: 1, Currency: eur},
	}}
	for _, insert := range []func() error{
		func() error {
			return tx.Tenancy.InsertApp(ctx, db.App{
				ID: id.New(id.App, tx.Real), TenantID: b.tenant, Name: "app", Keyset: []byte("k"), CreatedAt: tx.Real,
			})
		},
		func() error { return tx.Catalog.InsertPlan(ctx, b.env, p) },
		func() error { return tx.Clocks.Insert(ctx, b.env, clock) },
		func() error { return tx.Customers.Insert(ctx, b.env, c) },
		func() error { return tx.Subscriptions.Insert(ctx, b.env, sub) },
		func() error { return tx.Payments.InsertTransaction(ctx, b.env, txn) },
		func() error { return tx.Emit(ctx, b.env, anEvent(sub)) },
		func() error { return tx.Emit(ctx, b.env, anEvent(sub)) },
		func() error { return tx.Emit(ctx, b.env, anEvent(sub)) },
		func() error { return tx.Invoices.Insert(ctx, b.env, inv) },
	} {
		if err := insert(); err != nil {
			return err
		}
	}
	if !slow {
		return nil
	}
	if _, err := tx.Reconcile.Epoch(ctx); err != nil { // a read sends what is queued
		return err
	}
	time.Sleep(time.Second)
	return nil
}

// A transaction that is open keeps newer rows from being given, because its own would appear behind them; once it has
// ended both come, whether it committed or not. Reads that act on all there is do not wait.
func TestList_OpenTransactionHoldsNewerRowsBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.newEnvironment(t)
	events := func(environmentID string, page db.Page) []db.Event {
		rows, _, err := b.store.Webhooks.Events(t.Context(), environmentID, db.EventFilter{}, page)
		require.NoError(t, err)
		return rows
	}
	for _, commit := range []bool{true, false} {
		before := len(events(b.env, db.Page{}))
		thoughtBetter := errors.New("rolled back")
		err := b.try(t, func(ctx context.Context, tx *db.Tx) error {
			require.NoError(t, tx.Emit(ctx, b.env, event.New(event.PlanCreated{ID: id.New(id.Plan, wall)}, now)))
			_, err := tx.Reconcile.Epoch(ctx) // a read sends what is queued
			require.NoError(t, err)
			b.write(t, func(ctx context.Context, tx *db.Tx) {
				require.NoError(t, tx.Emit(ctx, b.env, anEvent(b.subscription)))
				require.NoError(t, tx.Emit(ctx, other.env, anEvent(other.subscription)))
			})
			require.Len(t, events(b.env, db.Page{}), before)
			require.Len(t, events(b.env, db.Page{Unsettled: true}), before+1)
			require.NotEmpty(t, events(other.env, db.Page{}), "another environment does not wait")
			own, _, err := tx.Webhooks.Events(ctx, b.env, db.EventFilter{}, db.Page{})
			require.NoError(t, err)
			require.Len(t, own, before+2, "a transaction sees its own rows")
			if !commit {
				return thoughtBetter
			}
			return nil
		})
		if commit {
			require.NoError(t, err)
			require.Len(t, events(b.env, db.Page{}), before+2)
			continue
		}
		require.ErrorIs(t, err, thoughtBetter)
		require.Len(t, events(b.env, db.Page{}), before+1)
	}
}

// A page waits for the rows that existed when it was requested: a caller that creates rows concurrently with others
// finds its own listed.
func TestList_WaitsForTransactionsThatEndSoon(t *testing.T) {
	t.Parallel()
	b := setup(t)
	errs := atOnce(sessions, func(int) error {
		for range 20 {
			c := newCustomer("")
			if err := b.try(t, func(ctx context.Context, tx *db.Tx) error {
				return tx.Customers.Insert(ctx, b.env, c)
			}); err != nil {
				return err
			}
			newest, _, err := b.store.Customers.List(t.Context(), b.env, db.CustomerFilter{}, db.Page{Limit: 100})
			if err != nil {
				return err
			}
			found := false
			for _, n := range newest {
				found = found || n.ID == c.ID
			}
			if !found {
				return fmt.Errorf("%s is not among the newest", c.ID)
			}
		}
		return nil
	})
	require.NoError(t, errors.Join(errs...))
}

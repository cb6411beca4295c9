package db_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/db"
	"perennial/internal/id"
)

// dated is a payment as the list by time sees it.
type dated struct {
	id      string
	created time.Time
	virtual bool // it was written at another time
}

// writeDated puts payments of an environment into the table in their order.
func writeDated(t *testing.T, b *bundle, env string, payments []dated) {
	t.Helper()
	conn, err := b.pool.Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	// Without the trigger, which knows the present time only.
	_, err = conn.Exec(t.Context(), "set session_replication_role = replica")
	require.NoError(t, err)
	ids, created, virtual := make([]string, len(payments)), make([]time.Time, len(payments)), make([]bool, len(payments))
	for i, p := range payments {
		ids[i], created[i], virtual[i] = p.id, p.created, p.virtual
	}
	_, err = conn.Exec(t.Context(), `
		insert into transactions (id, environment_id, position, type, status, customer_id, amount, currency, description,
			trigger, amount_refunded, send_number, checks, not_found_count, due_at, completed_at, created_at, created_virtually)
		select p.id, $1, p.n, 'charge', case when p.n % 3 = 0 then 'failed' else 'success' end, 'cust_' || p.n % 5, 100,
			'EUR', '', 'automatic', 0, 1, 0, 0, now(), now(), p.created, p.virtual
		from unnest($2::text[], $3::timestamptz[], $4::bool[]) with ordinality p(id, created, virtual, n)`,
		env, ids, created, virtual)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "select setval('list_position', $1)", len(payments))
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "set session_replication_role = origin; analyze transactions")
	require.NoError(t, err)
}

// Whatever the span of time and the page, the list has exactly the payments of the span, in the order of all lists: of
// an environment in real time, of one with a few payments on test clocks, and of one where most are.
func TestTransactions_ByTime(t *testing.T) {
	t.Parallel()
	for name, share := range map[string]float64{"real": 0, "a few virtual": 0.1, "mostly virtual": 0.8} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, n := setup(t), 2000
			random := rand.New(rand.NewPCG(7, uint64(share*10))) //nolint:gosec // the same each time
			minutes := func(most int) time.Duration { return time.Duration(random.IntN(most*60)) * time.Second }
			var all []dated
			for i := range n {
				p := dated{id: id.New(id.Transaction, wall), virtual: random.Float64() < share}
				p.created = wall.Add(time.Duration(i)*20*time.Second + minutes(2) - time.Minute)
				if p.virtual {
					p.created = wall.Add(minutes(n) - 24*time.Hour)
				}
				all = append(all, p)
			}
			writeDated(t, b, b.env, all)
			for range 60 {
				f := db.TransactionFilter{CreatedFrom: wall.Add(minutes(800) - time.Hour)}
				f.CreatedTo = f.CreatedFrom.Add(minutes(200) + time.Second)
				switch random.IntN(4) {
				case 0:
					f.CreatedFrom = time.Time{}
				case 1:
					f.CreatedTo = time.Time{}
				}
				if random.IntN(3) == 0 {
					f.Status = "failed"
				}
				var want []string
				for i, p := range slices.Backward(all) {
					in := !p.created.Before(f.CreatedFrom) && (f.CreatedTo.IsZero() || p.created.Before(f.CreatedTo))
					if in && (f.Status == "" || (i+1)%3 == 0) {
						want = append(want, p.id)
					}
				}
				require.Equal(t, want, b.paged(t, f, false), "%+v", f)
				slices.Reverse(want)
				require.Equal(t, want, b.paged(t, f, true), "%+v", f)
			}
		})
	}
}

// paged reads all pages of a list: from the newest on, or, forward, from the oldest of all payments.
func (b *bundle) paged(t *testing.T, f db.TransactionFilter, forward bool) (ids []string) {
	t.Helper()
	page := db.Page{Limit: 97}
	if forward {
		require.NoError(t, b.pool.QueryRow(t.Context(),
			"select id from transactions order by position limit 1").Scan(&page.EndingBefore))
		first, err := b.store.Payments.Transaction(t.Context(), b.env, page.EndingBefore)
		require.NoError(t, err)
		in := !first.CreatedAt.Before(f.CreatedFrom) && (f.CreatedTo.IsZero() || first.CreatedAt.Before(f.CreatedTo))
		if in && (f.Status == "" || f.Status == first.Status) {
			ids = append(ids, first.ID)
		}
	}
	for {
		found, more, err := b.store.Payments.Transactions(t.Context(), b.env, f, page)
		require.NoError(t, err)
		if forward {
			slices.Reverse(found)
		}
		for _, txn := range found {
			ids = append(ids, txn.ID)
		}
		if !more {
			return ids
		}
		if last := found[len(found)-1].ID; forward {
			page.EndingBefore = last
		} else {
			page.StartingAfter = last
		}
	}
}

// The row says whether it was written at its creation time, whoever writes it.
func TestTransactions_NoteVirtualTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for created, virtual := range map[time.Time]bool{
		time.Now(): false, time.Now().Add(-30 * time.Second): false, time.Now().Add(30 * time.Second): false,
		time.Now().Add(-2 * time.Minute): true, time.Now().AddDate(1, 0, 0): true,
	} {
		txn := b.charge("")
		txn.SubscriptionID, txn.AttemptNumber, txn.CreatedAt = "", 0, created
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, txn))
		})
		var got bool
		require.NoError(t, b.pool.QueryRow(t.Context(),
			"select created_virtually from transactions where id = $1", txn.ID).Scan(&got))
		require.Equal(t, virtual, got, time.Until(created))
	}
}

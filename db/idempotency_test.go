package db_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/id"
)

func TestReserveIdempotency_AnsweredInTheSameTransaction(t *testing.T) {
	t.Parallel()
	b := setup(t)
	k := db.IdempotencyKey{Route: "POST /api/subscriptions/sub_1/cancel", Key: "k1", Fingerprint: []byte("body")}
	read := func(r db.Reader) (db.IdempotencyKey, bool) {
		got, known, err := r.IdempotencyKey(t.Context(), b.env, k.Route, k.Key)
		require.NoError(t, err)
		return got, known
	}
	want := k
	want.CreatedAt = wall
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.ReserveIdempotency(ctx, b.env, k))
		got, known := read(tx.Reader)
		require.True(t, known)
		require.Equal(t, want, got)
		_, known = read(b.store.Reader)
		require.False(t, known, "no one else sees a request without its answer")
		answer := k
		answer.StatusCode, answer.Response, answer.CustomerID = 200, []byte(`{"id":"sub_1"}`), b.customer.ID
		require.NoError(t, tx.AnswerIdempotency(ctx, b.env, answer))
	})
	want.StatusCode, want.Response, want.CustomerID = 200, []byte(`{"id":"sub_1"}`), b.customer.ID
	got, known := read(b.store.Reader)
	require.True(t, known)
	require.Equal(t, want, got)

	repeat := k
	repeat.Fingerprint = []byte("another body")
	err := b.try(t, func(ctx context.Context, tx *db.Tx) error { return tx.ReserveIdempotency(ctx, b.env, repeat) })
	requireFault(t, err, fault.Conflict, "idempotency_key_taken")
	got, _ = read(b.store.Reader)
	require.Equal(t, want, got, "the first answer stays")

	repeat.Route = "POST /api/subscriptions/sub_2/cancel"
	repeat.StatusCode = 200
	require.NoError(t, b.try(t, func(ctx context.Context, tx *db.Tx) error {
		require.NoError(t, tx.ReserveIdempotency(ctx, b.env, repeat))
		return tx.AnswerIdempotency(ctx, b.env, repeat)
	}), "a key belongs to its route")
}

// A key that was reserved and never answered would keep every repeat waiting: its transaction has no effect at all.
func TestReserveIdempotency_RefusedWithoutAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	k := db.IdempotencyKey{Route: "POST /api/customers", Key: "k1", Fingerprint: []byte("body")}
	err := b.try(t, func(ctx context.Context, tx *db.Tx) error {
		require.NoError(t, tx.ReserveIdempotency(ctx, b.env, k))
		require.NoError(t, tx.Customers.Insert(ctx, b.env, newCustomer(b.clock.ID)))
		_, err := tx.Customers.Get(ctx, b.env, b.customer.ID) // sends the writes: until the commit the answer may still come
		return err
	})
	requireSQLState(t, err, "PB006")
	require.Equal(t, 1, b.count(t, "select count(*) from customers"), "the fixture's alone")
	require.Zero(t, b.count(t, "select count(*) from idempotency_keys"))

	k.StatusCode = 201
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.InsertAnsweredIdempotency(ctx, b.env, k)) })
	_, err = b.pool.Exec(t.Context(), "update idempotency_keys set status_code = null")
	requireSQLState(t, err, "PB006")
}

// A repeat that comes while the first request is performed waits for its end, and performs only where that was rolled
// back.
func TestReserveIdempotency_ConcurrentRepeatWaits(t *testing.T) {
	t.Parallel()
	rolledBack := errors.New("rolled back")
	for name, first := range map[string]error{"committed": nil, "rolled back": rolledBack} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			k := db.IdempotencyKey{Route: "POST /", Key: "k", Fingerprint: []byte("body"), StatusCode: 201}
			perform := func(ctx context.Context, tx *db.Tx) error {
				if err := tx.ReserveIdempotency(ctx, b.env, k); err != nil {
					return err
				}
				if err := tx.Customers.Insert(ctx, b.env, newCustomer(b.clock.ID)); err != nil {
					return err
				}
				return tx.AnswerIdempotency(ctx, b.env, k)
			}
			repeated := make(chan error, 1)
			err := b.try(t, func(ctx context.Context, tx *db.Tx) error {
				require.NoError(t, perform(ctx, tx))
				_, err := tx.Customers.Get(ctx, b.env, b.customer.ID) // any read sends what is queued
				require.NoError(t, err)
				go func() { repeated <- b.try(t, perform) }()
				require.Eventually(t, func() bool {
					return b.waiting(t) == 1
				}, 10*time.Second, time.Millisecond, "the repeat waits")
				return first
			})
			require.ErrorIs(t, err, first)
			if first == nil {
				requireFault(t, <-repeated, fault.Conflict, "idempotency_key_taken")
			} else {
				require.NoError(t, <-repeated)
			}
			require.Equal(t, 2, b.count(t, "select count(*) from customers"), "the fixture's and one more")
		})
	}
}

// waiting counts the sessions that wait for a lock.
func (b *bundle) waiting(t *testing.T) int {
	t.Helper()
	return b.count(t,
		"select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'")
}

func TestIdempotency_OneEffectUnderRepeats(t *testing.T) {
	t.Parallel()
	b := setup(t)
	k := db.IdempotencyKey{
		Route: "POST /api/customers", Key: "k", Fingerprint: []byte("body"), StatusCode: 201, Response: []byte("made"),
	}
	errs := atOnce(50, func(int) error {
		return b.try(t, func(ctx context.Context, tx *db.Tx) error {
			if err := tx.InsertAnsweredIdempotency(ctx, b.env, k); err != nil {
				return err
			}
			return tx.Customers.Insert(ctx, b.env, newCustomer(b.clock.ID))
		})
	})
	var made int
	for _, err := range errs {
		if err == nil {
			made++
			continue
		}
		requireFault(t, err, fault.Conflict, "idempotency_key_taken")
		stored, known, err := b.store.IdempotencyKey(t.Context(), b.env, k.Route, k.Key)
		require.NoError(t, err)
		require.True(t, known)
		require.Equal(t, []byte("made"), stored.Response)
	}
	require.Equal(t, 1, made)
	require.Equal(t, 2, b.count(t, "select count(*) from customers"), "the fixture's and one more")

	failing := k
	failing.Key = "k2"
	thoughtBetter := errors.New("rolled back")
	require.ErrorIs(t, b.try(t, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.InsertAnsweredIdempotency(ctx, b.env, failing); err != nil {
			return err
		}
		return thoughtBetter
	}), thoughtBetter)
	_, known, err := b.store.IdempotencyKey(t.Context(), b.env, k.Route, "k2")
	require.NoError(t, err)
	require.False(t, known, "no effect, no memory")
}

func TestIdempotency_PurgesOnlyOld(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		for range 5 {
			k := db.IdempotencyKey{Route: "POST /", Key: id.New(id.Request, wall), Fingerprint: []byte("f"), StatusCode: 201}
			require.NoError(t, tx.InsertAnsweredIdempotency(ctx, b.env, k))
		}
	})
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		for _, step := range []struct {
			before      time.Time
			limit, want int
		}{{wall, 9, 0}, {wall.Add(time.Second), 3, 3}, {wall.Add(time.Second), 3, 2}, {wall.Add(time.Second), 3, 0}} {
			n, err := tx.PurgeIdempotencyKeys(ctx, step.before, step.limit)
			require.NoError(t, err)
			require.Equal(t, step.want, n)
		}
	})
}

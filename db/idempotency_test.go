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

func claim(b *bundle, k db.IdempotencyKey, lease time.Time) (got db.IdempotencyKey, mine bool, err error) {
	err = b.store.InTx(context.Background(), db.BySystem("test"), now, func(tx *db.Tx) (err error) {
		got, mine, err = tx.ClaimIdempotency(context.Background(), b.env, k, lease)
		return err
	})
	return got, mine, err
}

func TestIdempotencyOfACommand(t *testing.T) {
	t.Parallel()
	b := setup(t)
	k := db.IdempotencyKey{Route: "POST /api/subscriptions/sub_1/cancel", Key: "k1", Fingerprint: []byte("body"), CommandID: "cmd_first"}
	_, known, err := b.store.IdempotencyKey(t.Context(), b.env, k.Route, k.Key)
	require.NoError(t, err)
	require.False(t, known)

	lease := wall.Add(30 * time.Second)
	got, mine, err := claim(b, k, lease)
	require.NoError(t, err)
	require.True(t, mine)
	want := k
	want.State, want.LeaseUntil, want.CreatedAt = db.IdempotencyInFlight, lease, wall
	require.Equal(t, want, got)

	repeat := k
	repeat.CommandID = "cmd_second"
	got, mine, err = claim(b, repeat, lease)
	require.NoError(t, err)
	require.False(t, mine, "the lease runs")
	require.Equal(t, want, got)

	perform := func(ctx context.Context, tx *db.Tx) error { return tx.PerformIdempotency(ctx, b.env, k.Route, k.Key) }
	require.NoError(t, b.try(t, perform))
	want.State, want.LeaseUntil = db.IdempotencyPerformed, time.Time{}
	got, mine, err = claim(b, repeat, lease)
	require.NoError(t, err)
	require.False(t, mine, "what is performed is never performed again")
	require.Equal(t, want, got)

	answer := func(status int) func(context.Context, *db.Tx) error {
		return func(ctx context.Context, tx *db.Tx) error {
			a := k
			a.StatusCode, a.Response, a.CustomerID = status, []byte(`{"id":"sub_1"}`), b.customer.ID
			return tx.AnswerIdempotency(ctx, b.env, a)
		}
	}
	require.NoError(t, b.try(t, answer(200)))
	require.NoError(t, b.try(t, answer(409)), "the first answer counts")
	require.NoError(t, b.try(t, perform), "no way back")
	got, mine, err = claim(b, repeat, lease)
	require.NoError(t, err)
	require.False(t, mine)
	want.State, want.StatusCode, want.Response, want.CustomerID = db.IdempotencyAnswered, 200, []byte(`{"id":"sub_1"}`), b.customer.ID
	require.Equal(t, want, got)
}

func TestIdempotencyLeaseRunsOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	k := db.IdempotencyKey{Route: "POST /", Key: "k", Fingerprint: []byte("body"), CommandID: "cmd_first"}
	_, mine, err := claim(b, k, wall.Add(-time.Second)) // died a second ago
	require.NoError(t, err)
	require.True(t, mine)

	other := k
	other.CommandID, other.Fingerprint = "cmd_other", []byte("another body")
	got, mine, err := claim(b, other, wall.Add(time.Minute))
	require.NoError(t, err)
	require.False(t, mine, "another body never takes over")
	require.Equal(t, k.Fingerprint, got.Fingerprint)

	repeat := k
	repeat.CommandID = "cmd_second"
	var taken int
	errs := make([]error, 50)
	results := make(chan db.IdempotencyKey, 50)
	copy(errs, atOnce(50, func(int) error {
		got, mine, err := claim(b, repeat, wall.Add(time.Minute))
		if mine {
			results <- got
		}
		return err
	}))
	close(results)
	require.NoError(t, errors.Join(errs...))
	for got := range results {
		taken++
		require.Equal(t, "cmd_first", got.CommandID, "the command runs again under its own id")
	}
	require.Equal(t, 1, taken)

	release := func(command string) {
		k := k
		k.CommandID = command
		b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.ReleaseIdempotency(ctx, b.env, k)) })
	}
	lease := func() time.Time {
		row, known, err := b.store.IdempotencyKey(t.Context(), b.env, k.Route, k.Key)
		require.NoError(t, err)
		require.True(t, known, "the key stays taken for its body")
		return row.LeaseUntil
	}
	before := lease()
	release("cmd_second")
	require.Equal(t, before, lease(), "only its owner gives a key back")
	release("cmd_first")
	require.Less(t, lease(), before)
}

func TestOneEffectUnderManyRepeats(t *testing.T) {
	t.Parallel()
	b := setup(t)
	k := db.IdempotencyKey{Route: "POST /api/customers", Key: "k", Fingerprint: []byte("body"), CommandID: "cmd", StatusCode: 201, Response: []byte("made")}
	errs := atOnce(50, func(int) error {
		return b.try(t, func(ctx context.Context, tx *db.Tx) error {
			if err := tx.InsertAnsweredIdempotency(ctx, b.env, k); err != nil {
				return err
			}
			return tx.InsertCustomer(ctx, b.env, newCustomer(b.clock.ID))
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

func TestPurgeTakesTheOldOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		for range 5 {
			k := db.IdempotencyKey{Route: "POST /", Key: id.New(id.Request, wall), Fingerprint: []byte("f"), StatusCode: 201}
			require.NoError(t, tx.InsertAnsweredIdempotency(ctx, b.env, k))
			c := db.Command{ID: id.New(id.Command, wall), SubscriptionID: b.subscription.ID, Name: "cancel", Outcome: []byte("{}")}
			require.NoError(t, tx.InsertCommand(ctx, b.env, c))
		}
	})
	for _, purge := range []func(*db.Tx, time.Time, int) (int, error){
		func(tx *db.Tx, before time.Time, limit int) (int, error) {
			return tx.PurgeCommands(t.Context(), before, limit)
		},
		func(tx *db.Tx, before time.Time, limit int) (int, error) {
			return tx.PurgeIdempotencyKeys(t.Context(), before, limit)
		},
	} {
		b.write(t, func(_ context.Context, tx *db.Tx) {
			for _, step := range []struct {
				before      time.Time
				limit, want int
			}{{wall, 9, 0}, {wall.Add(time.Second), 3, 3}, {wall.Add(time.Second), 3, 2}, {wall.Add(time.Second), 3, 0}} {
				n, err := purge(tx, step.before, step.limit)
				require.NoError(t, err)
				require.Equal(t, step.want, n)
			}
		})
	}
}

package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/testclock"
	"perennial/db"
)

func TestEveryField_TestClock(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.loosen(t, "test_clocks")
	f := &filler{}
	reads := func(want testclock.Clock) {
		t.Helper()
		got, err := b.store.Clocks.Get(t.Context(), b.env, want.ID)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	want := filled[testclock.Clock](t, f)
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Clocks.Insert(ctx, b.env, want)) })
	want.Revision, want.DeletedAt = 1, time.Time{}
	reads(want)

	saved := filled[testclock.Clock](t, f)
	take(&saved, want, "ID", "Name", "CreatedAt", "Revision", "DeletedAt") // a deleted one is not read
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Clocks.Save(ctx, b.env, saved)) })
	saved.Revision = 2
	reads(saved)
}

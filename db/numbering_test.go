package db_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/testkit"
)

// Numbers are gapless, so the counter's row is locked from the insertion to the end of the commit's WAL flush: one
// environment numbers one invoice a flush. The figure is in docs/performance.md.
func TestInvoiceNumbering_RateOfOneEnvironment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const spread = 8
	environments := []environment{b.environment}
	for len(environments) < spread {
		environments = append(environments, b.newEnvironment(t))
	}
	length := time.Duration(testkit.Scale(500, 20_000)) * time.Millisecond
	rate := func(of []environment) float64 {
		ctx, cancel := context.WithTimeout(t.Context(), length)
		defer cancel()
		var issued atomic.Int64
		errs := atOnce(sessions, func(i int) error {
			e := of[i%len(of)]
			for ctx.Err() == nil {
				inv := e.invoice()
				inv.ID, inv.Lines = id.New(id.Invoice, wall), inv.Lines[:1]
				if err := b.store.InTx(t.Context(), db.BySystem("test"), now, func(tx *db.Tx) error {
					return tx.Invoices.Insert(t.Context(), e.env, inv)
				}); err != nil {
					return err
				}
				issued.Add(1)
			}
			return nil
		})
		require.NoError(t, errors.Join(errs...))
		return float64(issued.Load()) / length.Seconds()
	}
	one, several := rate(environments[:1]), rate(environments)
	var fsync, flush string
	settings := b.pool.QueryRow(t.Context(), "select current_setting('fsync'), current_setting('wal_sync_method')")
	require.NoError(t, settings.Scan(&fsync, &flush))
	t.Logf("%d sessions: %.0f invoices a second in one environment, %.0f in %d environments (fsync %s, %s)",
		sessions, one, several, spread, fsync, flush)
	require.Positive(t, one)
	require.Zero(t, b.count(t, `select count(*) from (
		select environment_id from invoices group by environment_id having max(number) <> count(*)) g`))
}

package serve

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	logged "go.uber.org/zap/zaptest/observer"

	"perennial/cmd/perennial/backlog"
	"perennial/db"
	"perennial/internal/telemetry"
)

func TestAlarm_NamesWhoseMoneyWaits(t *testing.T) {
	t.Parallel()
	core, logs := logged.New(zapcore.InfoLevel)
	s := &Server{telemetry: &telemetry.Telemetry{Logger: zap.New(core)}}
	memory, at := &said{at: map[string]time.Time{}}, time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	sums := []db.WaitingMoney{{
		EnvironmentID: "env_1", Tenant: "Acme", App: "Shop", Mode: "live", Currency: "EUR", Count: 3, Amount: 2700,
		Oldest: at.Add(-70 * time.Second), FirstID: "txn_1",
	}, {EnvironmentID: "env_2", Currency: "XAF", Count: 1, Amount: 500, Oldest: at.Add(-time.Minute)}}
	by := map[string]backlog.Waiting{}
	for _, w := range backlog.AllWaiting {
		by[w.Metric] = w
	}
	for range 2 {
		s.soundWaiting(by["untaken_charges"], sums, memory, at)
	}
	for _, w := range backlog.AllWaiting[:3] {
		s.soundWaiting(w, sums[:1], memory, at)
	}
	s.soundWaiting(by["refunds_owed"], nil, memory, at)
	require.Equal(t, 2+3, logs.FilterLevelExact(zapcore.ErrorLevel).Len(),
		"one for each environment and currency, once a minute")
	for i, idField := range []string{"subscriptionId", "transactionId", "transactionId"} { // actions, payments, reviews
		fields := logs.All()[2+i].ContextMap()
		require.Equal(t, "Acme", fields["tenant"])
		require.Equal(t, "27.00 EUR", fields["amount"])
		require.Equal(t, at.Add(-70*time.Second), fields["since"].(time.Time).UTC())
		require.Equal(t, "txn_1", fields[idField])
	}
	fields := logs.All()[0].ContextMap()
	require.Equal(t, "27.00 EUR", fields["amount"])
	require.Equal(t, "Acme", fields["tenant"])
	require.Equal(t, "Shop", fields["app"])
	require.Equal(t, 70*time.Second, fields["oldest"])
	require.Equal(t, "500 XAF", logs.All()[1].ContextMap()["amount"])
}

package serve

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	logged "go.uber.org/zap/zaptest/observer"

	"perennial/contract"
	"perennial/internal/telemetry"
)

func TestObserver_LogsWhichPaymentIsLost(t *testing.T) {
	t.Parallel()
	core, logs := logged.New(zapcore.InfoLevel)
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	o := newObserver(&telemetry.Telemetry{Logger: zap.New(core)}, func() time.Time { return now })
	found := contract.ReconcileResult{Lost: []contract.LostCallback{{
		ID: "cb_1", EnvironmentID: "env_1", TransactionID: "txn_1", ProviderRef: "pi_1", ProviderConfigID: "ppc_1",
	}}}
	for range 2 {
		o.reconciled(found)
	}
	lines := logs.FilterLevelExact(zapcore.ErrorLevel).All()
	require.Len(t, lines, 1, "once a minute")
	fields := lines[0].ContextMap()
	for field, want := range map[string]string{
		"transactionId": "txn_1", "providerReference": "pi_1", "providerConfigId": "ppc_1", "callbackId": "cb_1",
	} {
		require.Equal(t, want, fields[field], field)
	}
	require.Contains(t, logs.All()[0].Message, "perennial callback close")
}

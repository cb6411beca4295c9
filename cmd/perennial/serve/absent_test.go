package serve

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/metric/noop"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	logged "go.uber.org/zap/zaptest/observer"

	"perennial/activities/execution"
	"perennial/contract"
	"perennial/internal/telemetry"
)

func TestObserver_LogsEachAbsentRow(t *testing.T) {
	t.Parallel()
	core, lines := logged.New(zapcore.ErrorLevel)
	instruments, err := telemetry.NewInstruments(noop.Meter{})
	require.NoError(t, err)
	o := newObserver(&telemetry.Telemetry{Logger: zap.New(core), Instruments: instruments}, time.Now)
	for _, id := range []string{"sub_1", "sub_2"} {
		o.RowAbsent(t.Context(), execution.RowAbsent{
			Kind: execution.KindSubscription, Ref: contract.Ref{EnvironmentID: "env_1", ID: id},
		})
	}
	require.Equal(t, 2, lines.Len(), "each is one lost sign-up")
	fields := lines.All()[1].ContextMap()
	require.Equal(t, "sub_2", fields["id"])
	require.Equal(t, "subscription", fields["kind"])
}

package serve

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	logged "go.uber.org/zap/zaptest/observer"

	"perennial/db"
	"perennial/internal/telemetry"
)

func TestAlarm_LogsEachFaultOnceAMinute(t *testing.T) {
	t.Parallel()
	core, logs := logged.New(zapcore.InfoLevel)
	s := &Server{telemetry: &telemetry.Telemetry{Logger: zap.New(core)}}
	memory, at := &said{at: map[string]time.Time{}}, time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	s.sound(db.Backlog{Writable: true, ReconciledAge: time.Minute, Reviews: 1}, nil, memory, at)
	require.Zero(t, logs.Len(), "what is money is logged with the sums")
	faulty := db.Backlog{Erasures: 2, ErasureAge: 2 * time.Minute}
	s.sound(faulty, errReadOnly, memory, at)
	s.sound(faulty, errReadOnly, memory, at.Add(alarmEvery))
	require.Equal(t, 2, logs.FilterLevelExact(zapcore.ErrorLevel).Len(), "read-only, erasures")
	s.sound(db.Backlog{Writable: true, ReconciledAge: 3 * time.Minute}, nil, memory, at)
	require.Equal(t, 3, logs.Len())
	s.sound(faulty, errReadOnly, memory, at.Add(time.Minute))
	require.Equal(t, 5, logs.Len(), "as long as it lasts")
	require.Contains(t, logs.All()[4].Message, "erased")
}

package serve

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"perennial/internal/telemetry"
)

// failingMerger fails to merge recorded usage, and counts the requests for the rest.
type failingMerger struct{ left int }

func (m *failingMerger) RollUpRecorded(context.Context) (int, error) {
	return 0, errors.New("unreadable")
}

func (m *failingMerger) RollUpUsage(context.Context) (int, error) {
	m.left++
	return 0, nil
}

func (m *failingMerger) AskReached(context.Context) (int, error) { return 0, nil }

func TestRollUpUsage_AsksForTheRestEveryMinuteAlsoAfterFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		merger := &failingMerger{}
		(&Server{telemetry: &telemetry.Telemetry{Logger: zap.NewNop()}}).rollUpUsage(ctx, merger)
		require.Equal(t, 3, merger.left)
	})
}

package worker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

func watching() (*Worker, *observer.ObservedLogs) {
	core, logs := observer.New(zapcore.InfoLevel)
	return &Worker{config: Config{Deployment: "perennial", BuildID: "new", Logger: zap.New(core)}}, logs
}

func TestWatch_SaysThatNothingIsBilled(t *testing.T) {
	t.Parallel()
	w, logs := watching()
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	gone, back := Dispatch{Deployment: "perennial", BuildID: "old"}, Dispatch{
		Deployment: "perennial", BuildID: "new", Working: 1,
	}
	look := func(after time.Duration, d Dispatch) { at = at.Add(after); w.learn(d, at) }

	look(0, gone)
	look(stoppedFor-time.Second, gone)
	require.NoError(t, w.Ready(), "a rolling update has a moment between two builds")
	require.Zero(t, logs.Len())
	look(2*time.Second, gone)
	require.ErrorContains(t, w.Ready(),
		"nothing is billed: Temporal sends all work to build old of perennial, which has no workers")
	require.ErrorContains(t, w.Ready(), "build make-current")
	require.Equal(t, 1, logs.FilterLevelExact(zapcore.ErrorLevel).Len())
	look(beatEvery, gone)
	require.Equal(t, 1, logs.Len(), "not at each look")
	look(sayAgain, gone)
	require.Equal(t, 2, logs.Len(), "but as long as it lasts")

	look(time.Second, back)
	require.NoError(t, w.Ready())
	require.Equal(t, 3, logs.Len(), "the end is told, too")
	look(time.Second, Dispatch{})
	look(stoppedFor, Dispatch{})
	require.ErrorContains(t, w.Ready(), "no build of the deployment perennial is current")
}

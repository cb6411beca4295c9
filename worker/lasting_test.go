package worker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLasting_SaysOnceItHasLastedAndThenNowAndAgain(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var fault lasting
	var said []time.Duration
	for at := time.Duration(0); at <= 3*sayAgain; at += time.Second {
		if since, say := fault.seen(start.Add(at)); say {
			said = append(said, since)
		}
	}
	require.Equal(t, []time.Duration{stoppedFor, stoppedFor + sayAgain, stoppedFor + 2*sayAgain}, said)
}

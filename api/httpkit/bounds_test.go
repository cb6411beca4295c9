package httpkit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBounds_ResponseWithinTenSeconds(t *testing.T) {
	t.Parallel()
	b := usualBounds
	require.LessOrEqual(t, b.Key+b.Answer+b.After, 10*time.Second)
	require.Less(t, b.InFlight, b.Answer, "who repeats a running request is told 409, not 503")
}

package httpkit

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPrefer_RFC7240(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]wait{
		"": 0, "wait=5": wait(5 * time.Second), "WAIT = 5": wait(5 * time.Second), `wait="7"`: wait(7 * time.Second),
		"return=minimal, wait=3; foo": wait(3 * time.Second), "wait=0": 0, "wait=100000": wait(maxWait), "handling=strict": 0,
	} {
		got, err := parsePrefer(http.Header{"Prefer": {header}}, true)
		require.NoError(t, err, header)
		require.Equal(t, want, got, header)
	}
	for _, header := range []string{"wait", "wait=", "wait=-1", "wait=1.5", "wait=99999999999"} {
		_, err := parsePrefer(http.Header{"Prefer": {header}}, true)
		require.Error(t, err, header)
		_, err = parsePrefer(http.Header{"Prefer": {header}}, false)
		require.Error(t, err, "a malformed header is refused everywhere")
	}
	ignored, err := parsePrefer(http.Header{"Prefer": {"wait=5"}}, false)
	require.NoError(t, err)
	require.Zero(t, ignored)
}

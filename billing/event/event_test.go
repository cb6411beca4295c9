package event

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKnown_EveryTypeAndNoOther(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("event.go")
	require.NoError(t, err)
	declared := regexp.MustCompile(`Type = "([a-z_.]+)"`).FindAllStringSubmatch(string(source), -1)
	require.Len(t, types, len(declared), "a new type belongs into the list too")
	for _, d := range declared {
		require.True(t, Type(d[1]).Known(), d[1])
	}
	require.False(t, Type("payment.succeeded").Known())
	require.False(t, Type("").Known())
}

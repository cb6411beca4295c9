package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShows_DigitsOnlyAsAWord(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"cardSummary":"4242"}`, "042862:4242:03/2030", "card 4242", "4242"} {
		require.True(t, shows(text, "4242"), text)
	}
	for _, text := range []string{"dial tcp 127.0.0.1:42421: refused", "127.0.0.1:54242", "QX4242ABCDEFGHIJ", ""} {
		require.False(t, shows(text, "4242"), text)
	}
	require.True(t, shows("the key sk_test_1 is wrong", "sk_test"))
	require.False(t, shows("the key is wrong", "sk_test"))
}

package cli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSuggestions(t *testing.T) {
	t.Parallel()
	known := []string{"serve", "simulator", "dev"}
	for word, want := range map[string]string{
		"serve": "serve", "srve": "serve", "sevre": "serve", "simulater": "simulator", "d": "dev", "worker": "", "": "",
	} {
		got := suggestion(word, known)
		if want == "" {
			require.Empty(t, got, word)
			continue
		}
		require.Contains(t, got, `"`+want+`"`, word)
	}
}

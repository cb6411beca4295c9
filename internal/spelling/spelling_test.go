package spelling_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/internal/spelling"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"doctor", "doctor", 0}, {"docter", "doctor", 1}, {"kitten", "sitting", 3},
		{"immediateefect", "immediateeffect", 1}, {"ab", "ba", 2},
	} {
		require.Equal(t, c.want, spelling.Distance(c.a, c.b), "%s and %s", c.a, c.b)
		require.Equal(t, c.want, spelling.Distance(c.b, c.a), "%s and %s", c.b, c.a)
	}
}

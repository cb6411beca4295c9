package event

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/internal/statedoc"
)

func TestKnown_EveryTypeAndNoOther(t *testing.T) {
	t.Parallel()
	declared := statedoc.Consts(t, "Type")
	require.Len(t, Catalogue(), len(declared), "a new type belongs into the catalogue too")
	for _, d := range declared {
		require.True(t, Type(d).Known(), d)
	}
	require.False(t, Type("payment.succeeded").Known())
	require.False(t, Type("").Known())
}

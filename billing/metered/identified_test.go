package metered_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/metered"
)

// A price that charges the same keeps its id in the next version, so that cumulated tiers continue; others get a new
// id.
func TestPrices_Identified(t *testing.T) {
	t.Parallel()
	n := 0
	next := func() string { n++; return fmt.Sprint("new_", n) }
	ids := func(p metered.Prices) (ids []string) {
		for _, c := range p.Components {
			ids = append(ids, c.ID)
		}
		return ids
	}
	first, second := calls(metered.Rate{Price: perUnit}), calls(metered.Rate{Price: graduated})
	first.ID, second.ID = "price_1", "price_2"
	was := &metered.Prices{
		Components: []metered.Component{first, second}, Commitment: &metered.Commitment{ID: "price_3", Amount: 1},
	}

	second.Name, second.ID = "Called otherwise", ""
	other := calls(metered.Rate{Price: perUnit})
	other.Cumulated = true
	now := metered.Prices{Components: []metered.Component{second, other, first, first}, Commitment: was.Commitment}
	out := now.Identified(was, next)

	require.Equal(t, []string{"price_2", "new_1", "price_1", "new_2"}, ids(out))
	require.Equal(t, "new_3", out.Commitment.ID)
	require.Equal(t, "price_3", was.Commitment.ID, "the version before was changed")
	require.Empty(t, now.Components[0].ID, "the prices themselves were changed")
	require.Equal(t, []string{"new_4", "new_5"}, ids((&metered.Prices{Components: was.Components}).Identified(nil, next)))
}

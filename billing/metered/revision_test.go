package metered_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/metered"
)

// A version keeps all omitted parts.
func TestRevision_Of(t *testing.T) {
	t.Parallel()
	one, other := calls(metered.Rate{Price: perUnit}), calls(metered.Rate{Price: graduated})
	commitment, dearer := &metered.Commitment{Amount: 5000}, &metered.Commitment{Amount: 9000}
	now := &metered.Prices{Components: []metered.Component{one}, Commitment: commitment}
	least, more := &metered.Minimum{Amount: 900}, &metered.Minimum{Amount: 1000}
	first, second, none := []metered.Threshold{{Amount: 5}}, []metered.Threshold{{Amount: 6}}, []metered.Threshold{}
	withLeast := func(m *metered.Minimum) *metered.Prices {
		return &metered.Prices{Components: now.Components, Commitment: commitment, Minimum: m}
	}
	announced := func(all []metered.Threshold) *metered.Prices {
		return &metered.Prices{Components: now.Components, Commitment: commitment, Thresholds: all}
	}
	all := withLeast(least)
	all.Thresholds = first
	for name, c := range map[string]struct {
		now      *metered.Prices
		revision metered.Revision
		want     *metered.Prices
	}{
		"nothing": {now: now, want: now},
		"of none": {},
		"prices": {
			now, metered.Revision{Components: []metered.Component{other}},
			&metered.Prices{Components: []metered.Component{other}, Commitment: commitment},
		},
		"a commitment": {
			now, metered.Revision{Commitment: dearer}, &metered.Prices{Components: []metered.Component{one}, Commitment: dearer},
		},
		"no commitment": {
			now, metered.Revision{Commitment: &metered.Commitment{}}, &metered.Prices{Components: []metered.Component{one}},
		},
		"no prices":            {now, metered.Revision{Components: []metered.Component{}}, nil},
		"a commitment to none": {nil, metered.Revision{Commitment: dearer}, &metered.Prices{Commitment: dearer}},
		"a minimum":            {now, metered.Revision{Minimum: least}, withLeast(least)},
		"another minimum":      {withLeast(least), metered.Revision{Minimum: more}, withLeast(more)},
		"no minimum":           {withLeast(least), metered.Revision{Minimum: &metered.Minimum{}}, now},
		"the minimum stays":    {withLeast(least), metered.Revision{}, withLeast(least)},
		"a minimum alone":      {nil, metered.Revision{Minimum: least}, &metered.Prices{Minimum: least}},
		"thresholds":           {now, metered.Revision{Thresholds: first}, announced(first)},
		"other thresholds":     {announced(first), metered.Revision{Thresholds: second}, announced(second)},
		"no thresholds":        {announced(first), metered.Revision{Thresholds: none}, now},
		"the thresholds stay":  {announced(first), metered.Revision{Commitment: commitment}, announced(first)},
		"no prices, nothing to announce": {
			announced(first), metered.Revision{Components: []metered.Component{}}, nil,
		},
		"no prices, though thresholds": { // Prices.Check refuses it
			now, metered.Revision{Components: []metered.Component{}, Thresholds: first},
			&metered.Prices{Components: []metered.Component{}, Thresholds: first},
		},
		"thresholds of none": {nil, metered.Revision{Thresholds: first}, &metered.Prices{Thresholds: first}},
		"a minimum is left of announced prices": {
			all, metered.Revision{Components: []metered.Component{}},
			&metered.Prices{Components: []metered.Component{}, Minimum: least},
		},
		"replaced by all": {nil, metered.Replaced(all), all},
		"replaced": {
			now, metered.Replaced(&metered.Prices{Components: []metered.Component{other}}),
			&metered.Prices{Components: []metered.Component{other}},
		},
		"replaced by none":    {now, metered.Replaced(nil), nil},
		"replaced by a whole": {nil, metered.Replaced(now), now},
	} {
		require.Equal(t, c.want, c.revision.Of(c.now), name)
	}
}

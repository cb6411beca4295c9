package event_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/billing/fault"
)

func TestPattern_Matches(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[event.Pattern][]event.Type{
		"payment.success": {event.TypePaymentSuccess},
		"plan.*":          {event.TypePlanCreated, event.TypePlanUpdated},
		"plan.created":    {event.TypePlanCreated},
		"plan":            nil,
		"pla*":            nil,
		"*.created":       nil,
		"":                nil,
		".*":              nil,
	} {
		var got []event.Type
		for _, data := range event.Catalogue() {
			require.True(t, event.Every.Matches(data.Type()))
			if pattern.Matches(data.Type()) {
				got = append(got, data.Type())
			}
		}
		require.Equal(t, want, got, pattern)
		err := pattern.Check()
		require.Equal(t, want != nil, err == nil, pattern)
		if err != nil {
			require.Equal(t, "event_type_unknown", fault.From(err).Code)
		}
	}
	require.NoError(t, event.Every.Check())
}

func TestDisjoint_ChoosesTheSameTypesOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ given, want []event.Pattern }{
		{nil, nil},
		{[]event.Pattern{"plan.created", "*"}, nil},
		{[]event.Pattern{"plan.created", "plan.created"}, []event.Pattern{"plan.created"}},
		{[]event.Pattern{"plan.created", "plan.*", "plan.*"}, []event.Pattern{"plan.*"}},
		{[]event.Pattern{"plan.*", "payment.failed"}, []event.Pattern{"plan.*", "payment.failed"}},
	} {
		require.Equal(t, c.want, event.Disjoint(c.given), "%v", c.given)
	}
}

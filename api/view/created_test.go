package view_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/view"
	"perennial/billing/fault"
)

func TestCreated_Span(t *testing.T) {
	at := func(s int64) time.Time {
		if s == 0 {
			return time.Time{}
		}
		return time.Unix(s, 0).UTC()
	}
	for _, c := range []struct {
		in       view.Created
		from, to int64 // 0: open
	}{
		{view.Created{}, 0, 0},
		{view.Created{From: 10}, 10, 0},
		{view.Created{After: 10}, 11, 0},
		{view.Created{Before: 10}, 0, 10},
		{view.Created{UpTo: 10}, 0, 11},
		{view.Created{From: 10, UpTo: 10}, 10, 11},
		{view.Created{From: 10, After: 12, UpTo: 20, Before: 19}, 13, 19},
		{view.Created{From: 12, After: 10, UpTo: 17, Before: 19}, 12, 18},
	} {
		from, to, err := c.in.Span()
		require.NoError(t, err, "%+v", c.in)
		require.Equal(t, at(c.from), from, "%+v", c.in)
		require.Equal(t, at(c.to), to, "%+v", c.in)
	}
	for _, in := range []view.Created{{From: 10, Before: 10}, {After: 10, UpTo: 10}, {After: 9, Before: 10}} {
		_, _, err := in.Span()
		require.Equal(t, "time_span_empty", fault.From(err).Code, "%+v", in)
	}
}

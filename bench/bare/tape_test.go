package bare

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/internal/id"
)

func TestTape_ChangesOnlyValuesOfOneRun(t *testing.T) {
	t.Parallel()
	now := time.Now()
	env, sub, event := id.New(id.Environment, now), id.New(id.Subscription, now), id.New(id.Event, now)
	type name string
	tape, err := newTape(recorded{{
		{SQL: "begin"},
		{SQL: "-- name: X :exec\nselect 1", Arguments: []any{env}},
	}, {
		{SQL: "-- name: Y :exec\ninsert into t", Arguments: []any{
			env, &sub, name(sub), map[string]any{"id": sub}, []byte(`"` + event + `"`), 7, nil, now,
			[]string{"", sub},
		}},
		{SQL: "commit"},
	}}, map[string]bool{env: true})
	require.NoError(t, err)

	vars := Vars{sub: "sub_now"}
	var got []any
	for _, a := range tape.trips[1][0].args {
		if a.make != nil {
			got = append(got, a.make(vars))
		} else {
			got = append(got, a.value)
		}
	}
	fresh := vars[event]
	require.True(t, id.Is(id.Event, fresh))
	require.NotEqual(t, event, fresh)
	require.Equal(t, []any{
		env, "sub_now", "sub_now", `{"id":"sub_now"}`, []byte(`"` + fresh + `"`), 7, nil, now, []string{"", "sub_now"},
	}, got)
}

func TestTape_WritesOnlyKeepsOrder(t *testing.T) {
	t.Parallel()
	statements := func(sql ...string) []*pgx.QueuedQuery {
		var out []*pgx.QueuedQuery
		for _, s := range sql {
			out = append(out, &pgx.QueuedQuery{SQL: s})
		}
		return out
	}
	tape, err := newTape(recorded{
		statements("begin", "-- name: A :one\n\nselect 1 for update", "-- name: B :many\n-- a remark\nSELECT 2"),
		statements("-- name: C :exec\nwith n as (select 1) insert into t", "-- name: D :exec\nupdate t", "commit"),
	}, nil)
	require.NoError(t, err)
	n, trips := tape.statements()
	require.Equal(t, []int{6, 2}, []int{n, trips})

	var kept []string
	only := tape.writesOnly()
	require.Len(t, only.trips, 1)
	for _, s := range only.trips[0] {
		kept = append(kept, s.sql)
	}
	require.Equal(t, []string{
		"begin", "-- name: C :exec\nwith n as (select 1) insert into t", "-- name: D :exec\nupdate t", "commit",
	}, kept)
}

package rows

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type pair struct{ id, note, position string }

var pairs = table[pair]{
	name:    "pairs",
	columns: []string{"id", "note", "position"},
	value:   func(row *pair, column int) any { return []any{row.id, row.note, row.position}[column] },
}

func TestStatement_NamesColumnsOnceAndInOrder(t *testing.T) {
	t.Parallel()
	s := pairs.build("PairUpdate", `
update pairs set {assignments} where note <> @note and id = @id`, pairs.but("id"), computed{"position": "position + 1"})
	require.Equal(
		t,
		"-- name: PairUpdate :exec\nupdate pairs set note = $1, position = position + 1 where note <> $1 and id = $2", s.sql,
	)
	require.Equal(t, []any{"a note", "p_1"}, s.values(&pair{id: "p_1", note: "a note", position: "7"}))

	s = pairs.build("PairInsert", `
insert into pairs ({columns}) values ({values})`, pairs.but("position"), computed{"note": "upper(@note)"})
	require.Equal(t, "-- name: PairInsert :exec\ninsert into pairs (id, note) values ($1, upper($2))", s.sql)
	require.Equal(t, []any{"p_1", "a note"}, s.values(&pair{id: "p_1", note: "a note"}))
	require.Equal(t, []any{"a note"}, pairs.copying(pairs.only("note")).picked.values(&pair{note: "a note"}))
}

func TestStatement_UnknownColumns(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func(){
		"left out": func() { pairs.but("notes") },
		"named":    func() { pairs.only("notes") },
		"in text":  func() { pairs.build("Pair", " @notes", nil, nil) },
		"computed": func() { pairs.build("Pair", "", pairs.only("id"), computed{"note": "1"}) },
	} {
		require.Panics(t, build, name)
	}
}

// `sqlc vet` holds this of the queries in db/queries (environment-always-given in sqlc.yaml); here none is global.
func TestStatements_GiveTheirEnvironment(t *testing.T) {
	t.Parallel()
	given := regexp.MustCompile(`environment_id = \$[0-9]+|insert into [a-z_]+ \((id, )?environment_id`)
	require.NotEmpty(t, Written())
	for _, sql := range Written() {
		name, _, ok := strings.Cut(strings.TrimPrefix(sql, "-- name: "), " ")
		require.True(t, ok)
		require.Regexp(t, given, sql, name)
	}
}

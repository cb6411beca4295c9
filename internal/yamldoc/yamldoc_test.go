package yamldoc_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/internal/yamldoc"
)

const text = `# prices
plans:
  team: &team
    name: Team
    prices:
      - amount: 4900
      - unitPrice: 4.50
        note: "7"
  copy: *team
  since: 2026-11-23
  none: null
  sold: true
`

func TestParse_ValuesLinesAndOrder(t *testing.T) {
	t.Parallel()
	d, err := yamldoc.Parse([]byte(text))
	require.NoError(t, err)

	team := map[string]any{"name": "Team", "prices": []any{
		map[string]any{"amount": json.Number("4900")},
		map[string]any{"unitPrice": json.Number("4.50"), "note": "7"},
	}}
	require.Equal(t, map[string]any{"plans": map[string]any{
		"team": team, "copy": team, "since": "2026-11-23", "none": nil, "sold": true,
	}}, d.Value)
	require.Equal(t, []string{"team", "copy", "since", "none", "sold"}, d.Keys("plans"))
	for path, line := range map[string]int{
		"plans.team": 3, "plans.team.prices[1].unitPrice": 7, "plans.team.prices[1].absent": 7, "plans.team.prices[9]": 5,
		"absent": 2, "": 2,
	} {
		require.Equal(t, line, d.Line(path), path)
	}
}

func TestParse_RefusesWithTheLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a: 1\nb: 2\na: 3": "line 3: a: it is there twice, first on line 1",
		"a:\n  b: 0x10":    `line 2: a.b: "0x10" is not a number in plain digits; quote it if it is a text`,
		"a: .inf":          `line 1: a: ".inf" is not a number in plain digits; quote it if it is a text`,
		"a: &x\n  b: *x":   "nested too deeply",
		"? [1]\n: 2":       "line 1: a key must be a text",
		"a: [1":            "line 1: did not find expected",
		"a: 1\n\tb: 2":     "line 2: found a tab character",

		"a: 1\n---\nb: 2\n":          "line 2: a second document begins here; the file must have one",
		"---\na: 1\n---\n":           "line 3: a second document begins here",
		"a: 1\n---\nb: [2\n":         "line 2: did not find expected",
		"a: &x {b: 1}\nc:\n  <<: *x": "line 3: c: merge keys (<<) are not supported: write the fields out",
	} {
		_, err := yamldoc.Parse([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
	for _, text := range []string{"", "# nothing\n", "---\n"} {
		d, err := yamldoc.Parse([]byte(text))
		require.NoError(t, err, text)
		require.Nil(t, d.Value)
	}
	for _, text := range []string{"# one\n---\na: '<<'\n...\n", "'<<': b"} {
		_, err := yamldoc.Parse([]byte(text))
		require.NoError(t, err, text)
	}
}

func TestRender_IsReadBackAsItWas(t *testing.T) {
	t.Parallel()
	in := struct {
		Name   string           `json:"name"`
		Price  string           `json:"price"`
		Amount int64            `json:"amount"`
		Notes  map[string]any   `json:"notes"`
		Tiers  []map[string]any `json:"tiers"`
	}{
		"Team: monthly", "4.50", 4900, map[string]any{"a": true, "b": nil, "c": json.Number("1.50"), "d": "yes", "e": "null"},
		[]map[string]any{{"upTo": "10"}},
	}

	out, err := yamldoc.Render(in)

	require.NoError(t, err)
	require.Contains(t, string(out), "name: 'Team: monthly'\nprice: \"4.50\"\namount: 4900\n")
	back, err := yamldoc.Parse(out)
	require.NoError(t, err)
	is, err := json.Marshal(back.Value)
	require.NoError(t, err)
	was, err := json.Marshal(in)
	require.NoError(t, err)
	require.JSONEq(t, string(was), string(is))
}

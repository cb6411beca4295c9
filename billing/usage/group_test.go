package usage

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A group is the JSON of its values for both writers: it is a part of stored rows.
func TestGroupOf_IsJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names, p := []string{"a", "b", "c"}, Properties{}
		values := make([]*string, len(names))
		for i, name := range names {
			if rapid.Bool().Draw(t, "has") {
				value := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~]{0,9}`)).Draw(t, name)
				p[name], values[i] = value, &value
			}
		}
		var want strings.Builder
		encoder := json.NewEncoder(&want)
		encoder.SetEscapeHTML(false)
		require.NoError(t, encoder.Encode(values))
		require.Equal(t, strings.TrimSpace(want.String()), string(groupOf(names, p)))
	})
}

// Special characters of JSON in values.
func TestGroupOf_Escapes(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]Group{
		"~ ": `["~ "]`, "\n": `["\n"]`, `"`: `["\""]`, `\`: `["\\"]`, "\u2028": `["\u2028"]`, "ü": `["ü"]`, "<": `["<"]`,
	} {
		require.Equal(t, want, groupOf([]string{"a"}, Properties{"a": value}))
	}
}

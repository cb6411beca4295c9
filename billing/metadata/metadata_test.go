package metadata_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/metadata"
)

func TestMetadata_RoundTrip(t *testing.T) {
	t.Parallel()
	for _, note := range []string{
		`"text"`, `""`, `true`, `false`, `null`, `0`, `-0`, `1.5`, `1.50`, `1e-7`, `12345678901234567890.000000000000000001`,
	} {
		sent := `{"note":` + note + `}`
		var pairs metadata.Pairs
		require.NoError(t, json.Unmarshal([]byte(sent), &pairs), note)
		require.NoError(t, pairs.Check(), note)
		back, err := json.Marshal(pairs)
		require.NoError(t, err)
		require.Equal(t, sent, string(back), "to the letter")
	}
}

func TestMetadata_IsBounded(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("é", n) }
	digits := func(n int) json.Number { return json.Number(strings.Repeat("9", n)) }
	for name, c := range map[string]struct {
		pairs       metadata.Pairs
		code, param string
	}{
		"none": {nil, "", ""},
		"longest": {metadata.Pairs{long(metadata.MaxKey): long(metadata.MaxText), "n": digits(metadata.MaxNumber)},
			"", ""},
		"no key": {metadata.Pairs{"": "x"}, "metadata_too_large", "metadata"},
		"long key": {metadata.Pairs{long(metadata.MaxKey + 1): true}, "metadata_too_large",
			"metadata." + long(metadata.MaxKey+1)},
		"long text":        {metadata.Pairs{"a": long(metadata.MaxText + 1)}, "metadata_too_large", "metadata.a"},
		"long number":      {metadata.Pairs{"a": digits(metadata.MaxNumber + 1)}, "metadata_too_large", "metadata.a"},
		"an object":        {metadata.Pairs{"a": map[string]any{}}, "type_wrong", "metadata.a"},
		"a list":           {metadata.Pairs{"a": []any{}}, "type_wrong", "metadata.a"},
		"the first by key": {metadata.Pairs{"b": []any{}, "a": []any{}, "c": []any{}}, "type_wrong", "metadata.a"},
	} {
		err := c.pairs.Check()
		if c.code == "" {
			require.NoError(t, err, name)
			continue
		}
		f := fault.From(err)
		require.Equal(t, c.code, f.Code, name)
		require.Equal(t, c.param, f.Param, name)
	}
	require.Error(t, json.Unmarshal([]byte(`[]`), &metadata.Pairs{}))
}

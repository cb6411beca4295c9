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

func TestSame_NumbersCountByValue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"1000", "1e3", true},
		{"1000", "1E+3", true},
		{"1.50", "1.5", true},
		{"0.0015", "15e-4", true},
		{"-0", "0", true},
		{"0e9", "0.00", true},
		{"-20", "-2e1", true},
		{"1000", "1e2", false},
		{"2", "-2", false},
		{"0", "1", false},
		{"12345678901234567890.1", "12345678901234567890.2", false},
		{"1e99999999999999999999", "1e99999999999999999999", true},
		{"1e99999999999999999999", "10e99999999999999999998", false}, // not known, so not taken for the same
		{`"1e3"`, "1000", false},
		{`"1e3"`, `"1000"`, false},
		{"null", "0", false},
		{"true", "true", true},
	} {
		var a, b metadata.Pairs
		require.NoError(t, json.Unmarshal([]byte(`{"note":`+c.a+`}`), &a))
		require.NoError(t, json.Unmarshal([]byte(`{"note":`+c.b+`}`), &b))
		require.Equal(t, c.same, a.Same(b), "%s and %s", c.a, c.b)
		require.Equal(t, c.same, b.Same(a), "%s and %s", c.b, c.a)
	}
	require.True(t, metadata.Pairs(nil).Same(metadata.Pairs{}))
	require.False(t, metadata.Pairs{"a": nil}.Same(metadata.Pairs{"b": nil}))
}

package strictjson

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/fault"
)

// encoding/json reads every text that passes the strict check, and in one way only.
func TestStrictJSON_AcceptsOnlyJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		v := anyValue(4).Draw(rt, "v")
		encoded, err := json.Marshal(v)
		require.NoError(rt, err)
		if at := rapid.IntRange(0, 2*len(encoded)).Draw(rt, "spoil at"); at < len(encoded) {
			encoded[at] = rapid.Byte().Draw(rt, "with")
		}
		if Check(encoded) != nil {
			return
		}
		var out any
		require.NoError(rt, json.Unmarshal(encoded, &out))
		require.NotContains(rt, fmt.Sprint(out), "\x00")
	})
}

// Texts for people must show their contents. A caller's own notes are the caller's.
func TestStrictJSON_TextsShowThemselves(t *testing.T) {
	t.Parallel()
	for body, refused := range map[string]bool{
		`{"name":"Ada"}`: false, `{"name":" "}`: false, `{"name":""}`: false, `{"name":"\u200f\u0645\u200f"}`: false,
		`{"name":"\u200b"}`: true, `{"name":"\ufeff\u2060 "}`: true, `{"name":"a\u202eb"}`: true, `{"a":["\u2066"]}`: true,
		`{"metadata":{"a":"\u200b","b":"\u202e"}}`: false, `{"metadata":{"a":"\u0000"}}`: true,
		`{"properties":{"a":"\u202e"}}`: false, `{"data":{"a":"\u200b"}}`: false,
	} {
		err := Check([]byte(body))
		require.Equal(t, refused, err != nil, body)
		if refused {
			require.Equal(t, "text_invalid", fault.From(err).Code, body)
		}
	}
}

func TestStrictJSON_NamesTheField(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 500_000)
	for body, want := range map[string]string{
		`{"a":[{"b":1},{"b":{"c":1.5}}]}`: "a[1].b.c",
		`[1,[2,null]]`:                    "[1][1]",
		`{"a":{"b":1,"b":2}}`:             "a.b",
		`{"` + long + `":null}`:           Clip(long),
	} {
		require.Equal(t, want, fault.From(Check([]byte(body))).Param)
	}
}

func anyValue(depth int) *rapid.Generator[any] {
	leaves := []*rapid.Generator[any]{
		rapid.Int64().AsAny(), rapid.Float64Range(-1e9, 1e9).AsAny(), rapid.String().AsAny(), rapid.Bool().AsAny(),
		rapid.Just(any(nil)),
	}
	if depth > 0 {
		leaves = append(leaves, rapid.SliceOfN(anyValue(depth-1), 0, 3).AsAny(),
			rapid.MapOfN(rapid.SampledFrom([]string{"amount", "model", "a"}), anyValue(depth-1), 0, 3).AsAny())
	}
	return rapid.OneOf(leaves...)
}

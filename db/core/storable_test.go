package core

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
)

func TestStorable_Texts(t *testing.T) {
	t.Parallel()
	ref := "pi_\x00"
	list := []string{"a", "\xff", "b\x00"}
	got := storable([]any{
		"a\x00b\xed\xa0\x80c", &ref, list, payment.Status("x\x00"), []payment.Status{"\x00"}, 7, nil, []byte{0, 0xff},
	})
	want := "pi_\uFFFD"
	require.Equal(t, []any{
		"a\uFFFDb\uFFFDc", &want, []string{"a", "\uFFFD", "b\uFFFD"}, payment.Status("x\uFFFD"),
		[]payment.Status{"\uFFFD"}, 7, nil, []byte{0, 0xff},
	}, got)
	require.Equal(t, "pi_\x00", ref, "what an argument refers to stays as it is")
	require.Equal(t, []string{"a", "\xff", "b\x00"}, list)
}

func TestStorable_JSON(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"a":"b"}`:                        `{"a":"b"}`,
		`"\u0000"`:                         `"` + replacement + `"`,
		`"\\u0000"`:                        `"\\u0000"`,
		`"\\\u0000"`:                       `"\\` + replacement + `"`,
		`"\ud83d\ude00"`:                   `"\ud83d\ude00"`,
		`"\uD83D\uDE00"`:                   `"\uD83D\uDE00"`,
		`"\ud83d"`:                         `"` + replacement + `"`,
		`"\ude00\ud83d"`:                   `"` + replacement + replacement + `"`,
		`"\ud83d\ud83d\ude00"`:             `"` + replacement + `\ud83d\ude00"`,
		`"\ud83d\n\u00e9"`:                 `"` + replacement + `\n\u00e9"`,
		"{\"\\u0000\":\"\xff\",\"b\":[1]}": `{"` + replacement + `":"` + replacement + `","b":[1]}`,
	} {
		require.Equal(t, want, string(storableJSON([]byte(raw))), raw)
	}
}

package locale_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/internal/locale"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{
		"de": "de", "pt-BR": "pt-BR", "zh-Hant-TW": "zh-Hant-TW", "es-419": "es-419", "de-ch-1901": "de-CH-1901",
		"DE_de": "de-DE", "sw-ke": "sw-KE",
		"": "", "und": "", "english": "", "qq": "", "de-XY-": "", "de-QQQQ": "", "en-u-ca-buddhist": "", "C": "",
		"de DE": "", "x-private": "",
	} {
		got, ok := locale.Canonical(tag)
		require.Equal(t, want, got, tag)
		require.Equal(t, want != "", ok, tag)
	}
}

package hostname_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/internal/hostname"
)

func TestToASCII(t *testing.T) {
	t.Parallel()
	label := strings.Repeat("a", 63)
	for name, want := range map[string]string{
		"example.com":                    "example.com",
		"Example.COM.":                   "example.com",
		"my_host.example.com":            "my_host.example.com",
		"münchen.example":                "xn--mnchen-3ya.example",
		"xn--mnchen-3ya.example":         "xn--mnchen-3ya.example",
		"例え.テスト":                         "xn--r8jz45g.xn--zckzah",
		"localhost":                      "localhost",
		label + ".com":                   label + ".com",
		label + "a.com":                  "",
		strings.Repeat("a.", 128):        "",
		"１２７.0.0.1":                      "",
		"example。com":                    "",
		"ｅxample.com":                    "",
		"①.example.com":                  "",
		"exa\u200bmple.com":              "",
		"exa\u00admple.com":              "",
		"-a.com":                         "",
		"a-.com":                         "",
		"a..com":                         "",
		"":                               "",
		".":                              "",
		"a b.com":                        "",
		"a\x00.com":                      "",
		"xn--a.com":                      "",
		"\u202eexample.com":              "",
		strings.Repeat("ä", 60) + ".com": "",
	} {
		got, ok := hostname.ToASCII(name)
		require.Equal(t, want != "", ok, "%q became %q", name, got)
		if ok {
			require.Equal(t, want, got, name)
		}
	}
}

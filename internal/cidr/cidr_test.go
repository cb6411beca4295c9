package cidr_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/internal/cidr"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"10.1.2.3/8":           "10.0.0.0/8",
		"2001:db8::5/32":       "2001:db8::/32",
		"::/0":                 "::/0",
		"::ffff:127.0.0.1/128": "127.0.0.1/32",
		"::ffff:10.1.2.3/104":  "10.0.0.0/8",
		"::ffff:0:0/96":        "0.0.0.0/0",
		"::ffff:10.0.0.1/64":   "",
		"10.0.0.1":             "",
		"10.0.0.0/33":          "",
		"fe80::1%eth0/64":      "",
		"１０.0.0.0/8":           "",
		"":                     "",
	} {
		got, err := cidr.Parse(text)
		if want == "" {
			require.Error(t, err, text)
			continue
		}
		require.NoError(t, err, text)
		require.Equal(t, want, got.String(), text)
	}
}

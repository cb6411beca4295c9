package wire

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReachable(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"0.0.0.0:80": "127.0.0.1:80", "[::]:80": "127.0.0.1:80", ":80": "127.0.0.1:80", "10.1.2.3:80": "10.1.2.3:80",
		"odd":               "odd",
		"db.example.com:80": "db.example.com:80",
	} {
		require.Equal(t, want, Reachable(address), address)
	}
}

package apikey_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/internal/apikey"
)

func TestNew_ShowsKindAndModeOnly(t *testing.T) {
	t.Parallel()
	for prefix, want := range map[string]struct {
		kind apikey.Kind
		mode apikey.Mode
	}{
		"sk_test_": {apikey.Secret, apikey.Test},
		"sk_live_": {apikey.Secret, apikey.Live},
		"pk_test_": {apikey.Publishable, apikey.Test},
		"pk_live_": {apikey.Publishable, apikey.Live},
	} {
		key := apikey.New(want.kind, want.mode)
		require.True(t, strings.HasPrefix(key.Plain, prefix), key.Plain)
		sum := sha256.Sum256([]byte(key.Plain))
		require.Equal(t, sum[:], key.Hash)

		kind, mode, ok := apikey.Parse(key.Plain)
		require.True(t, ok)
		require.Equal(t, want.kind, kind)
		require.Equal(t, want.mode, mode)
		require.NotEqual(t, key.Plain, apikey.New(want.kind, want.mode).Plain)
	}
}

func TestKey_IsNotPrinted(t *testing.T) {
	t.Parallel()
	key := apikey.New(apikey.Secret, apikey.Test)
	for _, printed := range []string{fmt.Sprint(key), fmt.Sprintf("%v %+v %#v %s", key, key, key, key)} {
		require.NotContains(t, printed, key.Plain)
		require.NotContains(t, printed, key.Plain[8:len(key.Plain)-4])
	}
}

func TestParse_Refuses(t *testing.T) {
	t.Parallel()
	good := apikey.New(apikey.Secret, apikey.Test).Plain
	for name, s := range map[string]string{
		"empty":         "",
		"no prefix":     good[len("sk_test_"):],
		"other prefix":  "xx_" + good[3:],
		"no mode":       "sk_" + good[len("sk_test_"):],
		"other mode":    "sk_prod_" + good[len("sk_test_"):],
		"too short":     good[:len(good)-1],
		"too long":      good + "A",
		"bad character": good[:len(good)-1] + "!",
		"line break":    "sk_test_" + strings.Repeat("A", 42) + "\n",
	} {
		_, _, ok := apikey.Parse(s)
		require.False(t, ok, name)
	}
}

package vault

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/fault"
)

var place = Field{AppID: "app_1", ConfigID: "pp_1", Name: "secretKey"}

func open(t require.TestingT) (v *Vault, wrapped, sealed []byte) {
	v, err := New(NewKEK())
	require.NoError(t, err)
	wrapped, err = v.NewAppKeyset(place.AppID)
	require.NoError(t, err)
	sealed, err = v.Seal(wrapped, place, []byte("sk_test_secret"))
	require.NoError(t, err)
	return v, wrapped, sealed
}

func TestSealAndOpen(t *testing.T) {
	t.Parallel()
	v, wrapped, sealed := open(t)
	require.NotContains(t, string(sealed), "secret")
	got, err := v.Open(wrapped, place, sealed)
	require.NoError(t, err)
	require.Equal(t, "sk_test_secret", string(got))

	again, err := v.Seal(wrapped, place, []byte("sk_test_secret"))
	require.NoError(t, err)
	require.NotEqual(t, sealed, again, "equal values must not look equal")
}

func TestOpen_RefusesMovedValue(t *testing.T) {
	t.Parallel()
	v, wrapped, sealed := open(t)
	for name, field := range map[string]Field{
		"other configuration": {AppID: "app_1", ConfigID: "pp_2", Name: "secretKey"},
		"other field":         {AppID: "app_1", ConfigID: "pp_1", Name: "webhookSecret"},
		"a version":           {AppID: "app_1", ConfigID: "pp_1", Name: "secretKey", Version: 1},
		"shifted boundary":    {AppID: "app_1", ConfigID: "pp_1s", Name: "ecretKey"},
	} {
		_, err := v.Open(wrapped, field, sealed)
		require.Equal(t, "credential_unreadable", fault.From(err).Code, name)
	}
	_, err := v.Open(wrapped, Field{AppID: "app_2", ConfigID: "pp_1", Name: "secretKey"}, sealed)
	require.Equal(t, "keyset_unreadable", fault.From(err).Code, "the keyset belongs to its app")

	other, err := v.NewAppKeyset("app_1")
	require.NoError(t, err)
	_, err = v.Open(other, place, sealed)
	require.Equal(t, "credential_unreadable", fault.From(err).Code, "another keyset of the same app")
}

func TestOpen_RefusesChangedByte(t *testing.T) {
	t.Parallel()
	v, wrapped, sealed := open(t)
	rapid.Check(t, func(t *rapid.T) {
		keysetChanged := rapid.Bool().Draw(t, "keyset")
		w, s := append([]byte(nil), wrapped...), append([]byte(nil), sealed...)
		target := s
		if keysetChanged {
			target = w
		}
		target[rapid.IntRange(0, len(target)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		if got, err := v.Open(w, place, s); err == nil {
			t.Fatalf("decrypted to %q", got)
		}
	})
	for n := range sealed {
		_, err := v.Open(wrapped, place, sealed[:n])
		require.Error(t, err, "cut to %d bytes", n)
	}
}

func TestRewrap_ReplacesKeyEncryptionKey(t *testing.T) {
	t.Parallel()
	before, after := NewKEK(), NewKEK()
	v, err := New(before)
	require.NoError(t, err)
	wrapped, err := v.NewAppKeyset(place.AppID)
	require.NoError(t, err)
	sealed, err := v.Seal(wrapped, place, []byte("s"))
	require.NoError(t, err)

	both, err := New(after + "," + before)
	require.NoError(t, err)
	rewrapped, err := both.Rewrap(wrapped, place.AppID)
	require.NoError(t, err)

	alone, err := New(after)
	require.NoError(t, err)
	got, err := alone.Open(rewrapped, place, sealed)
	require.NoError(t, err)
	require.Equal(t, "s", string(got))
	_, err = alone.Open(wrapped, place, sealed)
	require.Equal(t, "keyset_unreadable", fault.From(err).Code)
}

func TestNew_RefusesWithoutShowingInput(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "hunter2", "kek_", "kek_hunter2!", "kek_aHVudGVyMg", NewKEK() + ",hunter2"} {
		_, err := New(text)
		require.Equal(t, "kek_invalid", fault.From(err).Code, text)
		require.NotContains(t, strings.ReplaceAll(err.Error(), "kek_invalid", ""), "hunter2")
	}
	first, second := NewKEK(), NewKEK()
	require.NotEqual(t, first, second)
}

func TestOpen_RefusesOtherVersion(t *testing.T) {
	t.Parallel()
	v, err := New(NewKEK())
	require.NoError(t, err)
	wrapped, err := v.NewAppKeyset("app_1")
	require.NoError(t, err)
	sealed, err := v.Seal(wrapped, Credentials("app_1", "pp_1", 2), []byte("s"))
	require.NoError(t, err)
	_, err = v.Open(wrapped, Credentials("app_1", "pp_1", 2), sealed)
	require.NoError(t, err)
	for _, version := range []int{0, 1, 3, 22} {
		_, err = v.Open(wrapped, Credentials("app_1", "pp_1", version), sealed)
		require.Equal(t, "credential_unreadable", fault.From(err).Code, "version %d", version)
	}
}

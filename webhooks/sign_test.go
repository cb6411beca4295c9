package webhooks_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/fault"
	"perennial/webhooks"
	"perennial/webhooks/verify"
)

var at = time.Unix(1763640000, 0)

// The expected values were computed with `openssl dgst -sha256 -hmac`.
func TestSign_Headers(t *testing.T) {
	t.Parallel()
	header, err := webhooks.Sign("evt_1", at, []byte(`{"a":1}`), "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
	require.NoError(t, err)
	require.Equal(t, "1763640000", header.Get("X-Service-Timestamp"))
	require.Equal(t, "7a318be5f76db4028d614bd7bba6082ccc18e4e6e1dbc78da9f12f8b3b37974e", header.Get("X-Service-Signature"))
	require.Empty(t, header.Values("X-Service-Signature-Previous"))
	require.Equal(t, "evt_1", header.Get("webhook-id"))
	require.Equal(t, "1763640000", header.Get("webhook-timestamp"))
	require.Equal(t, "v1,fVonULUFcFGaXrLjcGoy2li+PSVnXHKzHspCHaR3f14=", header.Get("webhook-signature"))
}

// The interface specification compares one hex string, so the header has only one: that of the newest secret.
func TestSign_Rotation(t *testing.T) {
	t.Parallel()
	newest, older, oldest, other := strings.Repeat("n", 20), strings.Repeat("o", 20), strings.Repeat("p",
		20), strings.Repeat("q", 20)
	body := []byte("{}")
	header, err := webhooks.Sign("evt_1", at, body, newest, older, oldest)
	require.NoError(t, err)
	alone, err := webhooks.Sign("evt_1", at, body, newest)
	require.NoError(t, err)

	require.Equal(t, alone.Get("X-Service-Signature"), header.Get("X-Service-Signature"))
	require.Len(t, strings.Split(header.Get("X-Service-Signature-Previous"), ","), 2)
	require.Len(t, strings.Split(header.Get("webhook-signature"), " "), 3)
	for _, secret := range []string{newest, older, oldest} {
		require.NoError(t, verify.Verify(header, body, []string{secret}, at))
	}
	require.ErrorIs(t, verify.Verify(header, body, []string{other}, at), verify.ErrMismatch)
	for name := range header {
		for _, secret := range []string{newest, older, oldest} {
			require.NotContains(t, header.Get(name), secret)
		}
	}
}

// Any body and any secret that may be registered: each form verifies alone, and no changed byte does.
func TestSign_AnyBodyAnySecret(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`(whsec_)?[!-~]{16,60}|whsec_([A-Za-z0-9+/]{4}){6,20}`).Draw(t, "secret")
		body := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "body")
		require.NoError(t, webhooks.CheckSecret(secret))
		header, err := webhooks.Sign("evt_1", at, body, "another-secret-of-ours", secret)
		require.NoError(t, err)
		for _, dropped := range []string{"X-Service-Timestamp", "webhook-timestamp"} {
			alone := header.Clone()
			alone.Del(dropped)
			require.NoError(t, verify.Verify(alone, body, []string{secret}, at))
			if len(body) == 0 {
				continue
			}
			changed := bytes.Clone(body)
			changed[rapid.IntRange(0, len(body)-1).Draw(t, "where")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
			require.ErrorIs(t, verify.Verify(alone, changed, []string{secret}, at), verify.ErrMismatch)
		}
	})
}

func TestSign_Refuses(t *testing.T) {
	t.Parallel()
	_, err := webhooks.Sign("evt_1", at, nil)
	require.ErrorIs(t, err, webhooks.ErrNoSecret)
	_, err = webhooks.Sign("evt_1", at, nil, "s", "")
	require.ErrorIs(t, err, webhooks.ErrNoSecret)
	_, err = webhooks.Sign("", at, nil, "s")
	require.ErrorIs(t, err, webhooks.ErrNoEventID)
}

func TestNewSecret(t *testing.T) {
	t.Parallel()
	got, err := webhooks.NewSecret(bytes.NewReader(bytes.Repeat([]byte("0123456789"), 4)))
	require.NoError(t, err)
	require.Equal(t, secret, got)
	require.NoError(t, webhooks.CheckSecret(got))
	require.Equal(t, "01234567890123456789012345678901", string(verify.Key(got)))

	broken := errors.New("no entropy")
	_, err = webhooks.NewSecret(iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)
}

func TestCheckSecret(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		secret, "whsec_my_own_webhook_secret", strings.Repeat("x", 16), strings.Repeat("~", 256), `a"b'c\d!e;f,g=h%i`,
	} {
		require.NoError(t, webhooks.CheckSecret(good), good)
	}
	for _, bad := range []string{
		"", "whsec_short", strings.Repeat("x", 15), strings.Repeat("x", 257), "a secret with spaces",
		"line\nbreak-in-the-middle", "schlüssel-mit-umlaut",
	} {
		err := webhooks.CheckSecret(bad)
		require.Error(t, err, bad)
		require.Equal(t, "webhook_secret_invalid", fault.From(err).Code)
		require.Equal(t, "secret", fault.From(err).Param)
		if bad != "" {
			require.NotContains(t, err.Error(), bad, "a secret does not get into an error")
		}
	}
}

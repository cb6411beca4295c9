package verify_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/webhooks/verify"
)

const (
	secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
	body   = `{"event":"payment.success"}`
	stamp  = "1763640000"
)

var signedAt = time.Unix(1763640000, 0)

func sum(key, text string) []byte {
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte(text))
	return h.Sum(nil)
}

func service() http.Header {
	h := http.Header{}
	h.Set("X-Service-Timestamp", stamp)
	h.Set("X-Service-Signature", hex.EncodeToString(sum(secret, stamp+"."+body)))
	return h
}

func standard() http.Header {
	h := http.Header{}
	h.Set("webhook-id", "evt_1")
	h.Set("webhook-timestamp", stamp)
	h.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(sum("01234567890123456789012345678901",
		"evt_1."+stamp+"."+body)))
	return h
}

// Either form alone is enough, and both tolerances include their bound.
func TestVerify_Tolerance(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]http.Header{"service": service(), "standard": standard()} {
		for late, want := range map[time.Duration]error{
			0: nil, 5 * time.Minute: nil, 5*time.Minute + time.Second: verify.ErrTooOld, 24 * time.Hour: verify.ErrTooOld,
			-time.Minute: nil, -time.Minute - time.Second: verify.ErrTooNew,
		} {
			err := verify.Verify(header, []byte(body), []string{secret}, signedAt.Add(late))
			require.ErrorIs(t, err, want, "%s, %s late", name, late)
		}
	}
}

// Whatever part of a delivery is changed, it is refused.
func TestVerify_Forged(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]http.Header{"service": service(), "standard": standard()} {
		check := func(want error, header http.Header, body string, secrets ...string) {
			t.Helper()
			require.ErrorIs(t, verify.Verify(header, []byte(body), secrets, signedAt), want, name)
		}
		check(verify.ErrMismatch, header, body+" ", secret)
		check(verify.ErrMismatch, header, "", secret)
		check(verify.ErrMismatch, header, body, secret+"x")
		check(verify.ErrNoSecret, header, body)
		check(verify.ErrNoSecret, header, body, "")
		check(nil, header, body, "", secret)
		check(nil, header, body, "another-secret-of-ours", secret)
		for field := range header {
			changed := header.Clone()
			changed.Del(field)
			check(verify.ErrNoSignature, changed, body, secret)
			if strings.HasSuffix(field, "-Timestamp") {
				for _, bad := range []string{"soon", "1763640000.0", "-1", "1763640000000", "99999999999999999999"} {
					changed.Set(field, bad)
					check(verify.ErrTimestamp, changed, body, secret)
				}
				changed.Set(field, "1763640001")
				check(verify.ErrMismatch, changed, body, secret)
				continue
			}
			changed.Set(field, header.Get(field)+"0")
			check(verify.ErrMismatch, changed, body, secret)
		}
	}
	require.ErrorIs(t, verify.Verify(http.Header{}, []byte(body), []string{secret}, signedAt), verify.ErrNoSignature)
}

// An empty key signs what anyone can sign.
func TestVerify_EmptySecretOpensNothing(t *testing.T) {
	t.Parallel()
	h := http.Header{}
	h.Set("X-Service-Timestamp", stamp)
	h.Set("X-Service-Signature", hex.EncodeToString(sum("", stamp+"."+body)))
	require.ErrorIs(t, verify.Verify(h, []byte(body), []string{""}, signedAt), verify.ErrNoSecret)
	require.ErrorIs(t, verify.Verify(h, []byte(body), []string{"", secret}, signedAt), verify.ErrMismatch)
	h.Set("webhook-id", "evt_1")
	h.Set("webhook-timestamp", stamp)
	h.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(sum("", "evt_1."+stamp+"."+body)))
	require.ErrorIs(t, verify.Verify(h, []byte(body), []string{"whsec_"}, signedAt), verify.ErrMismatch)
}

// During a rotation a receiver may know either secret or both.
func TestVerify_Rotation(t *testing.T) {
	t.Parallel()
	h := service()
	h.Set("X-Service-Signature-Previous", "00ff, "+hex.EncodeToString(sum("the-older-secret", stamp+"."+body)))
	for _, secrets := range [][]string{{secret}, {"the-older-secret"}, {secret, "the-older-secret"}} {
		require.NoError(t, verify.Verify(h, []byte(body), secrets, signedAt))
	}
	require.ErrorIs(t, verify.Verify(h, []byte(body), []string{"a-third-secret"}, signedAt), verify.ErrMismatch)
}

func TestVerify_LongListIsCutOff(t *testing.T) {
	t.Parallel()
	h := service()
	good := h.Get("X-Service-Signature")
	h.Set("X-Service-Signature", strings.Repeat("00,", 1000)+good)
	require.ErrorIs(t, verify.Verify(h, []byte(body), []string{secret}, signedAt), verify.ErrMismatch)
}

func TestKey(t *testing.T) {
	t.Parallel()
	for secret, want := range map[string]string{
		"whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=": "01234567890123456789012345678901",
		"MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=":       "01234567890123456789012345678901",
		"whsec_my_own_webhook_secret":                        "whsec_my_own_webhook_secret",
		"not base64!":                                        "not base64!",
		"whsec_":                                             "whsec_",
	} {
		require.Equal(t, want, string(verify.Key(secret)), secret)
	}
}

func TestError_SaysWhyAndWhatToDo(t *testing.T) {
	t.Parallel()
	require.EqualError(t, verify.ErrTooOld,
		"webhook too_old: The request was signed more than 5 minutes ago; it may be a replay, or this clock is ahead.")
}

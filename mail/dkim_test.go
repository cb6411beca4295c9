package mail_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"io"
	"testing"

	"github.com/emersion/go-msgauth/dkim"
	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/mail"
)

func newBase64(r io.Reader) io.Reader { return base64.NewDecoder(base64.StdEncoding, r) }

func pemOf(t *testing.T, kind string, der []byte, err error) string {
	t.Helper()
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// record is the DNS record of a public key.
func record(t *testing.T, key crypto.Signer) string {
	t.Helper()
	if public, is := key.Public().(ed25519.PublicKey); is {
		return "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(public)
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	require.NoError(t, err)
	return "v=DKIM1; k=rsa; p=" + base64.StdEncoding.EncodeToString(der)
}

func TestDKIM_Verifies(t *testing.T) {
	t.Parallel()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	eight, err := x509.MarshalPKCS8PrivateKey(edwards)
	for _, text := range []string{
		pemOf(t, "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(private), nil), pemOf(t, "PRIVATE KEY", eight, err),
	} {
		key, err := mail.ParseKey(text)
		require.NoError(t, err)
		m := message()
		m.Attachments = []mail.Attachment{{Name: "a.html", Type: "text/html", Content: bytes.Repeat([]byte("long "), 4000)}}
		raw, err := m.Bytes()
		require.NoError(t, err)
		signed, err := mail.DKIM{Domain: "example.com", Selector: "s1", Key: key}.Sign(raw)
		require.NoError(t, err)
		found := func(message []byte) error {
			verified, err := dkim.VerifyWithOptions(bytes.NewReader(message), &dkim.VerifyOptions{
				LookupTXT: func(domain string) ([]string, error) {
					require.Equal(t, "s1._domainkey.example.com", domain)
					return []string{record(t, key)}, nil
				},
			})
			require.NoError(t, err)
			require.Len(t, verified, 1)
			require.Equal(t, "example.com", verified[0].Domain)
			return verified[0].Err
		}
		require.NoError(t, found(signed))
		require.Error(t, found(bytes.Replace(signed, []byte("Subject: "), []byte("Subject: Re "), 1)))
		require.Error(t, found(bytes.Replace(signed, []byte("Guten"), []byte("guten"), 1)))
		second := bytes.Replace(signed, []byte("From: "), []byte("From: evil@example.net\r\nFrom: "), 1)
		require.Error(t, found(second), "a second sender")
	}
}

func TestDKIM_WithoutAKeySignsNothing(t *testing.T) {
	t.Parallel()
	out, err := mail.DKIM{}.Sign([]byte("x"))
	require.NoError(t, err)
	require.Equal(t, "x", string(out))
}

func TestParseKey_Refusals(t *testing.T) {
	t.Parallel()
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(curve)
	texts := []string{
		"", "canary", pemOf(t, "PRIVATE KEY", []byte("canary"), nil), pemOf(t, "PRIVATE KEY", der, err),
	}
	for _, text := range texts {
		_, err := mail.ParseKey(text)
		require.Error(t, err)
		require.Equal(t, "dkim_key_invalid", fault.From(err).Code)
		require.NotContains(t, err.Error(), "canary")
	}
}

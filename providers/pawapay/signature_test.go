package pawapay

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/providers"
)

const keysRead = "GET /v2/public-key/http"

// vector is a whole signed message, made with openssl.
func vector() (providers.CallbackRequest, time.Time) {
	return providers.CallbackRequest{
		Method: http.MethodPost, Host: "billing.test", Path: "/callbacks/pawapay/cfg_1",
		Header: http.Header{
			"Content-Type":   {"application/json; charset=UTF-8"},
			"Signature-Date": {"2024-05-02T16:45:51Z"},
			"Content-Digest": {"sha-512=:qmytL8eegs5ZTD/QEB06AFG9vP5OxdFLaee1TE7" +
				"+KJWewW9L2bOil2fnrkisgkvn2oWmRXUBgUfMs5nPHKEowA==:"},
			"Signature-Input": {`sig-pp=("@method" "@authority" "@path" "signature-date" "content-digest" "content-type")` +
				`;alg="ecdsa-p256-sha256";keyid="SIM_KEY:1";created=1714657551;expires=1714657611`},
			"Signature": {"sig-pp=:MEUCIQCHxBKH85kcju1RlcN7Ggupi0n2hzCWRNdoGeclKszTJQ" +
				"IgdJhBQ9+NBV6TSKr4MYVIPSmfsGHnKCg0DSihLL4R8v4=:"},
		},
		Body: []byte(`{"depositId":"4985d482-454d-4ebc-abc9-ad525eef21b6","status":"COMPLETED",` +
			`"amount":"15.00","currency":"ZMW"}`),
	}, time.Unix(1714657580, 0)
}

const vectorKey = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwvzd53/Caw8NIve6fgn1TsjClqrcIWIJRAujJEOGbtwcmCPw" +
	"BomdBsSObaYwbwg3SAqxURnfD/JHBQVIUo9oxg=="

// published is a list of keys as pawaPay gives it, by ID.
func published(t *testing.T, keys map[string]crypto.PublicKey) string {
	t.Helper()
	var list []publishedKey
	for id, k := range keys {
		der, err := x509.MarshalPKIXPublicKey(k)
		require.NoError(t, err)
		list = append(list, publishedKey{ID: id, Key: string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))})
	}
	text, err := json.Marshal(list)
	require.NoError(t, err)
	return "200 " + string(text)
}

func withVectorKey(t *testing.T) (*PawaPay, *fake) {
	t.Helper()
	der, err := base64.StdEncoding.DecodeString(vectorKey)
	require.NoError(t, err)
	k, err := x509.ParsePKIXPublicKey(der)
	require.NoError(t, err)
	return answering(t, map[string]string{keysRead: published(t, map[string]crypto.PublicKey{"SIM_KEY:1": k})})
}

func TestParseCallback_Vector(t *testing.T) {
	t.Parallel()
	p, f := withVectorKey(t)
	in, now := vector()
	for range 3 {
		said, ack, err := p.ParseCallback(t.Context(), in, now)
		require.NoError(t, err)
		require.NotEmpty(t, ack.ContentType)
		require.Equal(t, []providers.Callback{{
			EventID: "deposit:4985d482-454d-4ebc-abc9-ad525eef21b6:COMPLETED", Type: "deposit.completed",
			Kind: providers.KindSucceeded, Ref: "4985d482-454d-4ebc-abc9-ad525eef21b6",
			Key: "4985d482-454d-5ebc-abc9-ad525eef21b6",
		}}, said)
	}
	require.Len(t, f.asked, 1, "the key is kept")
}

func TestParseCallback_RefusesChangedVector(t *testing.T) {
	t.Parallel()
	p, _ := withVectorKey(t)
	_, now := vector()
	header := func(name, from, to string) func(*providers.CallbackRequest) {
		return func(in *providers.CallbackRequest) {
			in.Header.Set(name, strings.Replace(in.Header.Get(name), from, to, 1))
		}
	}
	for name, change := range map[string]func(*providers.CallbackRequest){
		"body":      func(in *providers.CallbackRequest) { in.Body = append(in.Body, ' ') },
		"no body":   func(in *providers.CallbackRequest) { in.Body = nil },
		"method":    func(in *providers.CallbackRequest) { in.Method = http.MethodPut },
		"host":      func(in *providers.CallbackRequest) { in.Host = "evil.test" },
		"host port": func(in *providers.CallbackRequest) { in.Host = "billing.test:8080" },
		"path":      func(in *providers.CallbackRequest) { in.Path = "/callbacks/pawapay/cfg_2" },
		"the secret in the path does not help": func(in *providers.CallbackRequest) {
			in.Path += "/" + pathTail
		},
		"type":               header("Content-Type", "UTF-8", "utf-8"),
		"date":               header("Signature-Date", "2024", "2025"),
		"digest":             header("Content-Digest", "qmyt", "rmyt"),
		"unknown digest":     header("Content-Digest", "sha-512", "md5"),
		"no digest":          func(in *providers.CallbackRequest) { in.Header.Del("Content-Digest") },
		"signature":          header("Signature", "MEUC", "MEUD"),
		"not base64":         header("Signature", "MEUC", "!!!!"),
		"no signature":       func(in *providers.CallbackRequest) { in.Header.Del("Signature") },
		"no input":           func(in *providers.CallbackRequest) { in.Header.Del("Signature-Input") },
		"other label":        header("Signature-Input", "sig-pp", "sig-xx"),
		"other key":          header("Signature-Input", "SIM_KEY:1", "SIM_KEY:2"),
		"other algorithm":    header("Signature-Input", "ecdsa-p256-sha256", "rsa-pss-sha512"),
		"no algorithm":       header("Signature-Input", `alg="ecdsa-p256-sha256";`, ""),
		"later":              header("Signature-Input", "expires=1714657611", "expires=1999999999"),
		"no creation":        header("Signature-Input", "created=1714657551;", ""),
		"created as text":    header("Signature-Input", "created=1714657551", `created="1714657551"`),
		"without the digest": header("Signature-Input", ` "content-digest"`, ""),
		"without the path":   header("Signature-Input", ` "@path"`, ""),
		"what is not there":  header("Signature-Input", `"content-type"`, `"content-kind"`),
		"unknown component":  header("Signature-Input", `"content-type"`, `"@query"`),
		"with parameters":    header("Signature-Input", `"content-type"`, `"content-type";bs`),
		"a broken list":      header("Signature-Input", `"content-type")`, `"content-type"`),
	} {
		in, _ := vector()
		change(&in)
		_, _, err := p.ParseCallback(t.Context(), in, now)
		require.Error(t, err, name)
		require.Equal(t, [2]any{fault.Unauthorized, "callback_signature_invalid"},
			[2]any{fault.From(err).Kind, fault.From(err).Code}, name)
	}
}

func TestParseCallback_Age(t *testing.T) {
	t.Parallel()
	p, _ := withVectorKey(t)
	in, _ := vector()
	for unix, fresh := range map[int64]bool{
		1714657551: true, 1714657611: true, 1714657551 - 59: true, 1714657611 + 60: true,
		1714657551 - 61: false, 1714657611 + 61: false, 1714657551 + 3600: false,
	} {
		_, _, err := p.ParseCallback(t.Context(), in, time.Unix(unix, 0))
		if fresh {
			require.NoError(t, err, unix)
			continue
		}
		require.Equal(t, "callback_stale", fault.From(err).Code, unix)
	}
}

// signAs signs a message in one of the four ways.
func signAs(t *testing.T, algorithm string, k crypto.Signer, in *providers.CallbackRequest, created int64) {
	t.Helper()
	digest := sha256.Sum256(in.Body)
	in.Header.Set("Content-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(digest[:])+":")
	params := fmt.Sprintf(`("@method" "@authority" "@path" "content-digest");alg="%s";keyid="K";created=%d`,
		algorithm, created)
	base := fmt.Sprintf("\"@method\": %s\n\"@authority\": %s\n\"@path\": %s\n"+
		"\"content-digest\": %s\n\"@signature-params\": %s",
		in.Method, in.Host, in.Path, in.Header.Get("Content-Digest"), params)
	of256, of384, of512 := sha256.Sum256([]byte(base)), sha512.Sum384([]byte(base)), sha512.Sum512([]byte(base))
	sum, opts := of256[:], crypto.SignerOpts(crypto.SHA256)
	switch algorithm {
	case "ecdsa-p384-sha384":
		sum, opts = of384[:], crypto.SHA384
	case "rsa-pss-sha512":
		sum, opts = of512[:], &rsa.PSSOptions{SaltLength: 64, Hash: crypto.SHA512}
	}
	signature, err := k.Sign(rand.Reader, sum, opts)
	require.NoError(t, err)
	in.Header.Set("Signature-Input", "sig-pp="+params)
	in.Header.Set("Signature", "sig-pp=:"+base64.StdEncoding.EncodeToString(signature)+":")
}

func TestParseCallback_EveryAlgorithmWithItsKindOfKeyOnly(t *testing.T) {
	t.Parallel()
	p256, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	require.NoError(t, err)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	keys := map[string]crypto.Signer{
		"ecdsa-p256-sha256": p256, "ecdsa-p384-sha384": p384, "rsa-v1_5-sha256": rsaKey, "rsa-pss-sha512": rsaKey,
	}
	for algorithm, signer := range keys {
		for other, listed := range keys {
			p, _ := answering(t, map[string]string{keysRead: published(t, map[string]crypto.PublicKey{"K": listed.Public()})})
			in, now := vector()
			signAs(t, algorithm, signer, &in, now.Unix())
			_, _, err := p.ParseCallback(t.Context(), in, now)
			require.Equal(t, signer == listed, err == nil, "%s, checked with the key of %s", algorithm, other)
			_, _, err = p.ParseCallback(t.Context(), in, now.Add(lifeUnstated+skew+time.Second))
			require.Error(t, err, "no expiry is not for ever")
		}
	}
}

// A new key of pawaPay's is found, and messages with made-up key IDs do not make us ask all the time.
func TestPublicKey_IsReadAgainButNotOften(t *testing.T) {
	t.Parallel()
	first, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	p, f := answering(t, map[string]string{keysRead: "503 "})
	in, now := vector()
	signAs(t, "ecdsa-p256-sha256", first, &in, now.Unix())
	for range 5 {
		_, _, err = p.ParseCallback(t.Context(), in, now)
		require.Equal(t, fault.Unavailable, fault.From(err).Kind, "pawaPay repeats the message")
	}
	require.Len(t, f.asked, 1)

	f.answers[keysRead] = published(t, map[string]crypto.PublicKey{"OLD": first.Public()})
	for range 5 {
		_, _, err = p.ParseCallback(t.Context(), in, now.Add(keysGap))
		require.Equal(t, fault.Unauthorized, fault.From(err).Kind)
	}
	require.Len(t, f.asked, 2)

	f.answers[keysRead] = published(t, map[string]crypto.PublicKey{"K": first.Public()})
	_, _, err = p.ParseCallback(t.Context(), in, now.Add(2*keysGap))
	require.NoError(t, err)

	f.answers[keysRead] = published(t, map[string]crypto.PublicKey{}) // withdrawn
	later := now.Add(keysLife + 3*keysGap)
	signAs(t, "ecdsa-p256-sha256", first, &in, later.Unix())
	_, _, err = p.ParseCallback(t.Context(), in, later)
	require.Equal(t, fault.Unauthorized, fault.From(err).Kind, "a withdrawn key is trusted for an hour at most")
}

func TestPublicKey_ManyAtOnceAskOnce(t *testing.T) {
	t.Parallel()
	p, f := withVectorKey(t)
	in, now := vector()
	var failed atomic.Int32
	done := make(chan struct{})
	for range 20 {
		go func() {
			if _, _, err := p.ParseCallback(t.Context(), in, now); err != nil {
				failed.Add(1)
			}
			done <- struct{}{}
		}()
	}
	for range 20 {
		<-done
	}
	require.Zero(t, failed.Load())
	require.Len(t, f.asked, 1)
}

package pawapaysim

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"perennial/providers/simulator/core"
)

// KeyID names the simulator's key.
const KeyID = "SIM_KEY:1"

const signatureLife = time.Minute

func newID() string { return uuid.NewString() }

// key is derived from a name, so that it is the same after a restart: receivers keep the public half. It protects
// nothing.
func key(name string) *ecdsa.PrivateKey {
	scalar := sha256.Sum256([]byte(name))
	k, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar[:])
	if err != nil {
		panic(err) // of two fixed names, neither of which is out of the curve's range
	}
	return k
}

func publishedKeys() []map[string]string {
	der, _ := x509.MarshalPKIXPublicKey(key("pawapaysim").Public()) // a P-256 key always marshals
	return []map[string]string{{
		"id": KeyID, "key": string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})),
	}}
}

// Sign signs as pawaPay does: RFC 9421, except for the signature's encoding, which is ASN.1 DER. A forger has another
// key.
func (d *Dialect) Sign(o core.Outgoing) core.Signed {
	const contentType = "application/json; charset=UTF-8"
	if d.config.Unsigned {
		return core.Signed{Body: o.Body, Header: http.Header{"Content-Type": {contentType}}}
	}
	digest := sha512.Sum512(o.Body)
	header := http.Header{
		"Content-Type":   {contentType},
		"Content-Digest": {"sha-512=:" + base64.StdEncoding.EncodeToString(digest[:]) + ":"},
		"Signature-Date": {o.At.UTC().Format(time.RFC3339)},
	}
	path := o.URL.EscapedPath()
	if path == "" {
		path = "/"
	}
	params := fmt.Sprintf(`("@method" "@authority" "@path" "signature-date" "content-digest" "content-type")`+
		`;alg="ecdsa-p256-sha256";keyid="%s";created=%d;expires=%d`, KeyID, o.At.Unix(), o.At.Add(signatureLife).Unix())
	base := strings.Join([]string{
		`"@method": POST`,
		`"@authority": ` + strings.ToLower(o.URL.Host),
		`"@path": ` + path,
		`"signature-date": ` + header.Get("Signature-Date"),
		`"content-digest": ` + header.Get("Content-Digest"),
		`"content-type": ` + contentType,
		`"@signature-params": ` + params,
	}, "\n")
	name := "pawapaysim"
	if o.Forged {
		name = "a forger"
	}
	sum := sha256.Sum256([]byte(base))
	signature, _ := ecdsa.SignASN1(rand.Reader, key(name), sum[:]) // fails only without randomness
	header.Set("Signature-Input", "sig-pp="+params)
	header.Set("Signature", "sig-pp=:"+base64.StdEncoding.EncodeToString(signature)+":")
	return core.Signed{Body: o.Body, Header: header}
}

// Falsify changes the object of a message.
func (*Dialect) Falsify(body []byte, l core.Lie) ([]byte, error) {
	var object map[string]any
	if err := json.Unmarshal(body, &object); err != nil {
		return nil, err
	}
	switch l {
	case core.WrongAmount:
		object["amount"] = "1.00"
	case core.UnknownReference:
		for _, field := range []string{"depositId", "refundId"} {
			if _, has := object[field]; has {
				object[field] = newID()
			}
		}
		delete(object, "metadata")
		delete(object, "clientReferenceId")
	}
	return json.Marshal(object)
}

package pawapay

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
)

// genuine reports whether a signature over base was made with the key. Algorithm and kind of key must agree, so that no
// key is used in a way it was not made for. ECDSA signatures are in ASN.1 DER, as pawaPay's own samples have them; the
// RFC would have them as two bare numbers.
func genuine(algorithm string, key crypto.PublicKey, base, signature []byte) bool {
	of256 := sha256.Sum256(base)
	switch k := key.(type) {
	case *ecdsa.PublicKey:
		switch {
		case algorithm == "ecdsa-p256-sha256" && k.Curve == elliptic.P256():
			return ecdsa.VerifyASN1(k, of256[:], signature)
		case algorithm == "ecdsa-p384-sha384" && k.Curve == elliptic.P384():
			of384 := sha512.Sum384(base)
			return ecdsa.VerifyASN1(k, of384[:], signature)
		}
	case *rsa.PublicKey:
		switch algorithm {
		case "rsa-v1_5-sha256":
			return rsa.VerifyPKCS1v15(k, crypto.SHA256, of256[:], signature) == nil
		case "rsa-pss-sha512":
			of512 := sha512.Sum512(base)
			return rsa.VerifyPSS(k, crypto.SHA512, of512[:], signature, nil) == nil
		}
	}
	return false
}

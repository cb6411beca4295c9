// Package verify checks that a webhook was sent by Perennial and is not old. Receivers import it; it needs nothing but
// the standard library.
//
//	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
//	…
//	if err := verify.Verify(r.Header, body, []string{secret}, time.Now()); err != nil {
//		http.Error(w, "forged", http.StatusUnauthorized)
//		return
//	}
package verify

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The headers of a delivery.
const (
	HeaderTimestamp         = "X-Service-Timestamp"          // Unix seconds of the attempt
	HeaderSignature         = "X-Service-Signature"          // lowercase hex, made with the newest secret
	HeaderSignaturePrevious = "X-Service-Signature-Previous" // of the older secrets, comma separated

	HeaderStandardID        = "Webhook-Id"        // the event's id, the same in every attempt
	HeaderStandardTimestamp = "Webhook-Timestamp" // Unix seconds of the attempt
	HeaderStandardSignature = "Webhook-Signature" // `v1,` and base64, one of each secret, space separated
)

// The tolerance: how far the time of an attempt may lie from the receiver's clock.
const (
	MaxAge  = 5 * time.Minute
	MaxSkew = time.Minute
)

// SecretPrefix begins the secrets that Perennial makes.
const SecretPrefix = "whsec_"

// Verify reports whether body was signed with one of the secrets at most 5 minutes ago, and at most 1 minute ahead of
// now. body is the request's body as it was received: parse it only afterwards. During a rotation, pass the old secret
// and the new one. Either form of signature is enough: X-Service-Signature, or webhook-signature of Standard Webhooks.
// They are compared in constant time.
//
// The error is a *Error: ErrNoSecret, ErrNoSignature, ErrTimestamp, ErrTooOld, ErrTooNew or ErrMismatch.
func Verify(header http.Header, body []byte, secrets []string, now time.Time) error {
	keys := slices.DeleteFunc(slices.Clone(secrets), func(secret string) bool { return secret == "" })
	if len(keys) == 0 {
		return ErrNoSecret
	}
	err := verifyService(header, body, keys, now)
	if err == nil {
		return nil
	}
	standard := verifyStandard(header, body, keys, now)
	if standard == nil {
		return nil
	}
	if err == ErrNoSignature {
		err = standard
	}
	return err
}

// verifyService checks the form of the interface specification: the hex HMAC of `<timestamp>.<body>`.
func verifyService(header http.Header, body []byte, secrets []string, now time.Time) *Error {
	timestamp := header.Get(HeaderTimestamp)
	sent := list(header.Get(HeaderSignature), ",")
	sent = append(sent, list(header.Get(HeaderSignaturePrevious), ",")...)
	if timestamp == "" || len(sent) == 0 {
		return ErrNoSignature
	}
	if err := inTime(timestamp, now); err != nil {
		return err
	}
	var wanted []string
	for _, secret := range secrets {
		wanted = append(wanted, hex.EncodeToString(MAC([]byte(secret), body, timestamp)))
	}
	return match(sent, wanted)
}

// verifyStandard checks the form of Standard Webhooks: the base64 HMAC of `<id>.<timestamp>.<body>`.
func verifyStandard(header http.Header, body []byte, secrets []string, now time.Time) *Error {
	id, timestamp := header.Get(HeaderStandardID), header.Get(HeaderStandardTimestamp)
	sent := list(header.Get(HeaderStandardSignature), " ")
	if id == "" || timestamp == "" || len(sent) == 0 {
		return ErrNoSignature
	}
	if err := inTime(timestamp, now); err != nil {
		return err
	}
	var wanted []string
	for _, secret := range secrets {
		wanted = append(wanted, "v1,"+base64.StdEncoding.EncodeToString(MAC(Key(secret), body, id, timestamp)))
	}
	return match(sent, wanted)
}

// Key returns the bytes of a secret that key the signature of Standard Webhooks: the decoded base64 behind `whsec_`, or
// without the prefix, as its libraries read a secret; the characters themselves of any other secret, which its
// libraries take in their raw mode. X-Service-Signature is always keyed by the characters.
func Key(secret string) []byte {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, SecretPrefix))
	if err != nil || len(key) == 0 {
		return []byte(secret)
	}
	return key
}

// match compares every pair, so that the time taken tells nothing about where they differ.
func match(sent, wanted []string) *Error {
	found := 0
	for _, s := range sent {
		for _, w := range wanted {
			found |= subtle.ConstantTimeCompare([]byte(s), []byte(w))
		}
	}
	if found == 0 {
		return ErrMismatch
	}
	return nil
}

func inTime(timestamp string, now time.Time) *Error {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || seconds < 0 || seconds > math.MaxUint32 {
		return ErrTimestamp
	}
	switch age := now.Sub(time.Unix(seconds, 0)); {
	case age > MaxAge:
		return ErrTooOld
	case age < -MaxSkew:
		return ErrTooNew
	}
	return nil
}

// MAC is the HMAC-SHA256 of the prefixes and the body, with a dot behind each prefix.
func MAC(key, body []byte, prefixes ...string) []byte {
	h := hmac.New(sha256.New, key)
	for _, prefix := range prefixes {
		h.Write([]byte(prefix))
		h.Write([]byte{'.'})
	}
	h.Write(body)
	return h.Sum(nil)
}

// list splits a header into its parts and drops empty ones. A genuine delivery has one part for each secret; the bound
// keeps a forged one from costing time.
func list(header, separator string) []string {
	var parts []string
	for part := range strings.SplitSeq(header, separator) {
		if part = strings.TrimSpace(part); part != "" && len(parts) < maxSignatures {
			parts = append(parts, part)
		}
	}
	return parts
}

const maxSignatures = 16

package webhooks

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"perennial/webhooks/verify"
)

// userAgent names the sender in the access logs of receivers.
const userAgent = "Perennial-Webhooks/1"

// Errors of a caller, not of a receiver.
var (
	ErrNoSecret  = errors.New("webhooks: an attempt needs a secret")
	ErrNoEventID = errors.New("webhooks: an attempt needs the id of its event")
)

// Sign returns all headers of one attempt: content type, user agent, and the signatures of body at the attempt's time.
// eventID is the same in every attempt, so that receivers can deduplicate on it, and at differs, so that a retry after
// two hours is not refused as old. body is signed as it is: send these bytes.
//
// secrets are ordered newest first. The first signs X-Service-Signature, which stays one lowercase hex string as in the
// interface specification. During a rotation the older ones sign X-Service-Signature-Previous, comma separated, and
// webhook-signature of Standard Webhooks has one `v1,` signature of each, space separated. So a receiver that knows any
// one of the secrets can verify every attempt.
//
// Errors: ErrNoSecret, ErrNoEventID.
func Sign(eventID string, at time.Time, body []byte, secrets ...string) (http.Header, error) {
	if eventID == "" {
		return nil, ErrNoEventID
	}
	if len(secrets) == 0 {
		return nil, ErrNoSecret
	}
	timestamp := strconv.FormatInt(at.Unix(), 10)
	plain := make([]string, len(secrets))
	standard := make([]string, len(secrets))
	for i, secret := range secrets {
		if secret == "" {
			return nil, ErrNoSecret
		}
		plain[i] = hex.EncodeToString(verify.MAC([]byte(secret), body, timestamp))
		standard[i] = "v1," + base64.StdEncoding.EncodeToString(verify.MAC(verify.Key(secret), body, eventID, timestamp))
	}
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set("User-Agent", userAgent)
	header.Set(verify.HeaderTimestamp, timestamp)
	header.Set(verify.HeaderSignature, plain[0])
	if len(plain) > 1 {
		header.Set(verify.HeaderSignaturePrevious, strings.Join(plain[1:], ","))
	}
	header.Set(verify.HeaderStandardID, eventID)
	header.Set(verify.HeaderStandardTimestamp, timestamp)
	header.Set(verify.HeaderStandardSignature, strings.Join(standard, " "))
	return header, nil
}

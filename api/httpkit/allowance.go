package httpkit

import (
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/quota"
)

// count spends one request of the key's and tells the caller how many are left, in the headers of
// draft-ietf-httpapi-ratelimit-headers. Fault: rate_limit_exceeded, before anything is done for the request.
func (k *Kit) count(header http.Header, key db.APIKey, hash []byte, from netip.Addr, now time.Time) error {
	if k.config.Requests == nil {
		return nil
	}
	of, whose := k.config.Requests, key.ID
	if key.Kind == string(apikey.Publishable) {
		of, whose = k.config.Visitors, key.ID+" "+from.String()
	}
	grant := of.Take(whose, now)
	if !grant.OK && key.Kind == string(apikey.Secret) {
		k.exhausted.note(hash, now.Add(grant.Wait))
	}
	return k.writeAllowance(header, grant)
}

// The headers in the form that net/http has them in, in which nothing has to be changed at each request.
const (
	rateLimitPolicy = "Ratelimit-Policy"
	rateLimit       = "Ratelimit"
)

// writeAllowance writes the headers of the rate limit, and returns the refusal of a request that was not granted.
func (k *Kit) writeAllowance(header http.Header, grant quota.Grant) error {
	limit := k.config.Requests.Limit()
	// A bucket as a quota: as many requests as it holds, in the time that it takes to fill.
	header[rateLimitPolicy] = []string{`"key";q=` + strconv.Itoa(limit.Burst) +
		";w=" + strconv.Itoa((limit.Burst+limit.PerSecond-1)/limit.PerSecond)}
	header[rateLimit] = []string{`"key";r=` +
		strconv.Itoa(grant.Left) + ";t=" + strconv.FormatInt(seconds(grant.Wait), 10)}
	if grant.OK {
		return nil
	}
	return fault.New(fault.RateLimited, "rate_limit_exceeded",
		"This API key made too many requests: at most %d a second are allowed, and %d at once. This request was not "+
			"performed. Repeat it after Retry-After.", limit.PerSecond, limit.Burst).After(grant.Wait)
}

// exhausted remembers keys that may make no request for a moment, so that their requests take neither a seat nor a look
// at the database from others. It only ever refuses: a key that was revoked meanwhile gets that refusal afterwards. The
// zero value is ready.
type exhausted struct {
	mu    sync.Mutex
	until map[string]time.Time // by hash
}

func (e *exhausted) note(hash []byte, until time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.until == nil {
		e.until = map[string]time.Time{}
	}
	e.until[string(hash)] = until
}

// wait returns the time for which the key may still make no request.
func (e *exhausted) wait(hash []byte, now time.Time) time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	until, known := e.until[string(hash)]
	if known && !now.Before(until) {
		delete(e.until, string(hash))
	}
	return until.Sub(now)
}

// atTheDoor refuses a request of a key that is known to be exhausted. Fault: rate_limit_exceeded.
func (k *Kit) atTheDoor(header http.Header, hash []byte) error {
	if wait := k.exhausted.wait(hash, k.now()); wait > 0 {
		return k.writeAllowance(header, quota.Grant{Wait: wait})
	}
	return nil
}

// seconds rounds up.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

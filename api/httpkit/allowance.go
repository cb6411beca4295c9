package httpkit

import (
	"fmt"
	"net/http"
	"time"

	"perennial/billing/fault"
	"perennial/internal/quota"
)

// count spends one request of the key's and tells the caller how many are left, in the headers of
// draft-ietf-httpapi-ratelimit-headers-10. Fault: rate_limit_exceeded, before anything is done for the request.
func (k *Kit) count(header http.Header, keyID string) error {
	if k.config.Requests == nil {
		return nil
	}
	limit, grant := k.config.Requests.Limit(), k.config.Requests.Take(keyID, k.now())
	header.Set("RateLimit-Policy", policy(limit))
	header.Set("RateLimit", fmt.Sprintf(`"key";r=%d;t=%d`, grant.Left, seconds(grant.Until)))
	if grant.OK {
		return nil
	}
	return fault.New(fault.RateLimited, "rate_limit_exceeded",
		"This API key made too many requests: at most %d a second are allowed, and %d at once. This request was not "+
			"performed. Repeat it after Retry-After.", limit.PerSecond, limit.Burst).After(grant.Wait)
}

// policy describes a bucket as a quota: as many requests as it holds, in the time that it takes to fill.
func policy(l quota.Limit) string {
	return fmt.Sprintf(`"key";q=%d;w=%d`, l.Burst, (l.Burst+l.PerSecond-1)/l.PerSecond)
}

// seconds rounds up.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

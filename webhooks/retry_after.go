package webhooks

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryAfter reads a Retry-After header: seconds, where a fraction is rounded up, or a date. It returns 0 for a header
// that says neither, and for a date that has passed. A receiver may ask for any time; the schedule bounds it.
func retryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if whole, fraction, ok := seconds(header); ok {
		if strings.Trim(fraction, "0") != "" {
			whole++
		}
		return time.Duration(whole) * time.Second
	}
	at, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return max(0, at.Sub(now))
}

// seconds reads digits, and digits behind a dot. Ten digits, over 300 years, are more than a Duration could count.
func seconds(header string) (whole int64, fraction string, ok bool) {
	text, fraction, _ := strings.Cut(header, ".")
	whole, err := strconv.ParseInt(text, 10, 64)
	if err != nil || whole < 0 || len(text) > 9 || strings.Trim(fraction, "0123456789") != "" {
		return 0, "", false
	}
	return whole, fraction, true
}

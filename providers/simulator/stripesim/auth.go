package stripesim

import (
	"net/http"
	"regexp"
	"strings"

	"perennial/providers/simulator/core"
)

var wellFormedKey = regexp.MustCompile(`^(sk|rk)_(test|live)_[0-9A-Za-z_]+$`)

// Authenticate accepts a Bearer token or the key as the user of Basic authentication, as Stripe does. The key's
// prefix decides the mode of everything the call touches.
func (s *Dialect) Authenticate(c *core.Call) *core.Answer {
	key, found := strings.CutPrefix(c.Header.Get("Authorization"), "Bearer ")
	if user, _, isBasic := (&http.Request{Header: c.Header}).BasicAuth(); isBasic {
		key, found = user, true
	}
	if !found || key == "" {
		return refuse(invalid(http.StatusUnauthorized, "", "",
			"You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth."))
	}
	if !wellFormedKey.MatchString(key) || (len(s.keys) > 0 && !s.keys[key]) {
		return refuse(invalid(http.StatusUnauthorized, "", "", "Invalid API Key provided: %s", mask(key)))
	}
	c.Live, c.Account = strings.Contains(key, "_live_"), key
	return nil
}

// mask shows as much of a key as Stripe's own message does.
func mask(key string) string {
	if len(key) <= 12 {
		return "****"
	}
	return key[:8] + "****" + key[len(key)-4:]
}

package simulator

import (
	"net/http"
	"regexp"
	"strings"
)

var wellFormedKey = regexp.MustCompile(`^(sk|rk)_(test|live)_[0-9A-Za-z_]+$`)

// authenticate accepts a Bearer token or the key as the user of Basic authentication, as Stripe does. The key's
// prefix decides the mode of everything the call touches.
func (s *Server) authenticate(r *http.Request) (live bool, refused *answer) {
	key, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if user, _, isBasic := r.BasicAuth(); isBasic {
		key, found = user, true
	}
	if !found || key == "" {
		a := invalid(http.StatusUnauthorized, "", "",
			"You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth.")
		return false, &a
	}
	if !wellFormedKey.MatchString(key) || (len(s.keys) > 0 && !s.keys[key]) {
		a := invalid(http.StatusUnauthorized, "", "", "Invalid API Key provided: %s", mask(key))
		return false, &a
	}
	return strings.Contains(key, "_live_"), nil
}

// mask shows as much of a key as Stripe's own message does.
func mask(key string) string {
	if len(key) <= 12 {
		return "****"
	}
	return key[:8] + "****" + key[len(key)-4:]
}

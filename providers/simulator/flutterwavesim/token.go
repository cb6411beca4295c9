package flutterwavesim

import (
	"net/http"
	"net/url"
	"strings"

	"perennial/providers/simulator/core"
)

const tokenPath = "/realms/flutterwave/protocol/openid-connect/token"

// giveToken is the identity server. Tokens are kept in memory only: after a restart a client gets 401 and asks again.
func (s *Dialect) giveToken(c *core.Call) core.Answer {
	oauth := func(status int, code string) core.Answer {
		return core.Answer{Status: status, Body: map[string]any{"error": code, "error_description": "Refused"}}
	}
	form, err := url.ParseQuery(string(c.Body))
	if err != nil || !strings.HasPrefix(c.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		return oauth(http.StatusBadRequest, "invalid_request")
	}
	if form.Get("grant_type") != "client_credentials" {
		return oauth(http.StatusBadRequest, "unsupported_grant_type")
	}
	client, secret := form.Get("client_id"), form.Get("client_secret")
	if want, known := s.config.Clients[client]; client == "" || secret == "" ||
		(len(s.config.Clients) > 0 && (!known || want != secret)) {
		return oauth(http.StatusUnauthorized, "invalid_client")
	}
	token := newID("flwtok_")
	s.mu.Lock()
	s.tokens[token] = client
	s.mu.Unlock()
	s.server.Schedule(token, s.server.Now().Add(s.config.TokenLife), func() *core.Effect {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.tokens, token)
		return nil
	})
	return core.Answer{Status: http.StatusOK, Body: map[string]any{
		"access_token": token, "expires_in": int(s.config.TokenLife.Seconds()), "token_type": "Bearer",
		"scope": "profile email",
	}}
}

// Authenticate accepts a token that was given out and has not ended. A client whose ID begins with live_ is in live
// mode.
func (s *Dialect) Authenticate(c *core.Call) *core.Answer {
	token, found := strings.CutPrefix(c.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	client, known := s.tokens[token]
	s.mu.Unlock()
	if !found || !known {
		return refuse(unauthorized())
	}
	c.Account, c.Live = client, strings.HasPrefix(client, "live_")
	return nil
}

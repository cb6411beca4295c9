package flutterwave

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"perennial/providers/wire"
)

const (
	tokenTimeout = 10 * time.Second
	// tokenMargin is the time before its end from which a token is no longer used: a request may be long under way.
	tokenMargin = time.Minute
	maxToken    = 64 << 10
)

// tokens keeps the access token of an account. Requests that need one at the same time share one exchange.
type tokens struct {
	client       *http.Client
	clientID     string
	clientSecret wire.Secret
	timeout      time.Duration
	url          string

	flight  singleflight.Group
	mu      sync.Mutex
	current wire.Secret // empty: there is none, or it is about to end
}

// tokenError says why there is no token. The request that needed it was not sent.
type tokenError struct {
	status     int // of the token's address; 401 where it refuses the credentials, 0 where nothing came back
	retryAfter time.Duration
	reason     string
}

func (e *tokenError) Error() string { return e.reason }

// get returns the token, fetching one where there is none. The error is a *tokenError.
func (t *tokens) get(ctx context.Context) (wire.Secret, error) {
	if s := t.kept(); s.Reveal() != "" {
		return s, nil
	}
	// The exchange outlives the request that began it, since others wait for it too.
	fetched := t.flight.DoChan("", func() (any, error) {
		if s := t.kept(); s.Reveal() != "" {
			return s, nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), min(tokenTimeout, t.timeout))
		defer cancel()
		return t.fetch(ctx)
	})
	select {
	case got := <-fetched:
		if got.Err != nil {
			return wire.Seal(""), got.Err
		}
		s, ok := got.Val.(wire.Secret)
		if !ok {
			return wire.Seal(""), &tokenError{reason: "no access token"}
		}
		return s, nil
	case <-ctx.Done():
		return wire.Seal(""), &tokenError{reason: "no access token in time: " + ctx.Err().Error()}
	}
}

func (t *tokens) kept() wire.Secret {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.current
}

// drop forgets a token that the API refused, or that is about to end; a newer one stays.
func (t *tokens) drop(old string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current.Reveal() == old {
		t.current = wire.Seal("")
	}
}

func (t *tokens) fetch(ctx context.Context) (wire.Secret, error) {
	form := url.Values{
		"client_id": {t.clientID}, "client_secret": {t.clientSecret.Reveal()}, "grant_type": {"client_credentials"},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, strings.NewReader(form.Encode()))
	if err != nil {
		return wire.Seal(""), &tokenError{reason: "no access token: the address is malformed"}
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "perennial")
	res, err := t.client.Do(req)
	if err != nil {
		return wire.Seal(""), &tokenError{reason: "no access token: " + err.Error()}
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxToken))
	if err != nil {
		return wire.Seal(""), &tokenError{status: res.StatusCode, reason: "no access token: " + err.Error()}
	}
	return t.read(res, body)
}

// read takes the token from the answer of the token's address, which speaks OAuth 2 (RFC 6749, section 5).
func (t *tokens) read(res *http.Response, body []byte) (wire.Secret, error) {
	var answer struct {
		AccessToken string      `json:"access_token"`
		ExpiresIn   json.Number `json:"expires_in"`
		Error       string      `json:"error"`
	}
	err := json.Unmarshal(body, &answer)
	if res.StatusCode != http.StatusOK {
		failed := &tokenError{status: res.StatusCode, retryAfter: retryAfter(res.Header)}
		switch {
		case err != nil || answer.Error == "":
			failed.reason = fmt.Sprintf("no access token: HTTP %d", res.StatusCode)
		case answer.Error == "invalid_client" || answer.Error == "unauthorized_client":
			failed.status, failed.reason = http.StatusUnauthorized, "Flutterwave refuses the client ID or its secret"
		default: // the sentence beside the code is not ours to trust with secrets
			failed.reason = fmt.Sprintf("no access token: HTTP %d, %.40q", res.StatusCode, answer.Error)
		}
		return wire.Seal(""), failed
	}
	if err != nil || answer.AccessToken == "" || !printable(answer.AccessToken) {
		return wire.Seal(""), &tokenError{status: res.StatusCode, reason: "the response with the access token is malformed"}
	}
	token := wire.Seal(answer.AccessToken)
	t.keep(token, answer.ExpiresIn)
	return token, nil
}

// keep holds a token until shortly before its end. A timer ends it, since only cmd reads the clock; where a machine
// slept meanwhile, the API refuses the token and a new one is fetched.
func (t *tokens) keep(token wire.Secret, expiresIn json.Number) {
	seconds, err := strconv.ParseInt(string(expiresIn), 10, 64)
	if err != nil || seconds <= 0 || seconds > 86400 {
		return // of unknown length: it serves the requests that wait for it
	}
	lifetime := time.Duration(seconds) * time.Second
	t.mu.Lock()
	t.current = token
	t.mu.Unlock()
	time.AfterFunc(lifetime-min(tokenMargin, lifetime/2), func() { t.drop(token.Reveal()) })
}

// asTokenError is the reason why no token could be had.
func asTokenError(err error) *tokenError {
	var e *tokenError
	if errors.As(err, &e) {
		return e
	}
	return &tokenError{reason: "no access token"}
}

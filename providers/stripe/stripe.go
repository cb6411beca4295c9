// Package stripe owns the conversation with Stripe: the wire format, what each answer proves, and which amounts Stripe
// can express. It does not own when a call is made, repeated or given up (workflows), nor its row (db).
package stripe

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"perennial/billing/fault"
	"perennial/providers"
	"perennial/providers/wire"
)

// apiVersion pins the shape of every answer, whatever the account's default is.
const apiVersion = "2026-03-25.dahlia"

// Defaults of Config. Stripe keeps idempotency keys for at least 24 h; four hours of that are margin for clocks that
// disagree and for requests that were long under way.
const (
	DefaultBaseURL      = "https://api.stripe.com"
	DefaultReplayWindow = 20 * time.Hour
	DefaultTimeout      = 30 * time.Second
)

// Config is one account in one mode.
type Config struct {
	PublicKey     string // pk_…, for the app's own pages; may be empty
	SecretKey     string
	WebhookSecret string // whsec_…; without it every callback is refused
	Live          bool   // must agree with the key's own prefix
	BaseURL       string
	ReplayWindow  time.Duration
	Timeout       time.Duration     // of one exchange, from dialling to the last byte of the answer
	Transport     http.RoundTripper // nil: one of its own
}

// Stripe is a providers.Provider.
type Stripe struct {
	providers.SelfCompleting

	baseURL       string
	client        *http.Client
	live          bool
	replayWindow  time.Duration
	secretKey     wire.Secret
	timeout       time.Duration
	webhookSecret wire.Secret
}

var _ providers.Provider = (*Stripe)(nil)

// New checks the configuration without any network. It returns fault.Invalid with codes
// `provider_credentials_invalid`, `provider_environment_mismatch` and `provider_config_invalid`.
func New(c Config) (*Stripe, error) {
	if err := checkKey(c.SecretKey, c.Live); err != nil {
		return nil, err
	}
	if err := checkPublicKey(c.PublicKey, c.Live); err != nil {
		return nil, err
	}
	base, err := checkBaseURL(c.BaseURL, c.Live)
	if err != nil {
		return nil, err
	}
	if c.ReplayWindow == 0 {
		c.ReplayWindow = DefaultReplayWindow
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.ReplayWindow < 0 || c.Timeout < 0 {
		return nil, fault.New(fault.Invalid, "provider_config_invalid",
			"The replay window and the timeout cannot be negative.")
	}
	return &Stripe{
		baseURL:       base,
		client:        wire.Client(c.Transport),
		live:          c.Live,
		replayWindow:  c.ReplayWindow,
		secretKey:     wire.Seal(c.SecretKey),
		timeout:       c.Timeout,
		webhookSecret: wire.Seal(c.WebhookSecret),
	}, nil
}

// Name is the provider's identifier in the API.
func (*Stripe) Name() string { return "stripe" }

// Capabilities of Stripe. A search finds nothing reliably before the window is over, and an hour later in outages.
func (s *Stripe) Capabilities() providers.Capabilities {
	return providers.Capabilities{
		ReplayWindow: s.replayWindow, LookupByKey: true, FindsTransaction: true, LookupByRef: true, Cancel: true,
		AsksPayer: true, AbsenceAfter: s.replayWindow, AbsenceGap: time.Hour, RequestsPerSecond: s.requestsPerSecond(),
	}
}

// requestsPerSecond is Stripe's limit of an account, which integrations report; a simulator has none.
func (s *Stripe) requestsPerSecond() int {
	switch {
	case s.baseURL != DefaultBaseURL:
		return 0
	case s.live:
		return 100
	}
	return 25
}

func checkPublicKey(key string, live bool) error {
	if key == "" || strings.HasPrefix(key, "pk_"+mode(live)+"_") {
		return nil
	}
	return fault.InvalidParam(FieldPublicKey, "provider_credentials_invalid",
		"A Stripe publishable key of a %[1]s environment begins with pk_%[1]s_.", mode(live))
}

func checkKey(key string, live bool) error {
	mode := mode(live)
	switch {
	case key == "":
		return fault.InvalidParam("secretKey", "provider_credentials_invalid",
			"The Stripe secret key is missing. Copy it from the Stripe dashboard, Developers, API keys.")
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return fault.InvalidParam("secretKey", "provider_credentials_invalid",
			"The Stripe secret key contains spaces or characters that no key has. Copy it again.")
	case strings.HasPrefix(key, "pk_"):
		return fault.InvalidParam("secretKey", "provider_credentials_invalid",
			"This is a publishable key. The secret key begins with sk_%s_ or rk_%s_.", mode, mode)
	case strings.HasPrefix(key, "sk_"+mode+"_"), strings.HasPrefix(key, "rk_"+mode+"_"):
		return nil
	case strings.HasPrefix(key, "sk_"), strings.HasPrefix(key, "rk_"):
		return fault.InvalidParam("secretKey", "provider_environment_mismatch",
			"The Stripe key belongs to another mode. "+
				"A %s environment needs a key that begins with sk_%s_ or rk_%s_.", mode, mode, mode)
	}
	return fault.InvalidParam("secretKey", "provider_credentials_invalid",
		"A Stripe secret key begins with sk_%s_ or rk_%s_.", mode, mode)
}

func checkBaseURL(raw string, live bool) (string, error) {
	if raw == "" {
		return DefaultBaseURL, nil
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.User != nil || (u.Scheme != "https" && u.Scheme != "http") || u.RawQuery != "" {
		return "", fault.New(fault.Invalid, "provider_config_invalid",
			"The Stripe base URL is malformed. Send a URL such as %s.", DefaultBaseURL)
	}
	if live && u.Scheme != "https" {
		return "", fault.New(fault.Invalid, "provider_config_invalid",
			"A live Stripe key requires a base URL with https.")
	}
	return strings.TrimRight(raw, "/"), nil
}

// String keeps the keys out of logs that print a Config.
func (c Config) String() string {
	return fmt.Sprintf("stripe.Config{SecretKey: %s, WebhookSecret: %s, Live: %t, BaseURL: %q}",
		wire.Seal(c.SecretKey), wire.Seal(c.WebhookSecret), c.Live, c.BaseURL)
}

// GoString is String, for %#v.
func (c Config) GoString() string { return c.String() }

// MarshalJSON is String, for structured logs.
func (c Config) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprintf("%q", c.String())), nil }

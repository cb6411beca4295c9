// Package flutterwave owns the conversation with Flutterwave's API v4: the wire format, what each answer proves, and
// which amounts and payment methods Flutterwave can express. It does not own when a call is made, repeated or given up
// (workflows), nor its row (db). docs/providers.md lists the unverified facts.
package flutterwave

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"perennial/billing/fault"
	"perennial/providers"
	"perennial/providers/wire"
)

// Defaults of Config. Flutterwave does not say how long it keeps idempotency keys, so the window is short; within it a
// repeat also meets the reference, which has to be unique.
const (
	DefaultReplayWindow = time.Hour
	DefaultTimeout      = 30 * time.Second
)

// The ways in which an account's callbacks are signed.
const (
	SignatureHMAC  = "hmac"  // base64(HMAC-SHA256(secret hash, body))
	SignaturePlain = "plain" // the secret hash itself
)

// Config is one account in one mode.
type Config struct {
	ClientID         string
	ClientSecret     string
	WebhookSecret    string // the secret hash; without it every callback is refused
	WebhookSignature string // SignatureHMAC (also where empty) or SignaturePlain
	Live             bool
	BaseURL          string // replaces the address of the tokens and of the API
	ReplayWindow     time.Duration
	Timeout          time.Duration     // of one exchange, its token included
	Transport        http.RoundTripper // nil: one of its own
}

// Flutterwave is a providers.Provider.
type Flutterwave struct {
	providers.SelfCompleting

	addresses     addresses
	networks      networkLists
	client        *http.Client
	clientSecret  wire.Secret
	plainHash     bool // callbacks carry the secret hash itself
	replayWindow  time.Duration
	timeout       time.Duration
	tokens        *tokens
	webhookSecret wire.Secret
}

var _ providers.Provider = (*Flutterwave)(nil)

// New checks the configuration without any network. It returns fault.Invalid with codes `provider_credentials_invalid`
// and `provider_config_invalid`.
func New(c Config) (*Flutterwave, error) {
	if err := c.checkCredentials(); err != nil {
		return nil, err
	}
	where, err := addressesOf(c.BaseURL, c.Live)
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
	httpClient := wire.Client(c.Transport)
	return &Flutterwave{
		addresses:    where,
		client:       httpClient,
		clientSecret: wire.Seal(c.ClientSecret),
		plainHash:    c.WebhookSignature == SignaturePlain,
		replayWindow: c.ReplayWindow,
		timeout:      c.Timeout,
		tokens: &tokens{
			client: httpClient, clientID: c.ClientID, clientSecret: wire.Seal(c.ClientSecret), timeout: c.Timeout,
			url: where.token, current: wire.Seal(""),
		},
		webhookSecret: wire.Seal(c.WebhookSecret),
	}, nil
}

// Name is the provider's identifier in the API.
func (*Flutterwave) Name() string { return "flutterwave" }

// Capabilities of Flutterwave. Charges are found by the reference that we give them, but that filter is known from
// types of third parties only, so that finding nothing never proves that a charge did not arrive. Flutterwave documents
// no call that cancels.
func (f *Flutterwave) Capabilities() providers.Capabilities {
	return providers.Capabilities{
		ReplayWindow: f.replayWindow, LookupByKey: true, LookupByRef: true, AsksPayer: true,
		Checks: []time.Duration{
			10 * time.Second, 20 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
			15 * time.Minute, time.Hour,
		},
	}
}

func (c Config) checkCredentials() error {
	for _, field := range []struct{ name, title, value string }{
		{FieldClientID, "client ID", c.ClientID},
		{FieldClientSecret, "client secret", c.ClientSecret},
	} {
		switch {
		case field.value == "":
			return fault.InvalidParam(field.name, "provider_credentials_invalid",
				"The Flutterwave %s is missing. Copy it from the Flutterwave dashboard, Settings, API keys.", field.title)
		case !printable(field.value):
			return fault.InvalidParam(field.name, "provider_credentials_invalid",
				"The Flutterwave %s contains spaces or characters that no key has. Copy it again.", field.title)
		}
	}
	switch c.WebhookSignature {
	case "", SignatureHMAC, SignaturePlain:
		return nil
	}
	return fault.InvalidParam(FieldWebhookSignature, "provider_credentials_invalid",
		"The form of the signature must be %q or %q.", SignatureHMAC, SignaturePlain)
}

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// String keeps the secrets out of logs that print a Config.
func (c Config) String() string {
	return fmt.Sprintf("flutterwave.Config{ClientSecret: %s, WebhookSecret: %s, Live: %t, BaseURL: %q}",
		wire.Seal(c.ClientSecret), wire.Seal(c.WebhookSecret), c.Live, c.BaseURL)
}

// GoString is String, for %#v.
func (c Config) GoString() string { return c.String() }

// MarshalJSON is String, for structured logs.
func (c Config) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprintf("%q", c.String())), nil }

// Package pawapay owns the conversation with pawaPay (Merchant API v2): the wire format, what each answer proves, which
// operators and amounts it takes, and its signed callbacks. It does not own when a call is made, repeated or given up
// (workflows), nor its row (db).
package pawapay

import (
	"fmt"
	"net/http"
	"time"

	"perennial/billing/fault"
	"perennial/providers"
	"perennial/providers/wire"
)

// Defaults of Config. pawaPay ignores a repeat of a depositId for as long as it knows the deposit, so it never charges
// twice; after a day a repeat is pointless, because an unanswered prompt has long ended.
const (
	DefaultReplayWindow = 24 * time.Hour
	DefaultTimeout      = 30 * time.Second
)

const (
	// absenceAfter is the time after which pawaPay guarantees that an unknown operation never arrived. The last repeat
	// may be as late as that behind the first send, and needs as long again.
	absenceAfter = 15 * time.Minute
	absenceGap   = absenceAfter
	// promptLife is longer than any operator's prompt is known to stay open. It is not documented: docs/providers.md.
	promptLife = 15 * time.Minute
)

// Config is one account in one mode.
type Config struct {
	APIToken string
	APIURL   string // empty: pawaPay's address of the mode
	// WebhookSecret is the last segment of the callback address of an account whose callbacks are not signed; empty:
	// unsigned callbacks are refused.
	WebhookSecret string
	Live          bool
	BaseURL       string   // in place of APIURL, by the operator
	AllowedHosts  []string // further hosts for APIURL, by the operator's choice
	ReplayWindow  time.Duration
	Timeout       time.Duration     // of one exchange, from dialling to the last byte of the answer
	Transport     http.RoundTripper // nil: one of its own
}

// PawaPay is a providers.Provider.
type PawaPay struct {
	providers.SelfCompleting

	apiToken      wire.Secret
	baseURL       string
	client        *http.Client
	conf          wire.Copy[conditions]
	keys          keyCache
	replayWindow  time.Duration
	timeout       time.Duration
	webhookSecret wire.Secret
}

var _ providers.Provider = (*PawaPay)(nil)

// New checks the configuration without any network. It returns fault.Invalid with codes
// `provider_credentials_invalid`, `provider_environment_mismatch` and `provider_config_invalid`.
func New(c Config) (*PawaPay, error) {
	if err := checkToken(c.APIToken); err != nil {
		return nil, err
	}
	if err := checkWebhookSecret(c.WebhookSecret); err != nil {
		return nil, err
	}
	base, err := baseURL(c)
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
	return &PawaPay{
		apiToken:      wire.Seal(c.APIToken),
		baseURL:       base,
		client:        wire.Client(c.Transport),
		replayWindow:  c.ReplayWindow,
		timeout:       c.Timeout,
		webhookSecret: wire.Seal(c.WebhookSecret),
	}, nil
}

// Name is the provider's identifier in the API.
func (*PawaPay) Name() string { return "pawapay" }

// Capabilities of pawaPay. The payer answers a prompt, which takes seconds to minutes, so the first look-ups are close
// together.
func (p *PawaPay) Capabilities() providers.Capabilities {
	return providers.Capabilities{
		ReplayWindow: p.replayWindow, LookupByKey: true, LookupByRef: true,
		AbsenceAfter: absenceAfter, AbsenceGap: absenceGap,
		Checks: []time.Duration{
			15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
		},
		Expiry: promptLife,
	}
}

// String keeps the credentials out of logs that print a Config.
func (c Config) String() string {
	return fmt.Sprintf("pawapay.Config{APIToken: %s, WebhookSecret: %s, Live: %t, APIURL: %q, BaseURL: %q}",
		wire.Seal(c.APIToken), wire.Seal(c.WebhookSecret), c.Live, c.APIURL, c.BaseURL)
}

// GoString is String, for %#v.
func (c Config) GoString() string { return c.String() }

// MarshalJSON is String, for structured logs.
func (c Config) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprintf("%q", c.String())), nil }

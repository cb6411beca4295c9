package adyen

import (
	"encoding/hex"
	"net/url"
	"regexp"
	"strings"

	"perennial/billing/fault"
	"perennial/providers"
	"perennial/providers/wire"
)

// apiVersion is part of every path.
const apiVersion = "/v71"

const testURL = "https://checkout-test.adyen.com"

// livePrefix begins the first label of the live host. It has neither a dot nor a slash, so that no credential can send
// a charge to another host; with "-checkout-live" the label stays within DNS's 63 characters.
var livePrefix = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9-]{0,47}[A-Za-z0-9])?$`)

// accountName excludes the colon, which separates the fields that a webhook's signature covers.
var accountName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$`)

// minHMACKey is half of what Adyen generates; a shorter key is a truncated copy.
const minHMACKey = 16

// Open checks an account without any network, and makes its adapter. Faults: `provider_credentials_invalid`,
// `provider_environment_mismatch`, `provider_config_invalid` (Invalid).
func (Factory) Open(account providers.Account) (providers.Provider, error) {
	hmacKey, err := checkCredentials(account.Credentials)
	if err != nil {
		return nil, err
	}
	base, err := baseURL(account)
	if err != nil {
		return nil, err
	}
	if account.ReplayWindow < 0 || account.Timeout < 0 {
		return nil, fault.New(fault.Invalid, "provider_config_invalid",
			"The replay window and the timeout cannot be negative.")
	}
	a := &Adyen{
		apiKey:          wire.Seal(account.Credentials[FieldAPIKey]),
		baseURL:         base,
		client:          wire.Client(account.Transport),
		hmacKey:         wire.Seal(hmacKey),
		live:            account.Live,
		merchantAccount: account.Credentials[FieldMerchantAccount],
		replayWindow:    account.ReplayWindow,
		timeout:         account.Timeout,
	}
	if a.replayWindow == 0 {
		a.replayWindow = DefaultReplayWindow
	}
	if a.timeout == 0 {
		a.timeout = DefaultTimeout
	}
	return a, nil
}

// checkCredentials returns the decoded HMAC key. No message repeats a value: it may be a secret in the wrong field.
func checkCredentials(c map[string]string) (hmacKey string, err error) {
	key := c[FieldAPIKey]
	switch {
	case key == "":
		return "", invalid(FieldAPIKey, "The Adyen API key is missing. Generate one in the Customer Area, Developers, "+
			"API credentials.")
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", invalid(FieldAPIKey, "The Adyen API key contains spaces or characters that no key has. Copy it again.")
	case !accountName.MatchString(c[FieldMerchantAccount]):
		return "", invalid(FieldMerchantAccount, "The Adyen merchant account is missing or malformed. "+
			"Send its code, such as AcmeECOM, as the Customer Area shows it.")
	}
	raw, err := hex.DecodeString(c[FieldWebhookSecret])
	if err != nil || (len(raw) > 0 && len(raw) < minHMACKey) {
		return "", invalid(FieldWebhookSecret, "The HMAC key of the webhook must be the hexadecimal digits that the "+
			"Customer Area shows when it generates the key.")
	}
	return string(raw), nil
}

func baseURL(account providers.Account) (string, error) {
	prefix := account.Credentials[FieldLiveEndpointPrefix]
	switch {
	case account.Live && prefix == "":
		return "", invalid(FieldLiveEndpointPrefix, "A live environment needs the prefix of the live endpoint URL. "+
			"Copy it from the Customer Area, Developers, API URLs.")
	case account.Live && !livePrefix.MatchString(prefix):
		return "", invalid(FieldLiveEndpointPrefix, "The prefix of the live endpoint URL has letters, digits and hyphens "+
			"only, such as 1797a841fbb37ca7-AcmeInc. Send it without the rest of the URL.")
	case !account.Live && prefix != "":
		return "", fault.InvalidParam(FieldLiveEndpointPrefix, "provider_environment_mismatch",
			"A test environment has no live endpoint prefix. Leave it out, or use the live environment.")
	case account.BaseURL != "":
		return override(account)
	case account.Live:
		return "https://" + prefix + "-checkout-live.adyenpayments.com/checkout" + apiVersion, nil
	}
	return testURL + apiVersion, nil
}

// override is the operator's address of a simulator.
func override(account providers.Account) (string, error) {
	u, err := url.Parse(account.BaseURL)
	if err != nil || u.Host == "" || u.User != nil || (u.Scheme != "https" && u.Scheme != "http") || u.RawQuery != "" {
		return "", fault.New(fault.Invalid, "provider_config_invalid",
			"The Adyen base URL is malformed. Send a URL such as %s.", testURL)
	}
	if account.Live && u.Scheme != "https" {
		return "", fault.New(fault.Invalid, "provider_config_invalid",
			"A live Adyen account requires a base URL with https.")
	}
	return strings.TrimRight(account.BaseURL, "/") + apiVersion, nil
}

func invalid(field, detail string) error {
	return fault.InvalidParam(field, "provider_credentials_invalid", "%s", detail)
}

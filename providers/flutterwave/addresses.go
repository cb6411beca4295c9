package flutterwave

import (
	"net/url"
	"strings"

	"perennial/billing/fault"
)

// The addresses of Flutterwave v4. Its own code sample exchanges the test and the live one, so they are only here: if
// the sample is right, swap them here. Both modes get their tokens at one address.
const (
	identityURL = "https://idp.flutterwave.com"
	testURL     = "https://developersandbox-api.flutterwave.com"
	liveURL     = "https://f4bexperience.flutterwave.com"

	tokenPath = "/realms/flutterwave/protocol/openid-connect/token"
)

// addresses are the addresses of one account.
type addresses struct {
	api   string // without a final slash
	token string
}

// addressesOf uses base for everything where it is given: no path of the API begins like the token's, so that one port
// can serve both. Faults: provider_config_invalid.
func addressesOf(base string, live bool) (addresses, error) {
	if base == "" {
		api := testURL
		if live {
			api = liveURL
		}
		return addresses{api: api, token: identityURL + tokenPath}, nil
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.User != nil || (u.Scheme != "https" && u.Scheme != "http") || u.RawQuery != "" {
		return addresses{}, fault.New(fault.Invalid, "provider_config_invalid",
			"The Flutterwave base URL is malformed. Send a URL such as %s.", testURL)
	}
	if live && u.Scheme != "https" {
		return addresses{}, fault.New(fault.Invalid, "provider_config_invalid",
			"A live Flutterwave account requires a base URL with https.")
	}
	base = strings.TrimRight(base, "/")
	return addresses{api: base, token: base + tokenPath}, nil
}

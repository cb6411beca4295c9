package pawapay

import (
	"net/url"
	"slices"
	"strings"

	"perennial/billing/fault"
)

// The addresses that pawaPay documents. Only the host differs between the modes.
const (
	SandboxURL = "https://api.sandbox.pawapay.io"
	LiveURL    = "https://api.pawapay.io"
)

func ownURL(live bool) string {
	if live {
		return LiveURL
	}
	return SandboxURL
}

func mode(live bool) string {
	if live {
		return "live"
	}
	return "test"
}

func checkToken(token string) error {
	if token == "" {
		return fault.InvalidParam(FieldAPIToken, "provider_credentials_invalid",
			"The pawaPay API token is missing. Create one in the pawaPay dashboard, System configuration, API tokens.")
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fault.InvalidParam(FieldAPIToken, "provider_credentials_invalid",
			"The pawaPay API token contains spaces or characters that no token has. Copy it again.")
	}
	return nil
}

// shortestSecret keeps the secret of a callback address beyond guessing.
const shortestSecret = 16

// checkWebhookSecret allows only characters that a path has unescaped, so that the address has one spelling.
func checkWebhookSecret(s string) error {
	if s == "" {
		return nil
	}
	foreign := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}
	if len(s) < shortestSecret || len(s) > 128 || strings.ContainsFunc(s, foreign) {
		return fault.InvalidParam(FieldWebhookSecret, "provider_credentials_invalid",
			"The webhook secret is a part of the callback address. "+
				"Send %d to 128 letters, digits, hyphens and underscores.", shortestSecret)
	}
	return nil
}

// baseURL decides where requests go. The tenant's address is held to the hosts that pawaPay documents, or any tenant
// could make this server call any other (SSRF); the operator's override is trusted.
func baseURL(c Config) (string, error) {
	own, err := tenantURL(c)
	if err != nil || c.BaseURL == "" {
		return own, err
	}
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Host == "" || u.User != nil || (u.Scheme != "https" && u.Scheme != "http") || u.RawQuery != "" {
		return "", fault.New(fault.Invalid, "provider_config_invalid",
			"The pawaPay base URL is malformed. Set a URL such as %s.", SandboxURL)
	}
	if c.Live && u.Scheme != "https" {
		return "", fault.New(fault.Invalid, "provider_config_invalid",
			"A live pawaPay account requires a base URL with https.")
	}
	return strings.TrimRight(c.BaseURL, "/"), nil
}

func tenantURL(c Config) (string, error) {
	if c.APIURL == "" {
		return ownURL(c.Live), nil
	}
	u, err := url.Parse(c.APIURL)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" ||
		u.RawQuery != "" || u.Fragment != "" {
		return "", fault.InvalidParam(FieldAPIURL, "provider_credentials_invalid",
			"The API URL is not that of pawaPay. A %s environment uses %s.", mode(c.Live), ownURL(c.Live))
	}
	switch address := "https://" + strings.ToLower(u.Host); {
	case address == ownURL(c.Live), slices.Contains(c.AllowedHosts, strings.ToLower(u.Host)):
		return address, nil
	case address == ownURL(!c.Live):
		return "", fault.InvalidParam(FieldAPIURL, "provider_environment_mismatch",
			"This API URL belongs to the other mode. A %s environment uses %s.", mode(c.Live), ownURL(c.Live))
	}
	return "", fault.InvalidParam(FieldAPIURL, "provider_credentials_invalid",
		"The host of the API URL is not allowed. A %s environment uses %s.", mode(c.Live), ownURL(c.Live))
}

package webhooks

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"perennial/billing/fault"
	"perennial/internal/hostname"
)

const maxURL = 2048

// CheckURL reports whether an endpoint may be registered with a URL. live refuses URLs that only test environments may
// use: local receivers at an address in allow, also with http. A name is resolved when an attempt connects, not here:
// its addresses may change.
//
// Faults, all of the field `url`: webhook_url_invalid, webhook_url_not_https, webhook_url_forbidden.
func CheckURL(raw string, live bool, allow Allow) error {
	u, err := parseURL(raw)
	if err != nil {
		return err
	}
	if live {
		allow = nil
	}
	local := len(allow) > 0
	if u.Scheme != "https" && (u.Scheme != "http" || !local) {
		if u.Scheme == "http" && !live {
			return refuse("webhook_url_not_https", "`url` begins with http. Send an https URL. "+
				"The operator can allow local receivers of test environments to do without.")
		}
		return refuse("webhook_url_not_https", "`url` begins with %s. Send an https URL.", u.Scheme)
	}
	return checkHost(u, local, allow)
}

// parseURL checks what holds for every receiver.
func parseURL(raw string) (*url.URL, error) {
	if raw == "" || len(raw) > maxURL {
		return nil, refuse("webhook_url_invalid",
			"`url` has %d characters. Send an https URL of at most %d.", len(raw), maxURL)
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" || u.Host == "" || u.Opaque != "" {
		return nil, refuse("webhook_url_invalid", "`url` is no absolute URL. Send one such as https://example.com/webhooks.")
	}
	if u.User != nil {
		return nil, refuse("webhook_url_invalid",
			"`url` holds a user name or a password. Leave them out, because the signature identifies the sender.")
	}
	if strings.Contains(raw, "#") {
		return nil, refuse("webhook_url_invalid",
			"`url` has a fragment, which no server receives. Remove what follows the #.")
	}
	if u.Hostname() == "" || strings.ContainsAny(u.Hostname(), " %") {
		return nil, refuse("webhook_url_invalid",
			"`url` has no usable host name. Send one such as https://example.com/webhooks.")
	}
	if port := u.Port(); port != "" || strings.HasSuffix(u.Host, ":") {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, refuse("webhook_url_invalid", "`url` has port %q. Send a port from 1 to 65535, or none for 443.", port)
		}
	}
	return u, nil
}

// checkHost refuses hosts that cannot be public: literal addresses, and names that only a local resolver knows.
func checkHost(u *url.URL, local bool, allow Allow) error {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if addr, err := netip.ParseAddr(host); err == nil {
		if allow.Contains(addr) {
			return nil
		}
		if name := networkOf(addr); name != "" {
			return refuse("webhook_url_forbidden",
				"`url` points to %s, which is not on the public internet (%s). Send the public address of the receiver.",
				addr, name)
		}
		if u.Scheme != "https" {
			return refuse("webhook_url_not_https", "`url` begins with http and is no local receiver. Send an https URL.")
		}
		return nil
	}
	host, ok := hostname.ToASCII(host)
	labels := strings.Split(host, ".")
	top := labels[len(labels)-1]
	switch {
	case !ok:
		return refuse("webhook_url_invalid", "`url` has no usable host name. Send one such as https://example.com/webhooks.")
	case numeric(top):
		return refuse("webhook_url_invalid", "`url` has the host %q, which is neither a name nor an IP address. "+
			"Write IP addresses in their usual form.", host)
	case !local && (len(labels) == 1 || localNames[top]):
		return refuse("webhook_url_forbidden",
			"`url` points to %q, a name that only a local network knows. Send the public name of the receiver.", host)
	}
	return nil
}

// localNames are top-level names that are never public (RFC 6761, RFC 6762, RFC 8375, and ICANN's private one).
var localNames = map[string]bool{
	"localhost": true, "local": true, "localdomain": true, "internal": true, "intranet": true, "lan": true, "home": true,
	"corp": true, "private": true,
}

// numeric reports whether a label is a number, as in 0x7f.1 and 2130706433, which some resolvers read as an address.
func numeric(label string) bool {
	_, err := strconv.ParseUint(label, 0, 64)
	if err == nil {
		return true
	}
	_, err = strconv.ParseUint(label, 10, 64)
	return err == nil
}

func refuse(code, detail string, args ...any) error {
	return fault.InvalidParam("url", code, detail, args...)
}

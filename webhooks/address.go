package webhooks

import "net/netip"

// network is a network outside the public internet.
type network struct {
	prefix netip.Prefix
	name   string
}

func reserved(prefix, name string) network { return network{netip.MustParsePrefix(prefix), name} }

// The registries of special-purpose addresses (IANA) and of clouds. Addresses inside Perennial's own network must be
// out of reach of anyone who can register a URL.
var forbidden = []network{
	reserved("0.0.0.0/8", "unspecified"),
	reserved("10.0.0.0/8", "private"),
	reserved("100.64.0.0/10", "carrier-grade NAT"),
	reserved("127.0.0.0/8", "loopback"),
	reserved("168.63.129.16/32", "cloud metadata"),
	reserved("169.254.0.0/16", "link-local, cloud metadata"),
	reserved("172.16.0.0/12", "private"),
	reserved("192.0.0.0/24", "protocol assignments, cloud metadata"),
	reserved("192.0.2.0/24", "documentation"),
	reserved("192.31.196.0/24", "AS112"),
	reserved("192.52.193.0/24", "multicast tunnel"),
	reserved("192.88.99.0/24", "6to4 relay"),
	reserved("192.168.0.0/16", "private"),
	reserved("192.175.48.0/24", "AS112"),
	reserved("198.18.0.0/15", "benchmarking"),
	reserved("198.51.100.0/24", "documentation"),
	reserved("203.0.113.0/24", "documentation"),
	reserved("224.0.0.0/4", "multicast"),
	reserved("240.0.0.0/4", "reserved, broadcast"),

	reserved("::/128", "unspecified"),
	reserved("::1/128", "loopback"),
	reserved("::/96", "IPv4-compatible"),
	reserved("64:ff9b::/96", "NAT64"),
	reserved("64:ff9b:1::/48", "local NAT64"),
	reserved("100::/64", "discard-only"),
	reserved("2001::/32", "Teredo"),
	reserved("2001::/23", "protocol assignments"),
	reserved("2001:db8::/32", "documentation"),
	reserved("2002::/16", "6to4"),
	reserved("2620:4f:8000::/48", "AS112"),
	reserved("3fff::/20", "documentation"),
	reserved("5f00::/16", "segment routing"),
	reserved("fc00::/7", "unique local, cloud metadata"),
	reserved("fe80::/10", "link-local"),
	reserved("fec0::/10", "site-local"),
	reserved("ff00::/8", "multicast"),
}

// globalUnicast is the whole part of IPv6 that is assigned to the internet.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// networkOf returns the name of the network that makes an address unusable for a receiver. Empty: it is a public one.
func networkOf(addr netip.Addr) string {
	addr = addr.Unmap().WithZone("")
	if !addr.IsValid() {
		return "invalid"
	}
	for _, n := range forbidden {
		if n.prefix.Contains(addr) {
			return n.name
		}
	}
	if addr.Is6() {
		if !globalUnicast.Contains(addr) {
			return "unassigned"
		}
		if isatap(addr) {
			return "ISATAP"
		}
	}
	return ""
}

// isatap reports whether the lower half of the address embeds one of IPv4, which a router may tunnel to (RFC 5214).
func isatap(addr netip.Addr) bool {
	b := addr.As16()
	return (b[8] == 0 || b[8] == 2) && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

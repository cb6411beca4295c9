package webhooks

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"perennial/internal/cidr"
)

// Allow lists networks of local receivers, which endpoints of test environments may use although no address on the
// internet lies there, and without TLS. Live endpoints never may.
type Allow []netip.Prefix

// ParseAllow reads addresses and prefixes, comma separated: "127.0.0.1, ::1, 10.0.0.0/8". Empty text allows none.
func ParseAllow(text string) (Allow, error) {
	var allow Allow
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		prefix, err := cidr.Parse(part)
		if err != nil {
			addr, addrErr := netip.ParseAddr(part)
			if addrErr != nil || addr.Zone() != "" {
				return nil, fmt.Errorf("%q is neither an IP address nor a prefix such as 127.0.0.0/8", part)
			}
			addr = addr.Unmap()
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		allow = append(allow, prefix)
	}
	return allow, nil
}

// Contains reports whether a local receiver may listen at the address.
func (a Allow) Contains(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	return slices.ContainsFunc(a, func(p netip.Prefix) bool { return p.Contains(addr) })
}

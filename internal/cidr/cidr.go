// Package cidr reads networks in CIDR notation. It does not own the purpose of a network.
package cidr

import (
	"fmt"
	"net/netip"
)

// mapped is the number of bits of an IPv6 address that mark a mapped IPv4 address.
const mapped = 96

// Parse reads a network such as 10.0.0.0/8, without the bits that are the host's. An IPv4 network in the form of IPv6,
// such as ::ffff:10.0.0.0/104, is that IPv4 network: addresses of clients are compared in the form of IPv4, and a
// network that is not would contain none of them.
func Parse(text string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(text)
	switch {
	case err != nil:
		return netip.Prefix{}, err
	case !p.Addr().Is4In6():
		return p.Masked(), nil
	case p.Bits() < mapped:
		return netip.Prefix{}, fmt.Errorf("%s is an IPv4 address with the length of an IPv6 network", p)
	}
	return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mapped).Masked(), nil
}

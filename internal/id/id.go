// Package id makes the opaque, prefixed, time-sortable identifiers of every resource. It does not own which
// prefix a resource has beyond the list below; nobody may read meaning out of an ID but its prefix.
package id

import (
	"crypto/rand"
	"encoding/binary"
	"strings"
	"time"
)

// Prefixes of the resources. The first six come from the interface specification.
const (
	Customer       = "cust_"
	Subscription   = "sub_"
	Transaction    = "txn_"
	Plan           = "plan_"
	Event          = "evt_"
	Invoice        = "in_"
	InvoiceLine    = "il_"
	Tenant         = "ten_"
	App            = "app_"
	Environment    = "env_"
	APIKey         = "key_"
	ProviderConfig = "pp_"
	ProviderCall   = "call_"
	Callback       = "cb_"
	TestClock      = "clk_"
	Credit         = "cr_"
	Command        = "cmd_"
	Price          = "price_"
	Request        = "req_"
)

// alphabet is Crockford's base 32 in lower case: it sorts as the bits do and has no look-alikes.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// New returns prefix + 26 characters: 48 bits of milliseconds since 1970, then 80 random bits, so that IDs made
// later sort later and nobody can guess one. At is real time, also for resources that live on a test clock.
func New(prefix string, at time.Time) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(at.UnixMilli())<<16)
	_, _ = rand.Read(b[6:]) // crypto/rand never fails: it ends the process instead
	var s strings.Builder
	s.Grow(len(prefix) + 26)
	s.WriteString(prefix)
	hi, lo := binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
	for shift := 125; shift >= 0; shift -= 5 {
		s.WriteByte(alphabet[five(hi, lo, shift)])
	}
	return s.String()
}

// five reads the five bits that start at bit shift of the 128-bit number hi:lo.
func five(hi, lo uint64, shift int) byte {
	switch {
	case shift >= 64:
		return byte(hi >> (shift - 64) & 31)
	case shift > 59:
		return byte((lo>>shift | hi<<(64-shift)) & 31)
	default:
		return byte(lo >> shift & 31)
	}
}

// Is tells whether s has the shape of an ID with this prefix. It says nothing about existence.
func Is(prefix, s string) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok || len(rest) != 26 {
		return false
	}
	return strings.Trim(rest, alphabet) == ""
}

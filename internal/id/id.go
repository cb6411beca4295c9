// Package id makes the opaque, prefixed, time-sortable identifiers of every resource. It does not own which prefix a
// resource has beyond the list below; only the prefix of an ID has a meaning.
package id

import (
	"crypto/rand"
	"encoding/binary"
	"math/bits"
	"strings"
	"sync"
	"time"
)

// Prefixes of the resources. The first six come from the interface specification.
const (
	Customer          = "cust_"
	Subscription      = "sub_"
	Transaction       = "txn_"
	Plan              = "plan_"
	Event             = "evt_"
	Invoice           = "in_"
	InvoiceLine       = "il_"
	TakenBack         = "tb_" // lines that were taken back, which no address shows
	SubscriptionItem  = "si_"
	Tenant            = "ten_"
	App               = "app_"
	Environment       = "env_"
	APIKey            = "key_"
	ProviderConfig    = "pp_"
	ProviderCall      = "call_"
	Dispute           = "dsp_"
	Callback          = "cb_"
	TestClock         = "clk_"
	Endpoint          = "whe_"
	Delivery          = "whd_"
	Credit            = "cr_"
	Command           = "cmd_"
	Price             = "price_"
	Request           = "req_"
	Erasure           = "era_"
	Decision          = "dec_"
	CredentialChange  = "cch_"
	EndpointChange    = "whc_"
	EnvironmentChange = "ech_"
	SettingChange     = "stc_"
	TaxRate           = "txr_"
	CreditNote        = "cn_"
	CreditGrant       = "crg_"
	PaymentMethod     = "pm_"
	Coupon            = "coup_"
	Product           = "prod_"
	Metric            = "met_"
	UsageRecord       = "usg_"
	ScheduledChange   = "chg_"
	AuditEntry        = "aud_"
	Email             = "em_"
	EmailSender       = "ems_"
	InvoiceTemplate   = "it_"
)

// alphabet is Crockford's base 32 in lower case: it sorts as the bits do and has no look-alikes.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// New returns prefix + 26 characters: 48 bits of milliseconds since 1970, then 80 random bits, so that IDs made later
// sort later and cannot be guessed. At is real time, also for resources on a test clock.
func New(prefix string, at time.Time) string {
	hi, lo := next(uint64(at.UnixMilli()))
	return format(prefix, hi, lo)
}

// Earliest returns what sorts before every ID of this prefix that New makes at a time or later,
// and after every earlier one.
func Earliest(prefix string, at time.Time) string {
	return format(prefix, uint64(max(at.UnixMilli(), 0))<<16, 0)
}

// format writes the 128 bits hi:lo.
func format(prefix string, hi, lo uint64) string {
	var s strings.Builder
	s.Grow(len(prefix) + 26)
	s.WriteString(prefix)
	for shift := 125; shift >= 0; shift -= 5 {
		s.WriteByte(alphabet[five(hi, lo, shift)])
	}
	return s.String()
}

// last is the latest ID of this process.
var last struct {
	sync.Mutex
	hi, lo uint64
}

// next returns the 128 bits of a new ID. Within one millisecond it counts on from the last by a random step of 32 bits,
// so that the events of one transaction are listed in the order in which they happened and stay unguessable.
func next(milliseconds uint64) (hi, lo uint64) {
	var b [16]byte
	_, _ = rand.Read(b[6:]) // crypto/rand never fails: it ends the process instead
	binary.BigEndian.PutUint16(b[4:], uint16(milliseconds))
	binary.BigEndian.PutUint32(b[:4], uint32(milliseconds>>16))
	hi, lo = binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
	last.Lock()
	defer last.Unlock()
	if hi>>16 == last.hi>>16 {
		var carry uint64
		lo, carry = bits.Add64(last.lo, lo>>32+1, 0)
		if hi = last.hi + carry; hi>>16 != milliseconds {
			hi = milliseconds<<16 | hi&0xffff // the random bits ran over: this one sorts early
		}
	}
	last.hi, last.lo = hi, lo
	return hi, lo
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

// Is reports whether s has the shape of an ID with this prefix. It says nothing about existence.
func Is(prefix, s string) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok || len(rest) != 26 {
		return false
	}
	return strings.Trim(rest, alphabet) == ""
}

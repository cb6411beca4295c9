package usage

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
)

// Fingerprint tells a repeat of a record from another record with the same key: 16 bytes of a hash of what the caller
// sent. A time that was left out stays out, so that its repeat is one.
func (r Record) Fingerprint() []byte {
	hash := sha256.New()
	write := func(parts ...string) {
		for _, part := range parts {
			hash.Write(binary.AppendUvarint(nil, uint64(len(part)))) // lengths keep the parts apart
			hash.Write([]byte(part))
		}
	}
	at := ""
	if !r.At.IsZero() {
		at = strconv.FormatInt(r.At.UnixMicro(), 10)
	}
	write(r.SubscriptionID, r.Metric, r.Quantity.String(), at, r.Corrects)
	for _, name := range slices.Sorted(maps.Keys(r.Properties)) {
		write(name, r.Properties[name])
	}
	return hash.Sum(nil)[:16]
}

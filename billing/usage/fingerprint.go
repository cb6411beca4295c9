package usage

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
)

// Fingerprint returns 16 bytes of a hash of the sent record. It distinguishes a repetition from another record with the
// same key. An omitted time stays omitted, so that its repetition has the same fingerprint.
func (r Record) Fingerprint() []byte {
	text := make([]byte, 0, 256)
	write := func(part string) {
		text = binary.AppendUvarint(text, uint64(len(part))) // lengths separate the parts
		text = append(text, part...)
	}
	at := ""
	if !r.At.IsZero() {
		at = strconv.FormatInt(r.At.UnixMicro(), 10)
	}
	for _, part := range [...]string{r.SubscriptionID, r.Metric, r.Quantity.String(), at, r.Corrects} {
		write(part)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Properties)) {
		write(name)
		write(r.Properties[name])
	}
	hash := sha256.Sum256(text)
	return hash[:16:16]
}

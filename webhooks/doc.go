// Package webhooks owns the wire format for receivers: the bytes of a payload, the headers that sign it, the checks of
// a receiver's URL and address, and the one HTTP exchange of an attempt. It does not own when an attempt is made, nor
// its row. Receivers verify with package webhooks/verify or with any Standard Webhooks library.
package webhooks

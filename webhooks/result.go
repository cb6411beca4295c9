package webhooks

import (
	"net/http"
	"time"
)

// maxExcerpt is the part of an answer that is read and kept, in bytes.
const maxExcerpt = 64 << 10

// Failure is the class of a failed attempt, for filters and metrics. Empty: the receiver answered 200.
type Failure string

// The classes.
const (
	FailedURL      Failure = "url"               // the URL may not be used; nothing was sent
	FailedDNS      Failure = "dns"               // the name has no address; nothing was sent
	FailedAddress  Failure = "address_forbidden" // the address is not on the public internet; nothing was sent
	FailedConnect  Failure = "connect"           // refused or unreachable; nothing was sent
	FailedTLS      Failure = "tls"               // no connection with TLS 1.2 or later, or a certificate that is not valid
	FailedTimeout  Failure = "timeout"           // no complete answer within the limit
	FailedReset    Failure = "reset"             // the receiver closed the connection before its answer was complete
	FailedProtocol Failure = "protocol"          // the answer is not HTTP
	FailedRedirect Failure = "redirect"          // 3xx: redirects are not followed
	FailedStatus   Failure = "status"            // another status than 200
	FailedCanceled Failure = "canceled"          // the sender was stopped: says nothing about the receiver
	FailedOther    Failure = "other"             // none of these
)

// Failures lists the classes in the order of the documentation.
func Failures() []Failure {
	return []Failure{
		FailedURL, FailedDNS, FailedAddress, FailedConnect, FailedTLS, FailedTimeout, FailedReset, FailedProtocol,
		FailedRedirect, FailedStatus, FailedCanceled, FailedOther,
	}
}

// Result is the result of one attempt. Nothing in it is secret: the URL, which may hold a token, and the headers sent
// stay out of it.
type Result struct {
	Status     int           // HTTP status; 0: none arrived
	Latency    time.Duration // from the start of the attempt to the end of the read
	Excerpt    string        // the beginning of the answer as valid UTF-8 without NUL, at most 64 KiB
	RetryAfter time.Duration // how long the receiver asked to wait, not bounded; 0: it did not
	Failure    Failure
	Detail     string // one or two sentences for people; empty where Failure is
}

// Delivered reports whether the receiver accepted the delivery: it answered 200, completely and in time.
func (r Result) Delivered() bool { return r.Failure == "" }

// Gone reports whether the receiver asks for no more deliveries: it answered 410, as Standard Webhooks says.
func (r Result) Gone() bool { return r.Status == http.StatusGone }

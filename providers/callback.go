package providers

import (
	"net/http"

	"perennial/billing/money"
)

// Kind is the kind of a callback, the same for all providers.
type Kind string

// The kinds. An adapter gives one only where it is sure: a callback of KindUnknown is always looked at.
const (
	KindUnknown    Kind = ""
	KindCreated    Kind = "created"    // the operation exists
	KindProcessing Kind = "processing" // it is not decided
	KindSucceeded  Kind = "succeeded"
	KindFailed     Kind = "failed"   // also declined or canceled
	KindRefunded   Kind = "refunded" // money of a charge went back, by whoever
	KindDisputed   Kind = "disputed"
)

// CallbackRequest is a message as it arrived. Some providers sign method, host and path in addition to the body.
type CallbackRequest struct {
	Method string
	Host   string // as the request named it
	Path   string // including the part after the configuration's ID, escaped as it came
	Header http.Header
	Body   []byte // unmodified
}

// Callback is one thing that a provider says. A message may hold several.
type Callback struct {
	EventID       string // dedupe on it: the provider's own event ID, else what makes the message unique
	Type          string
	Kind          Kind
	TransactionID string // our reference, if the message carries it
	Key           string // our key of the send, if the message carries it
	Ref           string // provider's reference
	// AmountRefunded is the total refunded amount of the charge, according to the message; zero: it does not say.
	AmountRefunded money.Minor
	// Evidence is the proof in the message itself: only where the provider signed it and cannot be asked. It has the
	// form of a look-up of the transaction that TransactionID names, with two differences. Refunds and Disputes are
	// only those that the message is about. And a Canceled charge with Refunds leaves open whether it was captured
	// before: where it is booked as captured, its money went back. Amount is zero where the message is not about the
	// transaction's own amount. Nil: the operation is looked up before anything is booked.
	Evidence *Result
	// NeedsRef: the Evidence counts only once the provider's reference of the transaction is known. Until then another
	// operation of the same send may follow the one that the message is about.
	NeedsRef bool
}

// Acknowledgement is the response by which a provider counts a message as received. The status is 200.
type Acknowledgement struct {
	ContentType string
	Body        string
}

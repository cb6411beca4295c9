// Package payment owns a payment transaction: how charges and refunds begin, which status may follow which (the same
// pairs are guarded by a database trigger) and the next step of the charge protocol for an open one. It does not own
// retries (collection) nor the vocabulary of providers (answer).
package payment

import "perennial/billing/fault"

// Status of a transaction; it tells the provider's truth.
type Status string

// The statuses, from the interface specification.
const (
	Pending  Status = "pending"
	Success  Status = "success"
	Failed   Status = "failed"
	Declined Status = "declined"
	Canceled Status = "canceled"
	Refunded Status = "refunded"
)

// Type of a transaction.
type Type string

// The types.
const (
	Charge Type = "charge"
	Refund Type = "refund"
)

// ErrFinal refuses to overwrite a final status.
var ErrFinal = fault.New(fault.Conflict, "transaction_final",
	"The transaction has a final status, which cannot change.")

// CanBecome reports whether a transaction of type typ may go from one status to another. Pending may become any final
// status of its type; failed and declined may still become the success that a provider confirms late; success,
// canceled and refunded stay (interface specification, States and transitions).
func CanBecome(typ Type, from, to Status) bool {
	good := Success
	if typ == Refund {
		good = Refunded
	}
	switch from {
	case Pending:
		return to == good || to == Failed || to == Declined && typ == Charge || to == Canceled
	case Failed, Declined:
		return to == good
	default:
		return false
	}
}

package providers

import "time"

// Capabilities are the possibilities of a provider's protocol. The rules of payments choose their moves by them.
type Capabilities struct {
	// ReplayWindow is the time since the first send, in real time, in which a repeat with the same key returns the
	// first result instead of moving money again. Zero: nothing may ever be repeated.
	ReplayWindow time.Duration
	// LookupByKey: an operation is found by what we named it, before the provider's reference is known.
	LookupByKey bool
	// FindsTransaction: that look-up finds the operation of any send of a transaction, whatever its key.
	FindsTransaction bool
	// LookupByRef: an operation is found by the provider's reference.
	LookupByRef bool
	// Cancel: a pending charge can be asked to be canceled.
	Cancel bool
	// AbsenceAfter is the time after the last send from which a look-up that finds nothing is proof that the operation
	// never arrived. Zero: it never is.
	AbsenceAfter time.Duration
	// AbsenceGap is the least time between two such look-ups. Zero: one is proof.
	AbsenceGap time.Duration
	// Checks are the waits before each look-up of a pending operation; the last one repeats. Empty: the default.
	Checks []time.Duration
	// Expiry is the time that a payer has to confirm a charge before the provider ends it; zero: the provider names
	// none.
	Expiry time.Duration
	// AsksPayer: a charge with a ReturnURL may wait for its payer to confirm it on a page (Result.ConfirmURL).
	AsksPayer bool
	// Completes: a charge that waits for its payer moves no money before CompleteCharge, whatever the payer did on the
	// page.
	Completes bool
	// RequestsPerSecond is the provider's published limit for an account; zero: none is known.
	RequestsPerSecond int
}

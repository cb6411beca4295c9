package recording

import (
	"time"

	"perennial/billing/answer"
	"perennial/billing/charging"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/payment"
)

// Result is one answer of a provider about one transaction, with the rows that it concerns besides the State.
type Result struct {
	Transaction payment.Transaction   // as it is now, under lock
	Charge      *payment.Transaction  // of a refund: the charge that it gives back, under lock
	Refunds     []payment.Transaction // of Captured, where the Answer is about them or takes it back: all, under lock
	Invoice     *invoice.Invoice      // that the transaction pays, where it is not open any more; nil: open, or none
	// the success of its own that another capture of the charge became, under lock; nil: none
	Recovered *payment.Transaction
	Move      payment.Move   // the kind of request
	Asked     bool           // because of callbacks
	Begun     time.Time      // when the exchange began, in real time; zero: the provider was not asked
	Sends     []payment.Send // of the transaction, where the provider does not know it
	// an earlier one, at another provider, that the answer is about; nil: the current one
	Send  *payment.Send
	About string // the operation that a look-up asked about; empty: the transaction's own
	// the reference that it asked by, where only callbacks have named it; empty: it is known
	Hint        string
	Protocol    payment.Protocol // of the provider
	Hold        payment.Hold     // of a move that holds: the hold; the Answer says why
	Handed      payment.Handed   // of a move that completes: the values that the provider received
	Failed      []string         // of a refund: the operations that messages said failed
	Lost        *charging.Lost   // the lost send that was asked about, or is to be; nil: none is looked for
	RestoredAt  time.Time        // when the database came under its present server; see payment.MayRepeat
	Answer      answer.Answer
	ConfirmLink string // ours, by which the payer confirms the charge; empty: the payer cannot be asked
	// Impossible is the fault of a request that could not be made at all; the Answer is then empty. nil: it was made.
	Impossible *fault.Error
}

// Captured is the transaction that books the money of the charge, and what becomes of it: the charge itself, unless it
// was canceled before it was captured.
func (r Result) Captured() payment.Transaction {
	if r.Recovered != nil {
		return *r.Recovered
	}
	return r.Transaction
}

// Recorded has the transaction afterwards, and consequences outside it.
type Recorded struct {
	Transaction payment.Transaction
	// LookedAt lists the provider's references of the operations that the exchange covered: what callbacks said about
	// them before it is known now. A callback without a reference has the empty one.
	LookedAt []string
	// Reason of the invoice that the transaction pays, while that is open; empty: none.
	Reason invoice.Reason
	// NeedsReview is the reason for which the transaction was left to a person just now; empty: it was not.
	NeedsReview string
	// Found is the lost send that the transaction turned out to have; nil: it is not known to have one.
	Found *payment.Send
}

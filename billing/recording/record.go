// Package recording composes the rules about the consequences of a provider's answer: the answer is about one charge or
// refund, and the facts that it proves are booked, with all consequences for invoices, the subscription, refunds and
// disputes. A person's decision about a payment is recorded in the same way. It is pure. It does not own the next step
// with the provider (charging), the protocol and the statuses of a payment (payment), nor automatic actions and
// commands (lifecycle, whose decisions it makes).
package recording

import (
	"cmp"

	"perennial/billing/answer"
	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
)

// Record records the result of an exchange with the provider, and its consequences. Work that was due before the answer
// comes first: a period that was skipped while past due must be over when a late success recovers the subscription.
func Record(
	s lifecycle.State, result Result, at lifecycle.Moment,
) (lifecycle.State, Recorded, lifecycle.Changes, error) {
	return record(s, result, at, (*recording).record)
}

func record(
	s lifecycle.State, result Result, at lifecycle.Moment, decide func(*recording) error,
) (lifecycle.State, Recorded, lifecycle.Changes, error) {
	d := lifecycle.Begin(s, at)
	r := &recording{d: d, Result: result, txn: result.Transaction}
	if r.txn.Type == payment.Charge {
		if err := d.CatchUp(); err != nil {
			return lifecycle.State{}, Recorded{}, lifecycle.Changes{}, err
		}
		// An answer to a charge that catching up has just touched is about the row as it is now.
		r.txn = current(d.State, r.txn)
	}
	if !r.txn.EverSent() { // the row has the provider that refused it last, if any
		r.txn.Provider, r.txn.ProviderConfigID = result.Transaction.Provider, result.Transaction.ProviderConfigID
	}
	r.exchanged()
	out := Recorded{}
	if i := d.IndexOpen(r.txn.InvoiceID); i >= 0 {
		out.Reason = d.Open[i].Reason
	}
	if err := decide(r); err != nil {
		return lifecycle.State{}, Recorded{}, lifecycle.Changes{}, err
	}
	out.Transaction, out.NeedsReview, out.LookedAt, out.Found = r.txn, r.review, r.lookedAt(), r.found
	if r.txn.Type == payment.Refund { // it touches transactions only
		return d.State, out, d.Changes, nil
	}
	state, changes, err := d.Finish()
	return state, out, changes, err
}

// exchanged notes whether the account of the transaction answered. Questions to other accounts say nothing about its
// own.
func (r *recording) exchanged() {
	own := r.Send == nil && (r.Lost == nil || r.Lost.ProviderConfigID == r.txn.ProviderConfigID)
	if own && !r.Begun.IsZero() && r.Impossible == nil {
		r.txn = r.txn.Exchanged(r.Begun, r.Answer.Outcome)
	}
}

// current returns the pending charge as the decision has changed it; any other transaction as it is.
func current(s lifecycle.State, t payment.Transaction) payment.Transaction {
	for _, p := range s.Pending {
		if p.ID == t.ID {
			return p
		}
	}
	return t
}

// recording is one answer on its way into the books.
type recording struct {
	Result
	d      *lifecycle.Decision
	txn    payment.Transaction
	review string // why a person must act, where that is decided just now
	waits  bool   // something that the provider said cannot be booked yet: callbacks about it stay open
	found  *payment.Send
}

// lookedAt returns the operations that the exchange covered: none, unless callbacks were the reason for it and the
// provider answered about the operation, or the payment needs review. The answer to a send says nothing about the money
// since.
func (r *recording) lookedAt() []string {
	answered := r.Move == payment.MoveLookup && (r.Answer.Outcome.Final() || r.Answer.Outcome == answer.Pending)
	answered = answered || r.Move == payment.MoveAwait || r.Move == payment.MoveReview // nothing more can be asked
	named := cmp.Or(r.About, r.Hint)
	switch {
	case r.Asked && r.Move == payment.MoveLookup && r.Answer.Outcome == answer.NotFound && named != "":
		return []string{named} // of no operation: its callback must not block others for ever
	case !r.Asked || r.waits || !answered && r.Impossible == nil:
		return nil
	case r.About != "":
		return []string{r.About}
	}
	return []string{"", r.Result.Transaction.ProviderRef, r.Answer.Ref}
}

func (r *recording) record() error {
	if r.Lost != nil && !r.lostSend() {
		return nil
	}
	if r.endsElsewhere() { // it is looked for
		return nil
	}
	if r.taken() {
		r.takeOver()
	}
	switch {
	case r.Impossible != nil:
		return r.impossible()
	case r.superseded():
		r.supersededSince()
		return nil
	case r.Send != nil:
		return r.earlier()
	case r.Move == payment.MoveHold:
		r.hold()
		return nil
	case r.Move == payment.MoveAwait, r.Move == payment.MoveReview:
		r.unanswerable()
		return nil
	case r.elsewhere(), r.overtaken(),
		r.Move == payment.MoveComplete && r.txn.Overtaken(r.Handed, r.Answer.Outcome):
		return nil
	case r.mismatched():
		r.keepReference() // an operator needs it
		r.needsReview(payment.ReviewAmountMismatch, r.Answer.Ref)
		return nil
	case r.secondCapture():
		return r.capturedAgain()
	}
	return r.answered()
}

// elsewhere reports a message that tells of the bad end of another operation than the transaction's. Providers repeat
// messages late, and the end of an older one must not touch what came after it.
func (r *recording) elsewhere() bool {
	other := r.Answer.Ref != "" && r.txn.ProviderRef != "" && r.Answer.Ref != r.txn.ProviderRef
	return r.Move == payment.MoveBelieve && other && r.Answer.Outcome != answer.Succeeded
}

// unanswerable records that the provider cannot be asked what became of the transaction.
func (r *recording) unanswerable() {
	switch {
	case r.txn.Status != payment.Pending:
	case r.Move == payment.MoveReview:
		r.needsReview(payment.ReviewOutcomeUnknown, "")
	default:
		r.txn = r.Protocol.Awaiting(r.txn, r.d.Real)
		r.d.SaveTransaction(r.txn)
	}
}

// answered records the facts that an exchange proved.
func (r *recording) answered() error {
	was := r.txn
	r.keepReference()
	if !was.EverSent() && r.txn.EverSent() { // a callback named it: it is not held, nor looked for
		r.txn = r.txn.Named()
		was.HeldBack = r.txn.HeldBack
	}
	if r.Move == payment.MoveComplete && r.Answer.Outcome != answer.Unknown {
		r.txn = r.txn.HandedOver(r.Handed, r.Answer.Outcome == answer.NotSent, r.Answer.ConfirmURL != "")
	}
	held := !was.HeldBack.At.IsZero() // its reason is ours, and workflows show it: see contract.HeldOf
	if was.Status == payment.Pending && r.Answer.FailureReason != "" && !held {
		r.txn.FailureReason = r.Answer.FailureReason // why it is still undecided; what decides it writes its own
	}
	switch r.Answer.Outcome {
	case answer.Succeeded:
		return r.succeeded()
	case answer.Declined:
		return r.ended(payment.Declined)
	case answer.Failed:
		return r.ended(payment.Failed)
	case answer.Canceled:
		return r.canceled()
	case answer.NotFound:
		return r.absent()
	case answer.NotSent:
		r.txn = r.Protocol.NotTaken(r.txn, r.Move, r.Answer.RetryAfter, r.d.Real)
	case answer.Pending:
		r.txn = r.Protocol.Waiting(r.txn.Known(), r.Answer.RetryAfter, r.d.Real)
	case answer.Unknown:
		r.txn = r.Protocol.Waiting(r.txn, r.Answer.RetryAfter, r.d.Real)
	default:
		return fault.New(fault.Internal, "outcome_unknown",
			"The outcome %q of transaction %s is unknown.", r.Answer.Outcome, r.txn.ID)
	}
	if was.Status != payment.Pending {
		r.txn = was // a closed transaction stays as it was
		if was.Status == payment.Success {
			r.movedSince() // a message may tell of refunds without saying that the charge was captured
		}
		return nil
	}
	return r.undecided(was)
}

// undecided records that the provider has not decided yet. was is the transaction before the answer.
func (r *recording) undecided(was payment.Transaction) error {
	// A charge of its own was announced as pending when the API created it; an attempt to pay an invoice is now.
	if r.Answer.Outcome == answer.Pending && was.ProviderRef == "" && r.txn.InvoiceID != "" {
		r.d.Announce(event.PaymentPending{Payment: r.txn.Announced()})
	}
	if r.Answer.Outcome == answer.Pending && r.asksPayer() {
		return r.unconfirmed()
	}
	r.d.SaveTransaction(r.txn)
	r.inVain()
	if r.txn.WaitsForPayer() {
		return lifecycle.Decline(r.d, r.txn.InvoiceID)
	}
	return nil
}

// mismatched reports a success that does not match the request, unless a person has accepted it, and any answer with an
// unreadable amount.
func (r *recording) mismatched() bool {
	if r.Answer.Amount < 0 {
		return true
	}
	booked := r.txn.Status == r.good() || r.Recovered != nil
	accepted := booked && r.txn.Reviewed(payment.ReviewAmountMismatch, r.Answer.Ref)
	return r.Answer.Outcome == answer.Succeeded && !r.txn.Confirms(r.Answer.Amount, r.Answer.Currency) && !accepted
}

// secondCapture reports a success of an operation other than the one that counted: the provider has taken the money of
// one transaction twice.
func (r *recording) secondCapture() bool {
	booked := r.txn.Status == payment.Success || r.txn.Status == payment.Refunded || r.Recovered != nil
	counted := r.txn.ProviderRef
	if r.Recovered != nil { // a charge that was canceled before it was sent never had one
		counted = r.Recovered.ProviderRef
	}
	other := r.Answer.Ref != "" && counted != "" && r.Answer.Ref != counted
	return r.Answer.Outcome == answer.Succeeded && booked && other
}

// keepReference keeps the provider's name for the operation, and its answer.
func (r *recording) keepReference() {
	// A success says which operation moved the money, where there were several: a refund must name that one.
	counts := r.Answer.Outcome == answer.Succeeded && payment.CanBecome(r.txn.Type, r.txn.Status, r.good())
	if r.Answer.Ref != "" && (r.txn.ProviderRef == "" || counts) {
		r.txn.ProviderRef = r.Answer.Ref
	}
	if r.Answer.Response != nil {
		r.txn.ProviderResponse = r.Answer.Response
	}
}

// close ends the attempt. It returns false where the status is final already, which no news may overwrite.
func (r *recording) close(status payment.Status) bool {
	closed, err := r.txn.Close(status, r.d.Now)
	if err != nil {
		return false
	}
	r.txn = closed
	r.d.SaveTransaction(closed)
	return true
}

// ended records an attempt that did not move money.
func (r *recording) ended(status payment.Status) error {
	refund := r.txn.Type == payment.Refund
	if refund {
		status = payment.Failed // a refund has no other bad end
	}
	if r.returned() {
		return nil
	}
	if r.txn.Status == payment.Success && status == payment.Canceled && len(r.Answer.Refunds) > 0 {
		r.movedSince() // it was captured before: a cancellation that came too late gave the money back
		return nil
	}
	was := r.txn
	r.txn.FailureCode, r.txn.FailureReason = string(r.Answer.FailureCode), r.Answer.FailureReason
	if !r.close(status) {
		r.txn = was
		r.takenBack()
		return nil
	}
	i := r.d.IndexOpen(r.txn.InvoiceID)
	switch {
	case refund:
		r.d.SaveTransaction(r.charge().Captured().FailRefund(r.txn.Amount))
		r.d.Announce(event.PaymentRefundFailed{Payment: r.txn.Announced(), FailureReason: r.txn.FailureReason})
		return nil
	case status == payment.Canceled:
		r.d.Announce(event.PaymentCanceled{Payment: r.txn.Announced()})
		if i >= 0 {
			if err := r.d.Step(i, collection.AttemptCanceled); err != nil {
				return err
			}
			return lifecycle.Decline(r.d, r.txn.InvoiceID)
		}
	default:
		lifecycle.AnnounceFailedAttempt(r.d, r.txn)
		if i >= 0 {
			return r.d.Failed(i, r.txn.FailureCode)
		}
	}
	return nil
}

// absent records that the provider does not know the transaction. That is proven after a while: then a charge is sent
// anew, a few times at most. Else it has failed, or was canceled if that was asked for.
func (r *recording) absent() error {
	if r.txn.Status != payment.Pending {
		return nil
	}
	if r.Hint != "" { // a callback brought the name: that no operation has it says nothing about the transaction
		r.txn = r.Protocol.Misnamed(r.txn, r.d.Real)
		r.d.SaveTransaction(r.txn)
		return nil
	}
	txn, proven := r.Protocol.Absent(r.txn, r.d.Real)
	r.txn = txn
	if !proven {
		if why := r.Protocol.Unrepeated(r.txn, r.d.Real); why != "" {
			r.txn.FailureReason = why
		}
		r.d.SaveTransaction(r.txn)
		r.inVain()
		return nil
	}
	if r.txn, proven = r.txn.Anew(r.Sends, r.d.Real); proven {
		r.d.SaveTransaction(r.txn)
		return nil
	}
	r.Answer = answer.Answer{FailureReason: "The provider never received this payment."}
	if !r.txn.CancelRequestedAt.IsZero() {
		return r.ended(payment.Canceled)
	}
	return r.ended(payment.Failed)
}

// good returns the status of a transaction that moved its money.
func (r *recording) good() payment.Status {
	if r.txn.Type == payment.Refund {
		return payment.Refunded
	}
	return payment.Success
}

// charge returns the charge of a refund.
func (r *recording) charge() payment.Transaction { return *r.Charge }

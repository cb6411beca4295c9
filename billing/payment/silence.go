package payment

import (
	"strings"
	"time"

	"perennial/billing/answer"
)

// Silence records that the provider leaves exchanges about a transaction unanswered. That it does not know the
// transaction is an answer, and brings it no further: the next send may get lost as the last one did. Times are real;
// zero: there is none.
type Silence struct {
	Since time.Time // when the first exchange began since which it got no further
	At    time.Time // when the last one began, where that was not answered and the transaction not woken for another
}

// Exchanged notes whether the provider answered an exchange about the transaction that began at a time. If it accepts
// the transaction only after silence, the gaps between checks, which have grown without answers, begin again.
func (t Transaction) Exchanged(begun time.Time, said answer.Outcome) Transaction {
	switch {
	case t.Status == Pending && (said == answer.Unknown || said == answer.NotSent):
		t.Silence.At = begun
		if t.Silence.Since.IsZero() {
			t.Silence.Since = begun
		}
	case t.Status == Pending && said == answer.NotFound:
		t.Silence.At = time.Time{}
	case t.Status == Pending && said == answer.Pending && t.ProviderRef == "" && !t.Silence.Since.IsZero():
		t.Silence, t.Checks = Silence{}, 0
	default:
		t.Silence = Silence{}
	}
	return t
}

// repeatedAtOnce returns a transaction that its provider does not know as one that is due for the repeat under its key,
// where that is allowed: the provider has just answered, so that waiting would only delay the money.
func (p Protocol) repeatedAtOnce(t Transaction, now time.Time) Transaction {
	next := t
	next.Checks += 1 - t.Checks%2 // an odd number makes the next move a repeat
	next.NextCheckAt = now
	if p.Next(next, false, now) != MoveReplay {
		return t
	}
	return next
}

// unknown begins what Unrepeated says.
const unknown = "The provider does not know this payment. "

// Known returns the transaction without a reason that is true no longer: its provider knows it.
func (t Transaction) Known() Transaction {
	if strings.HasPrefix(t.FailureReason, unknown) {
		t.FailureReason = ""
	}
	return t
}

// Unrepeated returns why a transaction that its provider does not know is not sent again under its key now, for people;
// empty: it is, or it was never sent.
func (p Protocol) Unrepeated(t Transaction, now time.Time) string {
	switch {
	case t.Status != Pending || !t.EverSent() || p.repeatedAtOnce(t, now).NextCheckAt.Equal(now):
		return ""
	case t.ProviderRef != "":
		return unknown + "It had accepted it before, so that the payment is not sent again. The provider is asked again."
	case !t.CancelRequestedAt.IsZero():
		return unknown + "It is to be canceled, so that it is not sent again. The provider is asked again."
	case t.Type == Charge && t.Method == (Method{}):
		return unknown + "The payment method was erased, so that it is not sent again. The provider is asked again."
	case p.AbsenceAfter > 0:
		return unknown +
			"It may still arrive, so that it is sent anew only when the provider has confirmed that it never did."
	}
	return unknown + "It may have forgotten it, so that it is not sent again. The provider is asked again."
}

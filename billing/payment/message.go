package payment

import (
	"slices"
	"time"

	"perennial/billing/money"
)

// MessageKind is the subject of a provider's callback. The providers package has the same values for its adapters.
type MessageKind string

// The kinds. A message of any other kind is always looked at.
const (
	MessageUnknown    MessageKind = ""           // the adapter does not know its meaning
	MessageCreated    MessageKind = "created"    // the operation exists
	MessageProcessing MessageKind = "processing" // it is not decided
	MessageSucceeded  MessageKind = "succeeded"
	MessageFailed     MessageKind = "failed" // also declined or canceled
	MessageRefunded   MessageKind = "refunded"
	MessageDisputed   MessageKind = "disputed"
)

// Message has the content of a callback about a transaction. It is a hint: the provider is asked before anything is
// booked.
type Message struct {
	Kind           MessageKind
	Ref            string      // the provider's reference; empty: the message carries none
	AmountRefunded money.Minor // of the charge, in total; zero: the message does not say
}

// Notice is the reaction to a message.
type Notice string

// The notices.
const (
	NoticeNone  Notice = "none"  // it says nothing new
	NoticeAwait Notice = "await" // the answer to a request in flight says more; look if it does not come
	NoticeLook  Notice = "look"  // ask the provider
)

// Notice decides whether a message requires asking the provider. Only a message that says nothing new is ignored, so
// that a late, repeated or outdated message costs nothing, and no news is lost. goneBack is the amount that the
// charge's booked refunds have given back; those in flight do not count, since they may fail. now is real time.
func (t Transaction) Notice(m Message, goneBack money.Minor, now time.Time) Notice {
	switch {
	case !t.ParkedAt.IsZero(): // a person may have sent it again to have the provider asked
		return NoticeLook
	case t.inFlight(now) && slices.Contains(decidedByAnswer, m.Kind):
		return NoticeAwait
	case m.Ref != "" && m.Ref != t.ProviderRef: // another operation, or one that we do not know the name of
		return NoticeLook
	case m.AmountRefunded > goneBack:
		return NoticeLook
	case m.Kind == MessageRefunded && m.AmountRefunded > 0 && t.Type == Charge && t.Status == Success:
		return NoticeNone // by refunds that are booked
	case slices.Contains(t.Shows(), m.Kind):
		return NoticeNone
	}
	return NoticeLook
}

// Shows returns the kinds of messages about the transaction's own operation that say nothing new.
func (t Transaction) Shows() []MessageKind {
	switch {
	case !t.ParkedAt.IsZero() || t.ProviderRef == "":
		return nil
	case t.Status == Pending:
		return []MessageKind{MessageCreated, MessageProcessing}
	case t.Status == Success || t.Status == Refunded:
		return []MessageKind{MessageCreated, MessageProcessing, MessageSucceeded}
	default:
		return []MessageKind{MessageCreated, MessageProcessing, MessageFailed}
	}
}

// decidedByAnswer has the kinds that the answer to the request itself says, too.
var decidedByAnswer = []MessageKind{MessageCreated, MessageProcessing, MessageSucceeded, MessageFailed}

// inFlight reports whether the answer to the first send is still expected. Providers often send their callback first.
func (t Transaction) inFlight(now time.Time) bool {
	return t.Status == Pending && !t.FirstSentAt.IsZero() && t.Checks == 0 && now.Before(t.NextCheckAt)
}

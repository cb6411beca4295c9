// Package email owns which mails follow from an event and to whom they may go, when a mail that was not taken is tried
// again, and when it is given up. It does not own what a mail says (documents/letters), its bytes and the mail server's
// words (mail), nor the rows (db).
package email

import (
	"time"
)

// Kind is what a mail is about; an environment switches each on and off.
type Kind string

// The kinds.
const (
	InvoiceIssued        Kind = "invoice_issued"
	Receipt              Kind = "receipt"
	PaymentFailed        Kind = "payment_failed"
	ConfirmationNeeded   Kind = "confirmation_needed"
	TrialWillEnd         Kind = "trial_will_end"
	RenewalReminder      Kind = "renewal_reminder"
	CardWillExpire       Kind = "card_will_expire"
	SubscriptionCanceled Kind = "subscription_canceled"
	CreditNote           Kind = "credit_note"
	Refund               Kind = "refund"
)

// Kinds returns all of them, in the order of the documentation.
func Kinds() []Kind {
	return []Kind{
		InvoiceIssued, Receipt, PaymentFailed, ConfirmationNeeded, TrialWillEnd, RenewalReminder, CardWillExpire,
		SubscriptionCanceled, CreditNote, Refund,
	}
}

// AsksToPay reports whether a mail of the kind is about an attempt to pay an invoice, and no news once that is settled.
func (k Kind) AsksToPay() bool { return k == PaymentFailed || k == ConfirmationNeeded }

// Status is the state of a mail.
type Status string

// The statuses. All but Pending are final: to send a mail again makes another one.
const (
	Pending    Status = "pending"
	Sent       Status = "sent"       // the mail server took it
	Failed     Status = "failed"     // for good
	Suppressed Status = "suppressed" // it may not go to that recipient, or asks for what is settled
	Canceled   Status = "canceled"   // before it was sent the sender was removed, or the customer erased
)

// Reason says why a mail was not sent.
type Reason string

// The reasons.
const (
	RecipientNotAllowed Reason = "recipient_not_allowed" // suppressed: the test environment does not send to it
	ServerRefused       Reason = "refused"               // failed: the mail server's words are in the last attempt
	AddressMalformed    Reason = "address_malformed"     // failed
	AttemptsUsed        Reason = "attempts_used"         // failed: too many attempts, or too old
	ObjectGone          Reason = "object_gone"           // failed: what it tells of does not exist any more
	InvoiceNotOpen      Reason = "invoice_not_open"      // suppressed: there is nothing to pay any more
	SenderRemoved       Reason = "sender_removed"        // canceled
	CustomerErased      Reason = "customer_erased"       // canceled
)

// Outcome is the result of one attempt.
type Outcome string

// The outcomes. A crash leaves an attempt open: it is not known whether the server took the mail.
const (
	OutcomeSent    Outcome = "sent"
	OutcomeFailed  Outcome = "failed"
	OutcomeUnknown Outcome = "unknown"
)

// Attempt is one attempt to hand a mail over, as the log keeps it. The words are the mail server's, and are erased with
// the customer.
type Attempt struct {
	Number    int       `json:"number"`
	StartedAt time.Time `json:"startedAt"`
	EndedAt   time.Time `json:"endedAt,omitzero"`
	Outcome   Outcome   `json:"outcome,omitempty"` // empty: it is under way, or its worker crashed
	Class     string    `json:"class,omitempty"`   // of the failure
	Code      int       `json:"code,omitempty"`    // of the server's reply
	Text      string    `json:"text,omitempty"`    // the server's words
}

// Attempts are those of a mail, the oldest first.
type Attempts []Attempt

// Retention is the time for which mails are kept.
const Retention = 90 * 24 * time.Hour

// Held is the time after which an attempt that has not ended counts as lost with its worker: the time of a connection,
// of a mail, and of writing its end.
const Held = 2 * time.Minute

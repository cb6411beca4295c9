package email

import (
	"strconv"

	"perennial/billing/event"
)

// Notice is a mail that follows from an event, if its kind is switched on and the customer has an address. There is one
// for each kind, object, occurrence and recipient.
type Notice struct {
	Kind       Kind
	ObjectID   string // what it tells of: an invoice, a payment transaction, a subscription, …
	Occurrence string // tells apart what happens to one object more than once; empty: it happens once
	CustomerID string
}

// Of returns the mail that follows from an event.
func Of(data event.Data) (Notice, bool) {
	switch e := data.(type) {
	case event.InvoiceFinalized:
		return Notice{InvoiceIssued, e.ID, "", e.CustomerID}, true
	case event.PaymentSuccess:
		return Notice{Receipt, e.ID, "", e.CustomerID}, e.ChargeID == ""
	case event.PaymentFailed:
		return Notice{PaymentFailed, e.ID, "", e.CustomerID}, e.ChargeID == "" && !e.NoReminder
	case event.PaymentActionRequired:
		return Notice{ConfirmationNeeded, e.ID, "", e.CustomerID}, true
	case event.PaymentRefunded:
		return Notice{Refund, e.ID, "", e.CustomerID}, true
	case event.SubscriptionTrialWillEnd:
		return Notice{TrialWillEnd, e.ID, unix(e.TrialEndsAt), e.CustomerID}, true
	case event.SubscriptionRenewalReminder:
		return Notice{RenewalReminder, e.ID, unix(e.RenewsAt), e.CustomerID}, true
	case event.SubscriptionCanceled:
		return Notice{SubscriptionCanceled, e.ID, "", e.CustomerID}, true
	case event.MethodExpiring:
		return Notice{CardWillExpire, e.PaymentMethodID, e.Expiry, e.ID}, true
	case event.CreditNoteCreated:
		return Notice{CreditNote, e.ID, "", e.CustomerID}, true
	default:
		return Notice{}, false
	}
}

func unix(seconds int64) string { return strconv.FormatInt(seconds, 10) }

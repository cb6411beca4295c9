// Package hosted owns what the page of an issued invoice shows to whoever has its link, and what they may do there. It
// does not own how the link is made (contract), nor what the page looks like (documents).
package hosted

import (
	"strings"
	"time"

	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/payment"
)

// State is what the page says before all else.
type State string

// The states.
const (
	Expired State = "expired" // the link does not work any more
	Ended   State = "ended"   // nothing is asked for: void, or given up
	Paid    State = "paid"
	Confirm State = "confirm" // the payer has to confirm the payment on the provider's page
	Prompt  State = "prompt"  // the payer has to confirm it on the phone
	Waiting State = "waiting" // the provider has not decided yet
	Resting State = "resting" // too many payments failed: later again
	Payable State = "payable"
)

// Facts are what a page depends on.
type Facts struct {
	Invoice  invoice.Invoice
	Attempts []payment.Transaction // charges for the invoice, the newest first; Looked of them are enough
	LinkDays int                   // subscription.Settings.InvoiceLinkDays
	Now      time.Time             // the customer's time
	Real     time.Time
}

// bound is a number of charges of an invoice within a time, after which the page begins no other one.
type bound struct {
	most   int
	within time.Duration
}

// bounds: whoever has the link may try a few numbers and cards, and neither ask the phones of strangers at will nor
// test cards.
var bounds = []bound{{5, time.Hour}, {Looked, 24 * time.Hour}}

// Looked is the number of charges on which a page depends.
const Looked = 15

// State returns the state of the page.
func (f Facts) State() State {
	if f.expired() {
		return Expired
	}
	switch f.Invoice.Status {
	case invoice.Paid:
		return Paid
	case invoice.Open:
	default:
		return Ended
	}
	if len(f.Attempts) > 0 && f.Attempts[0].Status == payment.Pending {
		return f.undecided(f.Attempts[0])
	}
	for _, b := range bounds {
		if len(f.Attempts) >= b.most && f.Now.Sub(f.Attempts[b.most-1].CreatedAt) < b.within {
			return Resting
		}
	}
	return Payable
}

func (f Facts) undecided(t payment.Transaction) State {
	switch {
	case t.Confirmation(f.Real) == payment.ConfirmNow:
		return Confirm
	case strings.HasPrefix(t.Method.Type, customer.MobileMoney):
		return Prompt
	}
	return Waiting
}

// expired reports whether the link's time is over. It is counted from when nothing was to be paid any more: an open
// invoice can be paid for as long as it is open.
func (f Facts) expired() bool {
	var closed time.Time
	for _, at := range []time.Time{f.Invoice.PaidAt, f.Invoice.VoidedAt, f.Invoice.UncollectibleAt} {
		if at.After(closed) {
			closed = at
		}
	}
	open := f.Invoice.Status == invoice.Open
	return f.LinkDays > 0 && !open && !closed.IsZero() && !f.Now.Before(closed.AddDate(0, 0, f.LinkDays))
}

// Declined reports whether the last charge failed, and nothing was paid since.
func (f Facts) Declined() bool {
	if f.Invoice.Status != invoice.Open || len(f.Attempts) == 0 {
		return false
	}
	switch f.Attempts[0].Status {
	case payment.Failed, payment.Declined:
		return true
	default:
		return false
	}
}

// ErrNotPayable refuses a payment by the page where the page asks for none.
var ErrNotPayable = fault.New(fault.Conflict, "invoice_not_payable_now",
	"The invoice cannot be paid at the moment. Open its page again to see why.")

// Payable returns ErrNotPayable where the page begins no charge.
func (f Facts) Payable() error {
	if f.State() != Payable {
		return ErrNotPayable
	}
	return nil
}

package foresight

import (
	"slices"
	"time"

	"perennial/billing/answer"
	"perennial/billing/creditnote"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/recording"
	"perennial/billing/subscription"
)

// MaxForeseen bounds the invoices that are foreseen: two years of months.
const MaxForeseen = 24

// foreseenSteps bounds the things that are played on the way: also a life that bills nothing comes to an end.
const foreseenSteps = 10 * MaxForeseen

// foresee plays a life on until it has issued n more invoices, or bills nothing more, and returns them as they are at
// issue. The rules that bill play it, as if every payment succeeded at its first attempt, and the customer paid sent
// invoices at once. A payment that needs review stays as it is, and no payment method is added. foresee also plays
// until drafts of the decision before it bill their usage, and leaves the invoices that they become in billed.
func (f *foresight) foresee(n int) ([]invoice.Invoice, error) {
	n = min(n, MaxForeseen)
	for range foreseenSteps {
		if len(f.issued) >= n && !f.waitsForUsage() {
			break
		}
		if err := f.step(); err != nil {
			return nil, err
		}
		action, next := f.Next()
		if action == subscription.ActionNone {
			break
		}
		f.moveTo(next)
	}
	return f.issued[:min(n, len(f.issued))], nil
}

// waitsForUsage reports whether a draft that is shown already will bill usage that is known.
func (f *foresight) waitsForUsage() bool {
	return f.usage.Usage != nil && slices.ContainsFunc(f.Drafts, func(inv invoice.Invoice) bool {
		return f.shown[inv.ID] && inv.AwaitsUsage()
	})
}

// foresight is a life that is played on in memory.
type foresight struct {
	lifecycle.State
	lifecycle.Moment
	issued []invoice.Invoice
	notes  []creditnote.Note // written meanwhile
	number int64             // of the latest invoice, so that those which follow have an order
	shown  map[string]bool   // drafts of the decision that is looked at, which shows them
	// billed has the drafts of shown that have become invoices.
	billed map[string]invoice.Invoice
	usage  usagePlay
}

// newForesight begins to play a life on. decided are the invoices of the decision that led to the State.
func newForesight(
	s lifecycle.State, decided []invoice.Invoice, known usagePlay, at lifecycle.Moment,
) *foresight {
	f := &foresight{State: s.Clone(), Moment: at, usage: known, billed: map[string]invoice.Invoice{}}
	f.Now = f.Time(f.Moment)
	// The end of such a trial depends on whether there will be a payment method: it is foreseen as things are.
	if !f.Customer.CanPay() && f.Customer.ErasedAt.IsZero() && !f.Situation().StopsAtTrialEnd() {
		f.Customer.PaymentMethod, f.Customer.PaymentDetails.PaymentMethodToken = "card", "foreseen"
	}
	if f.Provider == nil {
		f.Provider = &lifecycle.Provider{}
	}
	for _, list := range [][]invoice.Invoice{f.Open, f.Paid, f.WrittenOff} {
		for _, inv := range list {
			f.number = max(f.number, inv.Number)
		}
	}
	f.count(decided)
	f.shown = make(map[string]bool, len(decided))
	for _, inv := range decided {
		f.shown[inv.ID] = inv.Status == invoice.InDraft
	}
	return f
}

// step performs all due work, and lets its payments succeed.
func (f *foresight) step() error {
	state, changes, err := lifecycle.Advance(f.State, f.Moment)
	if err != nil {
		return err
	}
	f.become(state, changes)
	if err := f.billUsage(); err != nil {
		return err
	}
	for range foreseenSteps {
		if err := f.payAll(); err != nil {
			return err
		}
		sent := f.sent()
		if sent == "" {
			break
		}
		if err := f.settle(sent); err != nil {
			return err
		}
	}
	return nil
}

// billUsage issues the drafts that wait for usage. They bill the known usage.
func (f *foresight) billUsage() error {
	for range foreseenSteps {
		draft, due := f.UsageDraft(f.Now)
		if !due {
			break
		}
		segments, err := f.usage.rate(draft, f.Subscription.Currency)
		if err != nil {
			return err
		}
		state, changes, err := lifecycle.BillUsage(
			f.State, lifecycle.UsageRated{InvoiceID: draft.ID, Segments: segments}, f.Moment)
		if err != nil {
			return err
		}
		f.become(state, changes)
	}
	return nil
}

// payAll has all attempted payments succeed.
func (f *foresight) payAll() error {
	for range foreseenSteps {
		i := f.payable()
		if i < 0 {
			break
		}
		if err := f.pay(f.Pending[i]); err != nil {
			return err
		}
	}
	return nil
}

// become makes a decision the state of things, as a write and a read of it would.
func (f *foresight) become(state lifecycle.State, changes lifecycle.Changes) {
	f.State = state
	f.usage.follow(state, changes)
	f.notes = append(f.notes, changes.CreditNotes...)
	numbered := changes.Invoices.Of(lifecycle.InvoiceFinalized, lifecycle.InvoiceCreated) // in this order
	for _, inv := range numbered {
		if f.shown[inv.ID] {
			f.billed[inv.ID] = inv
		} else {
			f.issued = append(f.issued, inv)
		}
	}
	f.count(numbered)
}

// count gives new invoices the numbers that they would get in the database.
func (f *foresight) count(issued []invoice.Invoice) {
	for _, made := range issued {
		f.number++
		for _, list := range [][]invoice.Invoice{f.Open, f.Paid, f.WrittenOff} {
			for i := range list {
				if list[i].ID == made.ID {
					list[i].Number = f.number
				}
			}
		}
	}
}

// payable is an attempt that can be decided; -1: there is none.
func (f *foresight) payable() int {
	return slices.IndexFunc(f.Pending, func(t payment.Transaction) bool { return t.ParkedAt.IsZero() })
}

// sent is the invoice in collection that the customer pays, and that nothing is charged for; empty: there is none.
func (f *foresight) sent() string {
	i := f.IndexOpen(f.Subscription.CollectingInvoiceID)
	if i < 0 || !f.Open[i].Terms.Sent() || slices.ContainsFunc(f.Pending, func(t payment.Transaction) bool {
		return t.InvoiceID == f.Open[i].ID
	}) {
		return ""
	}
	return f.Open[i].ID
}

// settle lets the customer pay an invoice that was sent, in time.
func (f *foresight) settle(invoiceID string) error {
	state, changes, err := lifecycle.Apply(f.State, lifecycle.MarkPaid{InvoiceID: invoiceID, Method: "other"}, f.Moment)
	if err != nil {
		return err
	}
	f.become(state, changes)
	return nil
}

// pay lets an attempt succeed; one with a cancel request is canceled.
func (f *foresight) pay(t payment.Transaction) error {
	said := answer.Answer{Outcome: answer.Succeeded, Ref: t.ID, Amount: t.Amount, Currency: t.Currency}
	if !t.CancelRequestedAt.IsZero() {
		said = answer.Answer{Outcome: answer.Canceled}
	}
	state, _, changes, err := recording.Record(f.State, recording.Result{
		Transaction: t, Move: payment.MoveSend, Answer: said,
	}, f.Moment)
	if err != nil {
		return err
	}
	f.become(state, changes)
	return nil
}

// moveTo advances the time to the next due date.
func (f *foresight) moveTo(at time.Time) {
	if !at.After(f.Now) {
		return
	}
	f.Real, f.Now = f.Real.Add(at.Sub(f.Now)), at
	if !f.ClockNow.IsZero() {
		f.ClockNow = at
	}
}

package lifecycle

import (
	"slices"
	"time"

	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/billing/subscription"
)

// MaxForeseen bounds the invoices that are foreseen: two years of months.
const MaxForeseen = 24

// foreseenSteps bounds the things that are played on the way: also a life that bills nothing comes to an end.
const foreseenSteps = 10 * MaxForeseen

// Foresee plays a life on by itself until it has issued n more invoices, or bills nothing more, and returns them as they
// are when they are issued. It is played by the rules that bill, as if every payment succeeded as soon as it is
// attempted; a payment that needs review stays as it is. Faults: foresight_too_long, those of Advance.
func Foresee(s State, n int, at Moment) ([]invoice.Invoice, error) {
	return foreseeAfter(s, nil, n, at)
}

func checkForeseen(n int) error {
	if n < 0 || n > MaxForeseen {
		return fault.InvalidParam("upcomingCount", "foresight_too_long",
			"`upcomingCount` must be 0 to %d. The request has %d.", MaxForeseen, n)
	}
	return nil
}

// foreseeAfter is Foresee from the state that a decision leads to, which has issued some invoices itself.
func foreseeAfter(s State, decided []invoice.Invoice, n int, at Moment) ([]invoice.Invoice, error) {
	if err := checkForeseen(n); err != nil {
		return nil, err
	}
	f := foresight{State: s.clone(), Moment: at}
	f.begin(decided)
	for range foreseenSteps {
		if len(f.issued) >= n {
			break
		}
		if err := f.step(); err != nil {
			return nil, err
		}
		action, next := f.next()
		if action == subscription.ActionNone {
			break
		}
		f.moveTo(next)
	}
	return f.issued[:min(n, len(f.issued))], nil
}

// foresight is a life that is played on in memory.
type foresight struct {
	State
	Moment
	issued []invoice.Invoice
	number int64 // of the latest invoice, so that those which follow have an order
}

func (f *foresight) begin(decided []invoice.Invoice) {
	f.Now = f.Time(f.Moment)
	for _, list := range [][]invoice.Invoice{f.Open, f.Paid, f.WrittenOff} {
		for _, inv := range list {
			f.number = max(f.number, inv.Number)
		}
	}
	f.count(decided)
}

// step does all that is due, and lets what it asks for be paid.
func (f *foresight) step() error {
	state, changes, err := Advance(f.State, f.Moment)
	if err != nil {
		return err
	}
	f.become(state, changes)
	return f.payAll()
}

// payAll lets all that is attempted be paid.
func (f *foresight) payAll() error {
	for i := f.payable(); i >= 0; i = f.payable() {
		if err := f.pay(f.Pending[i]); err != nil {
			return err
		}
	}
	return nil
}

// become makes a decision the state of things, as a write and a read of it would.
func (f *foresight) become(state State, changes Changes) {
	f.State = state
	f.issued = append(f.issued, changes.NewInvoices...)
	f.count(changes.NewInvoices)
}

// count gives new invoices the numbers that writing them would.
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

// pay lets an attempt succeed; one that was called off is canceled.
func (f *foresight) pay(t payment.Transaction) error {
	answer := payment.Answer{Outcome: payment.AnswerSucceeded, Ref: t.ID, Amount: t.Amount, Currency: t.Currency}
	if !t.CancelRequestedAt.IsZero() {
		answer = payment.Answer{Outcome: payment.AnswerCanceled}
	}
	state, _, changes, err := Record(f.State, Result{Transaction: t, Move: payment.MoveSend, Answer: answer}, f.Moment)
	if err != nil {
		return err
	}
	f.become(state, changes)
	return nil
}

// moveTo lets time pass until something is due.
func (f *foresight) moveTo(at time.Time) {
	if !at.After(f.Now) {
		return
	}
	f.Real, f.Now = f.Real.Add(at.Sub(f.Now)), at
	if !f.ClockNow.IsZero() {
		f.ClockNow = at
	}
}

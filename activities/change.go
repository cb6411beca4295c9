package activities

import (
	"context"
	"time"

	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
)

// change is one transaction's work on one subscription: the rows it has locked, and how the decisions of the rules
// become writes. Times: now is the subscription's own, and so is due; real is the wall clock's.
type change struct {
	ctx  context.Context
	tx   *db.Tx
	env  string
	b    db.Bundle
	now  time.Time
	due  time.Time // when what is being done should have been done: now, or before it while catching up
	real time.Time
	// lastAttempt is the transaction that the latest attempt made, also one that failed at once.
	lastAttempt string
	// refunds are transactions of their own, to be started after the commit.
	refunds []contract.Ref
}

// begin locks a subscription and all that its decisions depend on.
func begin(ctx context.Context, tx *db.Tx, ref contract.Ref, now, wall time.Time) (*change, error) {
	b, err := tx.LoadSubscription(ctx, ref.EnvironmentID, ref.ID, true)
	if err != nil {
		return nil, err
	}
	if b.TestClock != nil {
		// Whoever asks may not know the clock's time: it ticks only those for whom something is due.
		now = b.TestClock.NowAt
		tx.Now = now
	}
	return &change{ctx: ctx, tx: tx, env: ref.EnvironmentID, b: b, now: now, due: now, real: wall}, nil
}

func (c *change) facts() subscription.Facts {
	return subscription.Facts{Plan: c.b.Plan, Pending: c.b.PendingPlan, Settings: c.b.Settings, Open: c.b.Open, Paid: c.b.Paid}
}

// apply makes a decision of the rules true.
func (c *change) apply(d subscription.Decision) error {
	if d.Subscription.PlanID != c.b.Subscription.PlanID {
		if err := c.switchPlan(d.Subscription.PlanID); err != nil {
			return err
		}
	}
	c.b.Subscription = d.Subscription
	for _, e := range d.Events {
		if err := c.tx.Emit(c.ctx, c.env, e); err != nil {
			return err
		}
	}
	for _, draft := range d.Issue {
		if err := c.issue(draft); err != nil {
			return err
		}
		if err := c.refundCurrentPeriod(draft.Refund); err != nil {
			return err
		}
	}
	if d.StopCollection {
		return c.stop()
	}
	return nil
}

// switchPlan makes the facts follow a change of plan.
func (c *change) switchPlan(planID string) error {
	p, err := c.tx.Plan(c.ctx, c.env, planID)
	if err != nil {
		return err
	}
	c.b.Plan, c.b.PendingPlan = p, nil
	return nil
}

// issue writes an invoice, withdraws the one it replaces and moves the customer's credit. What is left to pay waits for
// its turn; an invoice with nothing left is paid on the spot.
func (c *change) issue(draft invoice.Draft) error {
	newID := id.New(id.Invoice, c.real)
	if draft.Replaces != "" {
		if err := c.withdraw(draft.Replaces, newID); err != nil {
			return err
		}
	}
	s := c.b.Subscription
	inv, credit, err := draft.Issue(invoice.Issuing{
		ID: newID, CustomerID: s.CustomerID, SubscriptionID: s.ID, Currency: s.Currency, Balance: c.b.CreditBalance, Now: c.now,
	})
	if err != nil {
		return err
	}
	if err := c.tx.InsertInvoice(c.ctx, c.env, inv); err != nil {
		return err
	}
	if err := c.credit(credit, inv.ID); err != nil {
		return err
	}
	if err := c.tx.Emit(c.ctx, c.env, inv.Event(event.InvoiceIssued, c.now)); err != nil {
		return err
	}
	if inv.Status != invoice.Paid {
		c.b.Open = append(c.b.Open, inv)
		return nil
	}
	if _, err := c.tx.InsertSettlement(c.ctx, c.env, inv.ID, "", 0); err != nil {
		return err
	}
	return c.paid(inv)
}

func (c *change) credit(entry invoice.CreditEntry, invoiceID string) error {
	if entry.Amount == 0 {
		return nil
	}
	c.b.CreditBalance += entry.Amount
	return c.tx.AddCredit(c.ctx, c.env, c.b.Subscription.CustomerID, c.b.Subscription.Currency, entry, invoiceID)
}

// withdraw voids an open invoice in favour of another.
func (c *change) withdraw(invoiceID, by string) error {
	i := c.indexOpen(invoiceID)
	if i < 0 {
		return fault.New(fault.Internal, "invoice_not_open", "invoice %s was to be withdrawn but is not open", invoiceID)
	}
	inv, returned, effect, err := c.b.Open[i].Withdraw(by, c.b.Subscription.Status == subscription.Canceled, c.now)
	if err != nil {
		return err
	}
	if effect == collection.CancelAttempt {
		if err := c.cancelLive(); err != nil {
			return err
		}
	}
	if err := c.tx.SaveInvoice(c.ctx, c.env, inv); err != nil {
		return err
	}
	if err := c.credit(returned, inv.ID); err != nil {
		return err
	}
	c.close(i)
	return c.tx.Emit(c.ctx, c.env, inv.Event(event.InvoiceVoided, c.now))
}

// paid follows what the payment of an invoice means for the subscription.
func (c *change) paid(inv invoice.Invoice) error {
	if err := c.tx.Emit(c.ctx, c.env, inv.Event(event.InvoicePaid, c.now)); err != nil {
		return err
	}
	if inv.Period.End.Equal(c.b.Subscription.CurrentPeriod.End) {
		c.b.Paid = append(c.b.Paid, inv)
	}
	d, err := c.b.Subscription.Settled(c.facts(), inv, c.now)
	if err != nil {
		return err
	}
	return c.apply(d)
}

// indexOpen finds an open invoice; -1: it is not open.
func (c *change) indexOpen(invoiceID string) int {
	for i := range c.b.Open {
		if c.b.Open[i].ID == invoiceID {
			return i
		}
	}
	return -1
}

// close takes an invoice out of the open ones.
func (c *change) close(i int) {
	if c.b.Subscription.CollectingInvoiceID == c.b.Open[i].ID {
		c.b.Subscription.CollectingInvoiceID = ""
	}
	c.b.Open = append(c.b.Open[:i:i], c.b.Open[i+1:]...)
}

// save decides what happens next, writes the subscription and answers what its workflow needs to know.
func (c *change) save() (contract.Snapshot, error) {
	if err := c.collectNext(); err != nil {
		return contract.Snapshot{}, err
	}
	s := &c.b.Subscription
	s.NextAction, s.NextActionAt = c.next()
	switch pending := len(c.b.Pending) > 0; {
	case s.Status == subscription.Canceled && !pending && s.FinishedAt.IsZero():
		s.FinishedAt = c.now
	case pending: // also of a canceled one, when somebody pays what it left open
		s.FinishedAt = time.Time{}
	}
	if err := c.tx.SaveSubscription(c.ctx, c.env, *s); err != nil {
		return contract.Snapshot{}, err
	}
	s.Revision++
	return snapshot(c.b), nil
}

// next says what happens to the subscription by itself, and when.
func (c *change) next() (subscription.Action, time.Time) {
	var state *collection.State
	if i := c.indexOpen(c.b.Subscription.CollectingInvoiceID); i >= 0 {
		state = &c.b.Open[i].Collection
	}
	return c.b.Subscription.Next(state, c.b.Settings)
}

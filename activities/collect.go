package activities

import (
	"slices"
	"time"

	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/billing/subscription"
	"perennial/internal/id"
)

// collectNext lets the oldest open invoice have its turn where none is in collection, and gives a new payment method to
// the one that waits for it.
func (c *change) collectNext() error {
	s := &c.b.Subscription
	if s.Status == subscription.Canceled {
		return nil
	}
	if s.CollectingInvoiceID == "" && len(c.b.Open) > 0 {
		s.CollectingInvoiceID = c.b.Open[0].ID
		if err := c.step(0, collection.Begin); err != nil {
			return err
		}
	}
	if s.MethodChangedAt.IsZero() {
		return nil
	}
	i := c.indexOpen(s.CollectingInvoiceID)
	if i >= 0 && c.b.Open[i].Collection.Phase == collection.Charging {
		return nil // the live attempt used the old method: try the new one if it fails
	}
	s.MethodChangedAt = time.Time{}
	if i < 0 {
		return nil
	}
	return c.step(i, collection.MethodChanged)
}

// step brings the collection of open invoice i on by one input and makes the effect true.
func (c *change) step(i int, kind collection.Kind) error {
	state, effect, err := c.after(i, kind)
	if err != nil {
		return err
	}
	return c.enter(i, state, effect)
}

// after is what an input leads to in the collection of open invoice i. Nothing is changed yet.
func (c *change) after(i int, kind collection.Kind) (collection.State, collection.Effect, error) {
	inv := c.b.Open[i]
	return collection.Next(inv.Collection, c.input(kind), c.terms(inv))
}

// enter makes a step of the collection of open invoice i true.
func (c *change) enter(i int, state collection.State, effect collection.Effect) error {
	inv := &c.b.Open[i]
	if state == inv.Collection && effect == collection.None {
		return nil
	}
	inv.Collection = state
	switch effect {
	case collection.StartAttempt:
		return c.attempt(i)
	case collection.Exhaust:
		if err := c.tx.SaveInvoice(c.ctx, c.env, *inv); err != nil {
			return err
		}
		d, err := c.b.Subscription.Unpaid(state.Attempts, c.now)
		if err != nil {
			return err
		}
		return c.apply(d)
	case collection.CancelAttempt:
		if err := c.cancelLive(); err != nil {
			return err
		}
	case collection.None, collection.Settle, collection.RefundExtra: // the state is all; a success is settled by the recording
	}
	return c.tx.SaveInvoice(c.ctx, c.env, *inv)
}

func (c *change) input(kind collection.Kind) collection.Input {
	s := c.b.Subscription
	in := collection.Input{Kind: kind, Now: c.now, Boundary: s.CurrentPeriod.End}
	if s.TestClockID == "" {
		in.Seed = s.ID
	}
	return in
}

func (c *change) terms(inv invoice.Invoice) collection.Terms {
	status := c.b.Subscription.Status
	return collection.Terms{
		Retry:   c.b.Settings.Retry,
		NoRetry: status == subscription.PastDue,
		Stopped: status == subscription.Canceled,
		Voided:  inv.Status == invoice.Void,
	}
}

// attempt creates the next attempt of open invoice i. A customer who cannot be charged at all has failed it already,
// without a provider call.
func (c *change) attempt(i int) error {
	inv := c.b.Open[i]
	if err := c.tx.SaveInvoice(c.ctx, c.env, inv); err != nil {
		return err
	}
	c.b.Subscription.MethodChangedAt = time.Time{}
	in := payment.NewChargeInput{
		ID: id.New(id.Transaction, c.real), Customer: c.b.Customer, Amount: inv.AmountDue, Currency: inv.Currency,
		Description: "Invoice " + inv.ID, Trigger: inv.Collection.Trigger,
		SubscriptionID: inv.SubscriptionID, InvoiceID: inv.ID, AttemptNumber: inv.Collection.Attempts, Due: c.due, Now: c.now,
	}
	if p := c.b.Provider; p != nil {
		in.Provider, in.ProviderConfigID = p.Provider, p.ID
	}
	txn := payment.NewCharge(in)
	c.lastAttempt = txn.ID
	if txn.Status == payment.Failed {
		if err := c.tx.InsertTransaction(c.ctx, c.env, txn); err != nil {
			return err
		}
		if err := c.tx.Emit(c.ctx, c.env, txn.FailedEvent(c.now)); err != nil {
			return err
		}
		return c.step(i, collection.AttemptFailed)
	}
	// Should the workflow never hear of this attempt, because its worker is killed right after the commit, the reconciler
	// finds it by this.
	txn.NextCheckAt = c.real
	c.b.Live = &txn
	c.b.Pending = append(c.b.Pending, txn)
	return c.tx.InsertTransaction(c.ctx, c.env, txn)
}

// stop ends everything automatic: the subscription is canceled.
func (c *change) stop() error {
	for i := range c.b.Open {
		if err := c.step(i, collection.Stop); err != nil {
			return err
		}
	}
	return nil
}

// cancelLive asks for the live attempt to be canceled where the provider can.
func (c *change) cancelLive() error {
	if c.b.Live == nil {
		return nil
	}
	c.b.Live.CancelRequestedAt, c.b.Live.NextCheckAt = c.real, c.real
	return c.saveTransaction(c.b.Live)
}

// saveTransaction writes a locked transaction and keeps its revision in step, since one change may save it twice.
func (c *change) saveTransaction(t *payment.Transaction) error {
	err := c.tx.SaveTransaction(c.ctx, c.env, *t)
	t.Revision++
	if i := slices.IndexFunc(c.b.Pending, func(p payment.Transaction) bool { return p.ID == t.ID }); i >= 0 {
		if c.b.Pending[i] = *t; t.Status != payment.Pending {
			c.b.Pending = slices.Delete(c.b.Pending, i, i+1)
		}
	}
	return err
}

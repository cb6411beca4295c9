package lifecycle

import (
	"strconv"
	"time"

	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// collectNext begins the collection of the oldest open invoice where none is in collection. It tries a new payment
// method for the invoice, or resumes the subscription, that waits for it. An overdue change precedes it: see holdsUp.
func (owner ofSubscription) collectNext(d *Decision) error {
	s := &d.Subscription
	if s.Status == subscription.Canceled {
		return nil
	}
	if s.CollectingInvoiceID == "" && len(d.Open) > 0 && !owner.holdsUp(d, 0) {
		s.CollectingInvoiceID = d.Open[0].ID
		if err := d.Step(0, collection.Begin); err != nil {
			return err
		}
	}
	if s.MethodChangedAt.IsZero() {
		return nil
	}
	if s.AwaitsMethod() && d.Customer.CanPay() {
		return owner.resumeWithMethod(d) // its invoice is next, with the new method
	}
	i := d.IndexOpen(s.CollectingInvoiceID)
	if i >= 0 && d.Open[i].Collection.Phase == collection.Charging {
		owner.preferMethod(d, s.CollectingInvoiceID)
		return nil // the live attempt uses the old method: the new one is tried if it fails
	}
	if owner.holdsUp(d, i) {
		return nil
	}
	s.MethodChangedAt = time.Time{}
	if i < 0 {
		return nil
	}
	return d.Step(i, collection.MethodChanged)
}

// Step applies an input to the collection of open invoice i, with the effect.
func (d *Decision) Step(i int, kind collection.Kind) error {
	state, effect, err := d.after(i, d.input(kind))
	if err != nil {
		return err
	}
	return d.enter(i, state, effect)
}

// Failed applies an attempt that failed for a reason to the collection of open invoice i.
func (d *Decision) Failed(i int, code string) error {
	in := d.input(collection.AttemptFailed)
	in.Code = code
	state, effect, err := d.after(i, in)
	if err != nil {
		return err
	}
	inv := d.Open[i]
	if state != inv.Collection {
		d.announceFailure(inv, state)
	}
	if err := d.enter(i, state, effect); err != nil {
		return err
	}
	return Decline(d, inv.ID)
}

// Decline ends what has one attempt to pay an invoice, since that attempt has failed, or needs its payer.
func Decline(d *Decision, invoiceID string) error {
	if !d.Subscription.HasOneAttempt(invoiceID) {
		return nil
	}
	return d.carryOut(subscribing.AttemptFailed(d.situation(), invoiceID, d.Now))
}

// announceFailure announces that an attempt to collect an invoice failed, and when the next one is due.
func (d *Decision) announceFailure(inv invoice.Invoice, after collection.State) {
	failed := event.InvoicePaymentFailed{Invoice: inv.Announced(), AttemptNumber: after.Attempts}
	if after.Phase == collection.Scheduled {
		failed.NextPaymentAttemptAt = after.RetryAt.Unix()
	}
	d.Announce(failed)
}

// AnnounceFailedAttempt announces an attempt that moved no money. A mail to the customer follows where the dunning
// policy has a reminder for it.
func AnnounceFailedAttempt(d *Decision, txn payment.Transaction) {
	failed := txn.Failure()
	failed.NoReminder = !d.settings().Dunning.Reminders.Follow(txn.AttemptNumber)
	d.Announce(failed)
}

// after returns the state and the effect of an input in the collection of open invoice i, without any change.
func (d *Decision) after(i int, in collection.Input) (collection.State, collection.Effect, error) {
	inv := d.Open[i]
	return collection.Next(inv.Collection, in, d.terms(inv))
}

// enter applies a step of the collection of open invoice i.
func (d *Decision) enter(i int, state collection.State, effect collection.Effect) error {
	inv := &d.Open[i]
	if state == inv.Collection && effect == collection.None {
		return nil
	}
	inv.Collection = state
	d.Changes.Invoices.save(*inv)
	switch effect {
	case collection.StartAttempt:
		return d.attempt(i)
	case collection.Exhaust:
		return d.owner().unpaid(d, state.Attempts)
	case collection.CancelAttempt:
		d.cancelAttempt(inv.ID)
	case collection.None, collection.Settle, collection.RefundExtra: // only the state changes; recording settles a success
	}
	return nil
}

// Settles reports whether a success settles an invoice. It does not if another one did before, or if the invoice is
// void.
func (d *Decision) Settles(inv invoice.Invoice) (bool, error) {
	_, effect, err := collection.Next(inv.Collection, d.input(collection.AttemptSucceeded), d.terms(inv))
	return effect == collection.Settle, err
}

func (d *Decision) input(kind collection.Kind) collection.Input {
	s := d.Subscription
	in := collection.Input{Kind: kind, Now: d.Now, Location: s.Location(), Boundary: s.CurrentPeriod.End}
	if s.TestClockID == "" {
		in.Seed = s.ID
	}
	return in
}

func (d *Decision) terms(inv invoice.Invoice) collection.Terms {
	methods := 1
	if d.TriesOtherMethods() {
		methods += len(d.OtherMethods)
	}
	return collection.Terms{
		Methods: methods,
		Retry:   d.settings().Dunning.Retry,
		NoRetry: !d.owner().retries(d.State) || d.Subscription.HasOneAttempt(inv.ID),
		Paused:  d.Subscription.CollectionPaused() || inv.Terms.Sent(),
		Stopped: d.Subscription.Status == subscription.Canceled,
		Voided:  inv.Status == invoice.Void,
	}
}

// attempt creates the next attempt of open invoice i. It fails at once, without a provider call, where the customer
// cannot be charged.
func (d *Decision) attempt(i int) error {
	inv := d.Open[i]
	d.Subscription.MethodChangedAt = time.Time{}
	payer := d.Customer
	if turn := inv.Collection.Turn(d.terms(inv).Methods); turn > 0 {
		payer = payer.WithMethod(d.OtherMethods[turn-1])
	}
	in := payment.NewChargeInput{
		ID: d.attemptID(inv), Customer: payer, Amount: inv.AmountDue, Currency: inv.Currency,
		Description: "Invoice " + inv.ID, Trigger: inv.Collection.Trigger,
		SubscriptionID: inv.SubscriptionID, InvoiceID: inv.ID, AttemptNumber: inv.Collection.Attempts, Due: d.due,
		Now: d.Now, Real: d.Real, Virtual: !d.ClockNow.IsZero(),
		HasProvider: d.Provider != nil,
	}
	txn := payment.NewCharge(in)
	d.Changes.Attempt = txn.ID
	d.Changes.NewTransactions = append(d.Changes.NewTransactions, txn)
	if txn.Status == payment.Failed {
		AnnounceFailedAttempt(d, txn)
		code := txn.FailureCode
		if d.Provider == nil { // the payer's account is fine, so its rules do not apply
			code = ""
		}
		return d.Failed(i, code)
	}
	d.Pending = append(d.Pending, txn)
	d.owner().made(d, txn)
	return nil
}

// attemptID derives the id of an automatic attempt from its invoice and number, so that a repetition after a restore of
// the database has the same id, and the same key at the provider. The attempt with a new payment method has a derived
// id too. A person's attempt has a random id.
func (d *Decision) attemptID(inv invoice.Invoice) string {
	if d.asked {
		return d.IDs.Transaction(d.Real)
	}
	n, parts := inv.Collection.Automatic, []string{inv.ID}
	if inv.Collection.Trigger == collection.Manual {
		n, parts = inv.Collection.Attempts, append(parts, "method")
	}
	// attempts of one invoice sort by their number
	at := d.owner().attemptsSince(d, inv).Add(time.Duration(n) * time.Millisecond)
	return d.IDs.Transaction(at, append(parts, strconv.Itoa(n))...)
}

// stop ends all automatic actions of a canceled subscription. It issues remaining drafts, which are owed.
func (d *Decision) stop() error {
	if err := d.finalizeAll(); err != nil {
		return err
	}
	return d.stopThose(func(invoice.Invoice) bool { return true })
}

// stopThose ends the collection of some open invoices, but not the one attempt of the last invoice.
func (d *Decision) stopThose(stops func(invoice.Invoice) bool) error {
	for i := range d.Open {
		last := d.Open[i].ID == d.last && !d.terms(d.Open[i]).Paused
		if last || !stops(d.Open[i]) {
			continue
		}
		if err := d.Step(i, collection.Stop); err != nil {
			return err
		}
	}
	return d.tryLast()
}

// tryLast makes the one attempt of the last invoice, unless it was sent to its customer. The subscription counts as
// ended after that attempt, so a failure has no further effect.
func (d *Decision) tryLast() error {
	i := d.IndexOpen(d.last)
	if i < 0 {
		return nil
	}
	terms := d.terms(d.Open[i])
	if terms.Paused {
		return nil
	}
	terms.Stopped = false
	state, effect, err := collection.Next(d.Open[i].Collection, d.input(collection.Begin), terms)
	if err != nil {
		return err
	}
	return d.enter(i, state, effect)
}

// cancelAttempt requests the cancellation of the live attempt of an invoice, where the provider can.
func (d *Decision) cancelAttempt(invoiceID string) {
	for _, t := range d.Pending {
		if t.InvoiceID == invoiceID && t.CancelRequestedAt.IsZero() {
			t.CancelRequestedAt, t.NextCheckAt = d.Real, d.Real
			d.SaveTransaction(t)
			return
		}
	}
}

// preferMethod ends the payer's time to confirm the live attempt of an invoice. The new payment method is tried when
// the attempt has ended.
func (ofSubscription) preferMethod(d *Decision, invoiceID string) {
	for _, t := range d.Pending {
		if t.InvoiceID != invoiceID {
			continue
		}
		if ended, asked := t.EndAction(d.Real); asked {
			d.SaveTransaction(ended)
		}
		return
	}
}

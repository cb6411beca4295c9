package lifecycle_test

import (
	"github.com/stretchr/testify/require"

	"perennial/billing/balance"
	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/subscription"
)

// check checks the invariants after every decision. It calls require only on failure, because a million decisions would
// be slow otherwise.
func (l *life) check(before subscription.Subscription, changes lifecycle.Changes) {
	s := l.sub()
	if before.Status == subscription.Canceled && s.Status != subscription.Canceled ||
		before.Status != subscription.Trialing && s.Status == subscription.Trialing {
		require.Failf(l.t, "no such transition", "%s to %s", before.Status, s.Status)
	}
	if l.account.status != s.Status || l.account.begun && s.Status != subscription.Canceled &&
		!l.mixed && l.account.period != s.CurrentPeriod {
		require.Failf(l.t, "what was announced is not so", "%s in %s: %+v", l.account.status, l.account.period, s)
	}
	l.checkTimes(before, changes)
	l.checkPause(before)
	l.checkPaidFor()
	l.checkPending(before)
	l.checkMoney()
	l.checkCollection()
	l.checkStanding()
	if len(changes.Invoices.Of(lifecycle.InvoiceCreated)) > 0 {
		l.checkLines()
		l.checkTaxes()
		l.checkDiscounts()
	}
	if l.account.spells != l.account.events[event.TypeSubscriptionPastDue] {
		require.Fail(l.t, "one event per spell")
	}
	if s.Status == subscription.PastDue && len(l.open()) == 0 {
		require.Fail(l.t, "past due, but nothing to pay")
	}
}

func (l *life) checkTimes(before subscription.Subscription, changes lifecycle.Changes) {
	s := l.sub()
	moved := s.PeriodIndex != before.PeriodIndex && !s.AnchorAt.Equal(before.AnchorAt)
	// The rest of the old period is lost or credited.
	restarted := s.Interval != before.Interval || s.PlanInterval != before.PlanInterval || moved || s.Status == subscription.Paused
	if s.PaidThrough.Before(before.PaidThrough) && !restarted && l.account.events[event.TypeSubscriptionCanceled] == 0 {
		require.Failf(l.t, "paidThrough moved back", "from %s to %s", before.PaidThrough, s.PaidThrough)
	}
	if s.PaidThrough.After(s.CurrentPeriod.End) && s.PaidThrough.After(s.PlanEnd()) && !l.writtenOff { // a year that was given up may be paid later
		require.Failf(l.t, "paid through time that nobody paid", "until %s, beyond %s", s.PaidThrough, s.CurrentPeriod)
	}
	if !s.ActivatedAt.IsZero() && s.PeriodIndex > 0 && s.PaidThrough.IsZero() && !l.writtenOff {
		require.Fail(l.t, "activated, but nothing was paid or free")
	}
	for _, inv := range changes.Invoices.Of(lifecycle.InvoiceCreated) {
		if s.Status == subscription.Trialing {
			require.Failf(l.t, "a trial is free", "%+v", inv)
		}
	}
	pending := 0
	for _, t := range l.store.transactions {
		if t.Status == payment.Pending && t.Type == payment.Charge {
			pending++
		}
	}
	if over := s.Status == subscription.Canceled && pending+len(l.store.drafts) == 0; over != !s.FinishedAt.IsZero() {
		require.Failf(l.t, "finished is canceled with nothing pending", "%s, %d pending, finished at %s",
			s.Status, pending, s.FinishedAt)
	}
}

// checkMoney compares what was billed with what was used, paid, given back and left as credit.
func (l *life) checkMoney() {
	var lines, billed, due, brought, ofUsage, captured, refunded money.Minor
	for _, inv := range l.store.billed() {
		if inv.Status == invoice.Void {
			continue
		}
		lines, billed = lines+inv.Subtotal()-meteredOf(inv.Lines), billed+inv.Total-inv.Credited.Total
		if l.sub().Pays(inv.ID) { // nothing of it is used yet
			lines -= inv.Subtotal()
		}
		if inv.Status == invoice.Open || inv.Status == invoice.Uncollectible {
			due += inv.AmountDue
			brought += inv.BroughtForward
		}
		if inv.Status == invoice.Open && inv.Reason == invoice.Usage {
			ofUsage += inv.BroughtForward
		}
	}
	for _, draft := range l.store.drafts { // their amount will be owed or credited
		lines, billed, due = lines+draft.Subtotal(), billed+draft.Total, due+draft.Total
	}
	for _, line := range l.sub().PendingLines {
		lines += line.Amount
	}
	reserved := map[string]money.Minor{}
	for _, t := range l.store.transactions {
		switch {
		case t.Type == payment.Refund:
			returned := !t.ReturnedAt.IsZero() // returned by the bank: owed again
			if t.Status != payment.Failed && !returned {
				reserved[t.ChargeID] += t.Amount
			}
		case t.Status == payment.Success:
			captured += t.Amount
			refunded += t.AmountRefunded + t.RefundOwed - l.credited[t.ID]
			if from := t.RecoveredFrom; !l.captured[t.ID] && !l.captured[from] && !t.External() {
				require.Failf(l.t, "a success that the provider does not know", "%+v", t)
			}
		}
	}
	if lines != l.account.used && !l.writtenOff && !l.noted && !l.mixed {
		require.Equal(l.t, l.account.used, lines, "what is billed before discounts and taxes is what was used")
	}
	if l.reviewed {
		return // money was refunded twice, which a person must resolve
	}
	used := l.store.granted - balance.Left(l.store.grants) // of grants
	if billed != captured-refunded+due+used-l.store.balance {
		require.Failf(l.t, "billed = paid - refunded + due + used of grants - credit", "%d = %d - %d + %d + %d - %d",
			billed, captured, refunded, due, used, l.store.balance)
	}
	if !l.noted {
		// A credit note may return an amount that a later invoice has by now. The amount that another invoice takes over may
		// be on an invoice of usage, which stays.
		brought = ofUsage
	}
	// a voided charge of time used leaves its credit
	if !l.writtenOff && l.store.balance+refunded > captured+brought+used &&
		l.store.balance+refunded > captured+brought+used+l.corrections() {
		require.Failf(l.t, "more given back than was paid", "%d + %d > %d + %d", l.store.balance, refunded, captured, used)
	}
	for id, amount := range reserved {
		if t := l.store.transaction(id); amount+l.credited[id] != t.AmountRefunded {
			require.Failf(l.t, "a charge shows what went back of it", "%d of %+v", amount, t)
		}
	}
}

func (l *life) checkCollection() {
	s := l.sub()
	current := 0
	for _, inv := range l.store.invoices {
		if inv.Status != invoice.Open {
			if inv.Status == invoice.Paid && l.store.settled[inv.ID].InvoiceID == "" {
				require.Failf(l.t, "paid, but not settled", "%+v", inv)
			}
			continue
		}
		if inv.PeriodIndex == s.PeriodIndex && inv.Reason != invoice.Usage {
			current++
		}
		waits := !inv.DueAt.IsZero() && inv.OverdueAt.IsZero() // a sent invoice waits for its customer
		waits = waits || s.Pays(inv.ID)                        // until its time to pay ends
		if s.Status == subscription.Active && inv.Collection.Phase == collection.Exhausted && !waits {
			require.Failf(l.t, "active, but nobody collects", "%+v", inv)
		}
		if s.Status != subscription.Canceled &&
			(inv.ID == s.CollectingInvoiceID) != (inv.Collection.Phase != collection.Waiting) {
			require.Failf(l.t, "one invoice is in collection", "%s, not %+v", s.CollectingInvoiceID, inv)
		}
		if live := l.live(inv.ID); live != nil != (inv.Collection.Phase == collection.Charging) {
			require.Failf(l.t, "charging is having a live attempt", "%+v: %+v", inv, live)
		}
	}
	for _, draft := range l.store.drafts {
		if draft.PeriodIndex == s.PeriodIndex && draft.Reason != invoice.Usage {
			current++
		}
		if !draft.AwaitsUsage() && (s.Status == subscription.Canceled || s.Status == subscription.Paused) {
			require.Failf(l.t, "a draft that nobody waits for", "%s: %+v", s.Status, draft)
		}
	}
	if current > 1 {
		require.Fail(l.t, "one open invoice for the current period")
	}
}

// open lists the open invoices, oldest first.
func (l *life) open() []invoice.Invoice {
	var out []invoice.Invoice
	for _, inv := range l.store.invoices {
		if inv.Status == invoice.Open {
			out = append(out, inv)
		}
	}
	return out
}

// live returns the pending attempt of an invoice; empty: of any.
func (l *life) live(invoiceID string) *payment.Transaction {
	for i := range l.store.transactions {
		t := &l.store.transactions[i]
		if t.Status == payment.Pending && t.Type == payment.Charge && (invoiceID == "" || t.InvoiceID == invoiceID) {
			return t
		}
	}
	return nil
}

// refunded returns the sum of all refunds, also pending and failed ones.
func (l *life) refunded() money.Minor {
	var sum money.Minor
	for _, t := range l.store.transactions {
		if t.Type == payment.Refund {
			sum += t.Amount
		}
	}
	return sum
}

// capturedSum returns the sum of all captures.
func (l *life) capturedSum() money.Minor {
	var sum money.Minor
	for _, t := range l.store.transactions {
		if t.Status == payment.Success {
			sum += t.Amount
		}
	}
	return sum
}

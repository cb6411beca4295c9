package lifecycle_test

import (
	"errors"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/recording"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/billing/terms"
)

func (l *life) pay() {
	open, behind := l.open(), l.behind()
	changes, err := l.apply(lifecycle.Pay{})
	switch {
	case err == nil:
		require.NotEmpty(l.t, changes.Attempt)
	case behind: // the command ran after due actions
	case inProgress(err):
		require.NotNil(l.t, l.live(""))
	case errors.Is(err, lifecycle.ErrNeedsReview):
		l.requireParked()
	default:
		require.Condition(l.t, func() bool { return l.sub().Status == subscription.Trialing || len(open) == 0 }, err)
	}
}

// skipRetry skips the next retry of the invoice in collection, if one is scheduled.
func (l *life) skipRetry() {
	i := slices.IndexFunc(l.open(), func(inv invoice.Invoice) bool { return inv.ID == l.sub().CollectingInvoiceID })
	if i < 0 {
		return
	}
	before, behind := l.open()[i], l.behind()
	_, err := l.apply(lifecycle.SkipRetry{InvoiceID: before.ID})
	if behind {
		return // the command ran after due actions
	}
	after := l.store.invoice(before.ID).Collection
	switch scheduled := before.Collection.Phase == collection.Scheduled && l.sub().Status != subscription.Canceled; {
	case err != nil:
		require.True(l.t, !scheduled || inProgress(err), err)
		require.Equal(l.t, before.Collection, after)
	default:
		require.True(l.t, scheduled)
		require.Equal(l.t, before.Collection.Attempts, after.Attempts, "no attempt is made")
		require.Equal(l.t, before.Collection.Skipped+1, after.Skipped)
		require.True(l.t, after.Phase == collection.Exhausted || after.RetryAt.After(before.Collection.RetryAt))
	}
}

// resume ends a pause of collection, and charges the waiting invoice.
func (l *life) resume() {
	paused, behind := l.sub().CollectionPaused(), l.behind()
	sent := slices.ContainsFunc(l.open(), func(inv invoice.Invoice) bool { return inv.Terms.Sent() })
	changes, err := l.apply(lifecycle.ResumeCollection{})
	switch {
	case behind:
	case err != nil:
		require.True(l.t, !paused || inProgress(err), err)
	default:
		require.True(l.t, paused && !l.sub().CollectionPaused())
		require.True(l.t, changes.Attempt != "" || l.live("") != nil || sent, "nothing collects")
	}
}

// cancelPayment requests the cancellation of a charge in any state.
func (l *life) cancelPayment(draw chance) {
	id := l.some(draw, func(t payment.Transaction) bool { return t.Type == payment.Charge })
	if id == "" {
		return
	}
	g, result := l.load(false), l.about(id)
	state, changes, err := recording.CancelPayment(g.state, result, l.moment())
	if err != nil {
		was := result.Transaction
		require.True(l.t, was.Status != payment.Pending || !was.ParkedAt.IsZero(), err)
		l.untouched(g)
		return
	}
	l.write(g, state, changes)
	require.False(l.t, l.store.transaction(id).CancelRequestedAt.IsZero())
	if changes.Unfinished {
		l.advance()
	}
}

func (l *life) requireParked() {
	parked := func(t payment.Transaction) bool { return t.Status == payment.Pending && !t.ParkedAt.IsZero() }
	require.NotEmpty(l.t, l.some(func(int, string) int {
		return 0
	}, parked), "refused without a payment that needs review")
}

// behind reports whether actions are due, so that a command runs on another state than the store's.
func (l *life) behind() bool {
	action, at := l.next()
	return action != subscription.ActionNone && !at.After(l.now)
}

func (l *life) changePlan(to plan.Plan, atPeriodEnd bool) {
	_, err := l.change(lifecycle.ChangePlan{Plan: &to, AtPeriodEnd: atPeriodEnd})
	s := l.sub()
	switch {
	case l.behind() || err == nil:
	case s.Status == subscription.Canceled:
		require.Equal(l.t, subscribing.ErrCanceled, err)
	case s.Status == subscription.Paused:
		require.Equal(l.t, subscribing.ErrPaused, err)
	case s.Status == subscription.Incomplete:
		require.Equal(l.t, subscribing.ErrIncomplete, err)
	case to.ID == s.PlanID && s.PendingPlanID == "":
		require.Equal(l.t, subscribing.ErrPlanUnchanged, err)
	case errors.Is(err, subscription.ErrAddOnsStay):
		require.NotEmpty(l.t, s.AddOnRefs())
		require.True(l.t, to.Interval != s.Interval || s.PendingPlanID != "" || s.PendingAddOns != nil)
	case errors.Is(err, lifecycle.ErrNeedsReview):
		l.requireParked()
	case l.hasNotes(err):
	default:
		require.True(l.t, inProgress(err), err)
		require.True(l.t, l.live("") != nil && !atPeriodEnd, "refused without a live attempt")
	}
}

// change performs a change with the drawn proration behavior, and resets that.
func (l *life) change(c lifecycle.ChangePlan) (lifecycle.Changes, error) {
	c.Proration, l.account.how = l.how, l.how
	defer func() { l.how, l.account.how = "", "" }()
	return l.apply(c)
}

// changeQuantity requests other units. It waits for due actions, like an app that keeps accounts.
func (l *life) changeQuantity(to int64, atPeriodEnd bool) {
	if l.behind() {
		return
	}
	had, invoices := l.sub(), len(l.store.invoices)
	_, err := l.change(lifecycle.ChangePlan{Quantity: to, AtPeriodEnd: atPeriodEnd})
	s := l.sub()
	switch {
	case err == nil && atPeriodEnd && to != had.Quantity:
		require.Equal(l.t, [2]int64{had.Quantity, to}, [2]int64{s.Quantity, s.PendingQuantity})
		require.Len(l.t, l.store.invoices, invoices, "nothing is billed before the period ends")
	case err == nil:
		require.Equal(l.t, [2]int64{to, 0}, [2]int64{s.Quantity, s.PendingQuantity})
	case s.Status == subscription.Canceled:
		require.Equal(l.t, subscribing.ErrCanceled, err)
	case s.Status == subscription.Paused:
		require.Equal(l.t, subscribing.ErrPaused, err)
	case to == had.Quantity && had.PendingQuantity == 0:
		require.Equal(l.t, subscribing.ErrQuantityUnchanged, err)
	case errors.Is(err, lifecycle.ErrNeedsReview):
		l.requireParked()
	case l.hasNotes(err):
	default:
		require.True(l.t, inProgress(err) && l.live("") != nil && !atPeriodEnd, err)
	}
}

// endTrial moves the end of the trial to a time from now.
func (l *life) endTrial(in time.Duration) {
	if l.behind() {
		return
	}
	was := l.sub().Status
	_, err := l.apply(lifecycle.EndTrial{At: l.now.Add(in)})
	switch was {
	case subscription.Trialing:
		require.NoError(l.t, err)
		require.Equal(l.t, l.sub().TrialEndsAt, l.sub().AnchorAt)
	case subscription.Canceled:
		require.Equal(l.t, subscribing.ErrCanceled, err)
	default:
		require.Equal(l.t, subscribing.ErrTrialOver, err)
	}
}

func (l *life) schedule(cmd lifecycle.Command) {
	if _, err := l.apply(cmd); err != nil && !l.behind() {
		canceled := l.sub().Status == subscription.Canceled && errors.Is(err, subscribing.ErrCanceled)
		require.True(l.t, canceled || !l.sub().CancelAtPeriodEnd && errors.Is(err, subscribing.ErrNotScheduled), err)
	}
}

func (l *life) cancelNow(refund bool) {
	over, behind, last := l.sub().Status == subscription.Canceled, l.behind(), len(l.store.invoices)
	back := len(l.store.takenBack)
	waiting, counted := 0, !l.sub().MeteredSince.IsZero() || !l.sub().LateUsageUntil.IsZero()
	for _, draft := range l.store.drafts {
		if draft.AwaitsUsage() {
			waiting++
		} else {
			last++
		}
	}
	if len(l.sub().PendingLines) > 0 {
		last++
	}
	_, err := l.apply(lifecycle.Cancel{Immediate: true, RefundUnused: refund})
	if over {
		require.Equal(l.t, subscribing.ErrCanceled, err)
		return
	}
	require.True(l.t, err == nil || l.behind() || l.hasNotes(err), err)
	if err != nil {
		return
	}
	if !refund && !behind {
		require.LessOrEqual(l.t, len(l.store.invoices), last)
		require.GreaterOrEqual(l.t, len(l.store.billed()), last+back, "one that only gives back becomes credit notes")
		if ended := !l.sub().LateUsageUntil.IsZero(); ended && counted {
			waiting++ // for the usage up to the end
		}
		require.Len(l.t, l.store.drafts, waiting)
	}
	for _, inv := range l.open() {
		if inv.Terms.Sent() { // its customer may still pay it
			continue
		}
		require.Contains(l.t, []collection.Phase{collection.Closed, collection.Charging}, inv.Collection.Phase)
	}
}

// giveUp voids an invoice or marks it uncollectible.
func (l *life) giveUp(inv invoice.Invoice, void bool) {
	live, behind, balance := l.live(inv.ID), l.behind(), l.store.balance
	if live != nil && !live.ParkedAt.IsZero() {
		live = nil // no action waits for it
	}
	var cmd lifecycle.Command = lifecycle.MarkUncollectible{InvoiceID: inv.ID}
	if void {
		cmd = l.voids(inv)
	}
	was := l.writtenOff
	l.writtenOff = true
	_, err := l.apply(cmd)
	if err != nil {
		l.writtenOff = was
		credits := void && inv.TakesTimeBack() && errors.Is(err, lifecycle.ErrTakesTimeBack)
		credits = credits || void && l.hasNotes(err)
		credits = credits || void && errors.Is(err, lifecycle.ErrTakenBack) && l.given(inv).TakenBack(inv)
		credits = credits || !void && l.sub().Status == subscription.Incomplete && errors.Is(err, subscribing.ErrIncomplete)
		require.True(l.t, behind || credits || inProgress(err) && live != nil, err)
		return
	}
	require.True(l.t, behind || live == nil)
	if !void && !behind && l.sub().Status == subscription.Canceled {
		require.Equal(l.t, balance, l.store.balance, "it stays owed")
	}
}

// markPaid settles an invoice by a payment outside.
func (l *life) markPaid(inv invoice.Invoice) {
	live, behind := l.live(inv.ID), l.behind()
	unsent := live == nil || live.FirstSentAt.IsZero() && live.ProviderRef == "" && live.ParkedAt.IsZero()
	changes, err := l.apply(lifecycle.MarkPaid{InvoiceID: inv.ID, Method: "cash"})
	if err != nil {
		require.True(l.t, behind || !unsent && inProgress(err), err)
		return
	}
	require.True(l.t, behind || unsent)
	paid := changes.Made(l.store.settled[inv.ID].TransactionID)
	require.NotNil(l.t, paid)
	require.Equal(l.t, [2]any{payment.Success, payment.External}, [2]any{paid.Status, paid.Provider})
}

// inProgress reports whether a command was refused because a payment is undecided.
func inProgress(err error) bool {
	code := fault.From(err).Code
	return code == collection.ErrInProgress.Code || code == "payment_needs_review"
}

// payOwed repeats failed refunds, or turns them into credit.
func (l *life) payOwed(chargeID string, asCredit bool) {
	charge := *l.store.transaction(chargeID)
	if !asCredit {
		changes, err := lifecycle.RetryRefund(lifecycle.State{Customer: l.store.customer, ClockNow: l.store.clock}, charge,
			l.moment())
		require.NoError(l.t, err)
		require.Equal(l.t, charge.RefundOwed, changes.Made(changes.Attempt).Amount)
		l.store.write(changes)
		l.checkMoney()
		return
	}
	g := l.load(false)
	state, changes, err := lifecycle.CreditRefund(g.state, charge, l.moment())
	require.NoError(l.t, err)
	l.credited[chargeID] += charge.RefundOwed
	l.write(g, state, changes)
}

// setTerms changes the collection of the next invoices.
func (l *life) setTerms(draw chance) {
	method, days := terms.Charge, 0
	if draw(2, "sent") == 0 {
		method, days = terms.Send, draw(45, "net days")
	}
	before := l.sub()
	_, err := l.apply(lifecycle.SetTerms{Method: &method, NetDays: &days})
	switch err {
	case nil:
		require.Equal(l.t, terms.Terms{Method: method, NetDays: days}, l.sub().Terms)
	default:
		require.True(
			l.t, before.Status == subscription.Canceled || l.sub().Status == subscription.Canceled || l.behind(), err,
		)
	}
}

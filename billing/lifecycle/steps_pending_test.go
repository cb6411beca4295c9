package lifecycle_test

import (
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// pendChange requests a change that is made once it is paid.
func (l *life) pendChange(draw chance) {
	if l.behind() {
		return
	}
	cmd := l.someChange(draw)
	cmd.Behavior = subscription.PendPayment
	if draw(3, "one attempt") == 0 {
		cmd.Behavior = subscription.AttemptOnce
	}
	had := l.sub()
	_, err := l.apply(cmd)
	if err != nil {
		require.Contains(l.t, []fault.Kind{fault.Conflict, fault.Invalid}, fault.From(err).Kind, err)
		return
	}
	s := l.sub()
	if s.PendingChange == nil {
		return // it costs nothing, or credit has paid for it
	}
	require.Equal(l.t, offered(had), offered(s), "the subscription is as it was")
	require.True(l.t, s.PendingChange.Until.After(l.decided()))
	require.False(l.t, s.PendingChange.Until.After(l.decided().Add(subscription.TimeToPay)))
	require.False(l.t, s.PendingChange.Until.After(s.Boundary()))
	require.Positive(l.t, l.store.invoice(s.PendingChange.InvoiceID).AmountDue)
}

// offered is what a customer has of a subscription.
func offered(s subscription.Subscription) []any {
	return []any{s.Plan(), s.Quantity, s.AddOns, s.Items, s.CurrentPeriod, s.PeriodIndex, s.PaidThrough, s.Discounts}
}

// checkPending checks that a change waits exactly as long as its invoice is open, and changes nothing before.
func (l *life) checkPending(before subscription.Subscription) {
	s := l.sub()
	if c := s.PendingChange; c != nil {
		inv := l.store.invoice(c.InvoiceID)
		if s.Status != subscription.Active || inv == nil || inv.Status != invoice.Open {
			require.Failf(l.t, "a change waits for nothing", "%+v", s)
		}
	}
	c := before.PendingChange
	if c == nil || s.PendingChange != nil && s.PendingChange.ID == c.ID {
		return
	}
	switch inv := l.store.invoice(c.InvoiceID); inv.Status {
	case invoice.Paid:
		if c.Plan.ID != "" && s.PlanID != c.Plan.ID || c.Quantity != 0 && s.Quantity != c.Quantity {
			require.Failf(l.t, "a change that is paid is not made", "%+v: %+v", c, s)
		}
	case invoice.Void:
		if inv.ReplacedBy != c.ID {
			require.Failf(l.t, "a change that is withdrawn leaves its invoice", "%+v", inv)
		}
	default:
		require.Failf(l.t, "a change has ended, and its invoice has not", "%+v", inv)
	}
}

// refusesPending reports whether a step is impossible, or another one, because a change waits for its payment.
func (l *life) refusesPending(step int, draw chance) bool {
	if l.sub().PendingChange == nil || l.behind() {
		return false
	}
	c := *l.sub().PendingChange
	refuses := func(cmd lifecycle.Command) {
		_, err := l.apply(cmd)
		require.ErrorIs(l.t, err, subscribing.ErrChangePending, cmd)
	}
	switch step {
	case 13, 14, 20, 21, 29, 30, 42, 43:
		refuses(lifecycle.ChangePlan{Quantity: 7, AtPeriodEnd: draw(2, "at period end") == 0})
	case 23, 31:
		to := l.newest(l.sub().PlanID)
		refuses(lifecycle.Migrate{Version: to.Version, To: &to})
	case 35, 36:
		refuses(lifecycle.ChangePlan{Quantity: 7, On: l.decided().Add(time.Hour)})
	case 26, 27:
		refuses(lifecycle.RedeemCoupon{Code: "WELCOME", Coupon: &discount.Coupon{ID: "coup_9", Active: true}})
		refuses(lifecycle.RemoveCoupon{CouponID: "coup_1"})
	case 40:
		l.refusesAnchor()
	case 32:
		_, err := l.apply(lifecycle.Pause{})
		require.Contains(l.t, []error{subscribing.ErrChangePending, subscribing.ErrEnding}, err)
	case 28:
		refuses(lifecycle.MarkUncollectible{InvoiceID: c.InvoiceID})
		inv := *l.store.invoice(c.InvoiceID)
		refuses(lifecycle.CreditInvoice{Invoice: inv})
	case 18, 39:
		l.endsPending(c, draw)
	default:
		return false
	}
	return true
}

// refusesAnchor requests another anchor, which is refused. It cannot move to the begin of the period anyhow.
func (l *life) refusesAnchor() {
	_, err := l.apply(lifecycle.MoveAnchor{})
	allowed := []error{subscribing.ErrChangePending, subscribing.ErrEnding, subscribing.ErrSameInstant}
	require.True(l.t, slices.Contains(allowed, err), err)
}

// endsPending withdraws the change that waits, or pays for it elsewhere.
func (l *life) endsPending(c subscription.PendingChange, draw chance) {
	had := l.sub()
	switch draw(3, "how it ends") {
	case 0:
		_, err := l.apply(lifecycle.WithdrawChange{ID: c.ID})
		require.NoError(l.t, err)
	case 1:
		_, err := l.apply(lifecycle.VoidInvoice{InvoiceID: c.InvoiceID})
		require.NoError(l.t, err)
	case 2:
		l.markPaid(*l.store.invoice(c.InvoiceID))
		return
	}
	require.Nil(l.t, l.sub().PendingChange)
	require.Equal(l.t, offered(had), offered(l.sub()))
	require.Equal(l.t, invoice.Void, l.store.invoice(c.InvoiceID).Status)
}

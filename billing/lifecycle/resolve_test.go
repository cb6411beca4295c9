package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/recording"
)

// A person resolves a charge of 1000 whose outcome the provider leaves uncertain.
func TestResolve_WhatAPersonFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		is       payment.Status // of the charge; success: it paid its invoice
		reason   string         // of the review
		decision payment.Decision
		status   payment.Status // after the decision
		failure  string
		paid     bool
		events   []event.Type
	}{
		"the money moved": {
			payment.Pending, payment.ReviewOutcomeUnknown, payment.DecideSucceeded, payment.Success, "", true,
			[]event.Type{event.TypePaymentSuccess, event.TypeInvoicePaid, event.TypeSubscriptionActivated},
		},
		"no money moved": {
			payment.Pending, payment.ReviewOutcomeUnknown, payment.DecideFailed, payment.Failed,
			"An operator found that no money moved.", false,
			[]event.Type{event.TypePaymentFailed, event.TypeInvoicePaymentFailed},
		},
		"it moved, and was given back": {
			payment.Pending, payment.ReviewAmountMismatch, payment.DecideReturned, payment.Failed,
			"An operator found that the money was returned outside Perennial.", false,
			[]event.Type{event.TypePaymentFailed, event.TypeInvoicePaymentFailed},
		},
		"the second capture was given back": {
			payment.Success, payment.ReviewSecondCapture, payment.DecideReturned, payment.Success, "", true, nil,
		},
		"a declined charge moved it after all": {
			payment.Declined, payment.ReviewAmountMismatch, payment.DecideSucceeded, payment.Success, "", true,
			[]event.Type{event.TypePaymentSuccess, event.TypeInvoicePaid, event.TypeSubscriptionActivated},
		},
	} {
		l := begun(t, settings)
		id := l.charges()[0].ID
		l.send(id)
		switch c.is {
		case payment.Success:
			l.result(answer.Succeeded)
		case payment.Declined:
			l.result(answer.Declined)
		default:
		}
		parked, news := l.store.transaction(id).NeedsReview(c.reason, "", l.real)
		require.True(t, news, name)
		l.store.transactions[0] = parked
		g := l.load(false)
		result := recording.Result{Transaction: parked, Protocol: protocol}
		if c.is == payment.Success {
			result.Invoice = &l.store.invoices[0]
		}
		state, recorded, changes, err := recording.Resolve(g.state, result, c.decision, l.moment())
		require.NoError(t, err, name)
		l.captured[id] = c.status == payment.Success
		l.write(g, state, changes)
		after := recorded.Transaction
		require.Equal(t, [2]any{c.status, c.failure}, [2]any{after.Status, after.FailureReason}, name)
		require.Equal(t, l.real, after.Review.At, name)
		require.Zero(t, after.ParkedAt, name)
		require.Equal(t, c.paid, l.store.invoices[0].Status == invoice.Paid, name)
		require.Equal(t, c.events, typesOf(changes.Events), name)
	}
}

func TestResolve_IsRefusedWithoutAReview(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	_, _, changes, err := recording.Resolve(l.load(false).state, recording.Result{
		Transaction: l.charges()[0], Protocol: protocol,
	}, payment.DecideFailed, l.moment())
	require.ErrorIs(t, err, payment.ErrNotInReview)
	require.Equal(t, lifecycle.Changes{}, changes)
}

package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/creditnote"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/recording"
)

// A refund takes the latest payment first, and an earlier one only for the rest.
func TestCancel_RefundsTheLatestPaymentFirst(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded) // 1000 for four weeks of team
	l.pass(2 * week)
	l.paysFor(pro) // 1000 more for two weeks of pro
	l.cancelNow(true)

	require.Len(t, l.refunds(), 2)
	require.Equal(t, l.charges()[1].ID, l.refunds()[0].ChargeID)
	require.Equal(t, money.Minor(1000), l.refunds()[0].Amount)
	require.Equal(t, l.charges()[0].ID, l.refunds()[1].ChargeID)
	require.Equal(t, money.Minor(500), l.refunds()[1].Amount)
	for i, want := range []money.Minor{500, 1000} {
		require.Equal(t, want, l.charges()[i].AmountRefunded, "reserved at once")
	}
}

// An invoice that credit paid has no charge to refund.
func TestCancel_RefundPassesOverWhatCreditPaid(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.changePlan(free, false)
	l.changePlan(team, false)

	l.cancelNow(true)

	for _, r := range l.refunds() {
		require.Equal(t, l.charges()[0].ID, r.ChargeID)
	}
	require.Equal(t, money.Minor(1000), l.refunded()+l.store.balance)
}

func TestRecord_RefundThatFails(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.cancelNow(true)
	refund := l.refunds()[0]
	require.Equal(t, refund.Amount, l.charges()[0].AmountRefunded)

	l.answer(refund.ID, answer.Declined)

	require.Equal(t, payment.Failed, l.refunds()[0].Status, "a refund has no other bad end")
	require.Zero(t, l.charges()[0].AmountRefunded, "released")
	require.Equal(t, refund.Amount, l.charges()[0].RefundOwed, "and owed")
	require.Zero(t, l.charges()[0].Captured().Refundable(), "what is owed is no other refund's")

	l.answer(refund.ID, answer.Succeeded) // the provider changes its mind

	require.Equal(t, payment.Refunded, l.refunds()[0].Status)
	require.Equal(t, refund.Amount, l.charges()[0].AmountRefunded)
	require.Equal(t, event.TypePaymentRefunded, l.store.events[len(l.store.events)-1].Type())
}

// The bank returns a successful refund, and the provider reports it repeatedly.
func TestRecord_RefundThatTheBankReturns(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.cancelNow(true)
	refund := l.refunds()[0]
	l.answer(refund.ID, answer.Succeeded)
	require.Zero(t, l.charges()[0].RefundOwed)
	before := len(l.store.events)

	for range 2 {
		l.answer(refund.ID, answer.Failed)
	}

	require.Equal(t, payment.Refunded, l.refunds()[0].Status, "final")
	require.NotEmpty(t, l.refunds()[0].FailureReason, "which shows it")
	require.Equal(t, refund.Amount, l.charges()[0].RefundOwed)
	require.Zero(t, l.charges()[0].AmountRefunded)
	require.Len(t, l.store.events, before+1, "once")
	require.Equal(t, event.TypePaymentRefundFailed, l.lastEvent().Type())

	l.answer(refund.ID, answer.Succeeded) // a delayed callback
	require.Equal(t, refund.Amount, l.charges()[0].RefundOwed)
}

// owed returns a life whose only charge owes a failed refund.
func owed(t *testing.T) *life {
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.cancelNow(true)
	l.answer(l.refunds()[0].ID, answer.Declined)
	return l
}

func TestRetryRefund_FailedRefund(t *testing.T) {
	t.Parallel()
	l := owed(t)

	l.payOwed(l.charges()[0].ID, false)

	require.Zero(t, l.charges()[0].RefundOwed)
	require.Equal(t, money.Minor(1000), l.charges()[0].AmountRefunded)
	require.Equal(t, money.Minor(1000), l.refunds()[1].Amount)
	_, err := lifecycle.RetryRefund(lifecycle.State{}, l.charges()[0], l.moment())
	require.Equal(t, "refund_not_owed", fault.From(err).Code)
	l.answer(l.refunds()[1].ID, answer.Succeeded)
	require.Equal(t, payment.Refunded, l.refunds()[1].Status)

	l.answer(l.refunds()[0].ID, answer.Succeeded) // the first refund succeeded late

	require.Equal(t, event.PaymentNeedsReview{
		Payment: l.refunds()[0].Announced(), Reason: "refunded_twice", ProviderRef: l.refunds()[0].ProviderRef,
	}, l.lastEvent())
	require.Equal(t, money.Minor(1000), l.charges()[0].AmountRefunded, "never more than was captured")
}

func TestCreditRefund_FailedRefund(t *testing.T) {
	t.Parallel()
	l := owed(t)

	l.payOwed(l.charges()[0].ID, true)

	require.Equal(t, money.Minor(1000), l.store.balance)
	require.Zero(t, l.charges()[0].RefundOwed)
	require.Zero(t, l.charges()[0].Captured().Refundable())
	_, _, err := lifecycle.CreditRefund(l.store.load(false), l.charges()[0], l.moment())
	require.Equal(t, "refund_not_owed", fault.From(err).Code)
	own := l.charges()[0]
	own.InvoiceID = ""
	_, _, err = lifecycle.CreditRefund(lifecycle.State{}, own, l.moment())
	require.Equal(t, "refund_needs_subscription", fault.From(err).Code)
}

// The part of a refund that the provider cannot express becomes credit: of 1000 for 28 days, one day costs 36, and of
// the remaining 964, 960 are refunded in tens.
func TestCancel_RefundIsExpressible(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.store.provider.Limits = money.Limits{Granularity: 10}
	l.result(answer.Succeeded)
	l.pass(week / 7)
	l.cancelNow(true)
	require.Len(t, l.refunds(), 1)
	require.Equal(t, money.Minor(960), l.refunds()[0].Amount)
	require.Equal(t, money.Minor(4), l.store.balance)
}

func TestRefundCharge_Expressible(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	charge := l.charges()[0] // of 1000
	charge.Amount, charge.AmountRefunded, charge.Granularity = 1200, 200, 300
	for amount, want := range map[money.Minor]money.Minor{0: 900, 900: 900, 300: 300, 1000: 0, 1: 0, 299: 0} {
		changes, err := lifecycle.RefundCharge(lifecycle.State{}, charge, amount, l.moment())
		if want == 0 {
			require.Equal(t, "amount_not_representable", fault.From(err).Code, "%d", amount)
			require.Equal(t, fault.Invalid, fault.From(err).Kind)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want, changes.NewTransactions[0].Amount)
	}
	charge.Granularity = 3000
	_, err := lifecycle.RefundCharge(lifecycle.State{}, charge, 0, l.moment())
	require.Equal(t, "amount_not_representable", fault.From(err).Code)
}

// An older debt may be an amount that the provider cannot express: the expressible part is refunded, and the rest stays
// owed.
func TestRetryRefund_Expressible(t *testing.T) {
	t.Parallel()
	charge := owed(t).charges()[0] // owes 1000
	charge.Amount, charge.Granularity = 1200, 300
	l := begun(t, settings)
	changes, err := lifecycle.RetryRefund(lifecycle.State{}, charge, l.moment())
	require.NoError(t, err)
	require.Equal(t, money.Minor(900), changes.NewTransactions[0].Amount)
	require.Equal(t, money.Minor(100), changes.Transactions[0].RefundOwed)
	charge.Granularity = 3000
	_, err = lifecycle.RetryRefund(lifecycle.State{}, charge, l.moment())
	require.Equal(t, "amount_not_representable", fault.From(err).Code)
}

// pawaPay took TZS 1250.50 of an operator with two decimals (Limits have whole units, the coarsest of all operators): a
// customer's own charge from before amount_not_chargeable, or forced. The whole captured amount can be refunded.
func TestRefundCharge_WholeAmountIsAlwaysExpressible(t *testing.T) {
	t.Parallel()
	charge := payment.Transaction{ID: "txn_1", Type: payment.Charge, Status: payment.Success,
		Provider: "pawapay", Currency: "TZS",
		Amount: 125_050, Granularity: 100}
	l := newLife(t, plans, settings, team, 0)
	changes, err := lifecycle.RefundCharge(lifecycle.State{}, charge, 125_050, l.moment())
	require.NoError(t, err)
	require.EqualValues(t, 125_050, changes.NewTransactions[0].Amount)
	changes, err = lifecycle.RefundCharge(lifecycle.State{}, charge, 0, l.moment())
	require.NoError(t, err)
	require.EqualValues(t, 125_050, changes.NewTransactions[0].Amount)
}

// The refund re_1 of 400 succeeded. A message of a failure belongs to it unless it names another one.
func TestRecord_BadEndOfARefundThatWentThrough(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ref  string
		owed money.Minor
	}{
		"it came back":    {"re_1", 400},
		"no name is said": {"", 400},
		"another one":     {"re_2", 0},
	} {
		l := begun(t, settings)
		l.result(answer.Succeeded)
		charge, refund, err := l.charges()[0].Captured().Refund("txn_r", 400, l.now, l.real)
		require.NoError(t, err)
		refund.Status, refund.ProviderRef, refund.CompletedAt = payment.Refunded, "re_1", l.now
		_, recorded, changes, err := recording.Record(lifecycle.State{Customer: l.store.customer}, recording.Result{
			Transaction: refund, Charge: &charge, Move: payment.MoveLookup, Protocol: protocol,
			Answer: answer.Answer{Outcome: answer.Failed, Ref: c.ref, FailureReason: "The account is closed."},
		}, l.moment())
		require.NoError(t, err, name)
		require.Equal(t, payment.Refunded, recorded.Transaction.Status, name)
		require.Equal(t, c.owed > 0, !recorded.Transaction.ReturnedAt.IsZero(), name)
		if c.owed == 0 {
			require.Empty(t, changes.Transactions, name)
			continue
		}
		require.Len(t, changes.Transactions, 2, name)
		require.Equal(t, [2]money.Minor{0, c.owed},
			[2]money.Minor{changes.Transactions[1].AmountRefunded, changes.Transactions[1].RefundOwed}, name)
	}
}

// A refund writes a note over what is left of its invoice: 400 of 1000 went to the balance before, so that a refund of
// all has a note over 600, and a refund of 100 has one over 100. Where nothing is left, or another charge settled the
// invoice, money goes back without one.
func TestRefundInvoice_NotesWhatIsLeft(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before, amount, refunded, noted money.Minor
		other                           bool
	}{
		"all of it":           {0, 0, 1000, 1000, false},
		"a part":              {400, 100, 100, 100, false},
		"more than is left":   {400, 0, 1000, 600, false},
		"nothing is left":     {1000, 0, 1000, 0, false},
		"of another's charge": {0, 300, 300, 0, true},
	} {
		l := begun(t, settings)
		l.result(answer.Succeeded)
		l.reviewed = true // more may go back than the invoice has left
		paid := l.store.invoices[0]
		if c.before > 0 {
			_, err := l.creditInvoice(paid, creditnote.Request{ID: "cn", Amount: c.before, Reason: creditnote.Goodwill})
			require.NoError(t, err, name)
		}
		l.noted = true
		cmd := lifecycle.RefundInvoice{Note: l.creditOf(*l.store.invoice(paid.ID)), Charge: l.charges()[0], Amount: c.amount}
		if c.other {
			cmd.Note.Charge = nil
		}
		changes, err := l.apply(cmd)
		require.NoError(t, err, name)
		require.Equal(t, c.refunded, changes.Made(changes.Refund).Amount, name)
		if c.noted == 0 {
			require.Empty(t, changes.CreditNotes, name)
			continue
		}
		note := changes.CreditNotes[0]
		require.Equal(t, [2]money.Minor{c.noted, c.noted}, [2]money.Minor{note.Total, note.Refund}, name)
		require.Equal(t, changes.Refund, note.RefundID, name)
		require.Equal(t, c.noted+c.before, l.store.invoice(paid.ID).Credited.Total, name)
	}
}

package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/collection"
	"perennial/billing/creditnote"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// reducedAfterFailure returns a failed charge of 1000 whose invoice a credit note has reduced since.
func reducedAfterFailure(t *testing.T, by money.Minor) (l *life, transactionID string) {
	t.Helper()
	l = newLife(t, plans, settings, team, 0)
	l.advance()
	transactionID = l.live("").ID
	l.result(answer.Declined)
	_, err := l.creditInvoice(l.open()[0], creditnote.Request{Amount: by})
	require.NoError(t, err)
	return l, transactionID
}

// A failed charge that succeeds after a credit note reduced the invoice is refunded by that amount.
func TestCreditInvoice_LateSuccessOfMore(t *testing.T) {
	t.Parallel()
	l, first := reducedAfterFailure(t, 400)
	l.answer(first, answer.Succeeded)
	require.Empty(t, l.open())
	refunds := l.refunds()
	require.Len(t, refunds, 1)
	require.Equal(t, [2]money.Minor{1000, 400}, [2]money.Minor{l.store.transaction(first).Amount, refunds[0].Amount})
}

// The rest that the charge's provider cannot refund becomes credit: of 405 minor units in multiples of 10, 5.
func TestCreditInvoice_LateSuccessOfMoreThanTheProviderCanGiveBack(t *testing.T) {
	t.Parallel()
	l, first := reducedAfterFailure(t, 405)
	l.store.transaction(first).Granularity = 10
	l.answer(first, answer.Succeeded)
	require.Empty(t, l.open())
	refunds := l.refunds()
	require.Len(t, refunds, 1)
	require.EqualValues(t, 400, refunds[0].Amount)
	require.EqualValues(t, 5, l.store.balance)
}

// Due actions precede a note: the renewal takes the waiting credits over, and the note returns the rest.
func TestCreditInvoice_AfterCatchingUp(t *testing.T) {
	t.Parallel()
	l := newLife(t, []plan.Plan{team, pro}, settings, pro, 0)
	l.advance()
	l.result(answer.Succeeded)
	paid := l.store.invoices[0]
	l.pass(2 * week)
	_, err := l.apply(lifecycle.ChangePlan{Plan: &team, Proration: subscription.NextInvoice})
	require.NoError(t, err)
	l.moveTo(l.sub().CurrentPeriod.End.Add(time.Hour))
	note, err := l.creditInvoice(paid, creditnote.Request{})
	require.NoError(t, err)
	require.Equal(t, money.Minor(3000-1500), note.Total, "half was taken back by the renewal")
	require.Equal(t, invoice.Cycle, l.store.invoices[1].Reason)
}

// The amount due must not change during an attempt to collect it.
func TestCreditInvoice_RefusedWhileAnAttemptIsUnderWay(t *testing.T) {
	t.Parallel()
	l := newLife(t, plans, settings, team, 0)
	l.advance()
	_, err := l.creditInvoice(l.open()[0], creditnote.Request{Amount: 400})
	require.ErrorIs(t, err, collection.ErrInProgress)
	l.result(answer.Succeeded)
	_, err = l.creditInvoice(l.store.invoices[0], creditnote.Request{Amount: 400})
	require.NoError(t, err)
}

// A retry is due before the credit note, and fails at once without a payment method: the invoice keeps that attempt.
func TestCreditInvoice_OfAnInvoiceThatCatchingUpChanged(t *testing.T) {
	t.Parallel()
	l := newLife(t, plans, settings, team, 0)
	l.advance()
	l.result(answer.Declined)
	stale := l.open()[0]
	require.Equal(t, 1, stale.Collection.Attempts)
	l.store.customer.PaymentMethod = ""
	l.moveTo(l.sub().NextActionAt)
	_, err := l.creditInvoice(stale, creditnote.Request{Amount: 400})
	require.NoError(t, err)
	require.Equal(t, 2, l.open()[0].Collection.Attempts)
	require.Equal(t, money.Minor(600), l.open()[0].AmountDue)
}

// graceOfADay returns a life on a plan after some paid weeks, with a day of grace for renewals.
func graceOfADay(t *testing.T, first plan.Plan) *life {
	t.Helper()
	settings := settings
	settings.InvoiceGraceMinutes = 24 * 60
	l := newLife(t, plans, settings, first, 0)
	l.advance()
	l.result(answer.Succeeded)
	l.pass(2 * week)
	return l
}

// A draft reverses 1500 of an invoice of 3000, and catching up adds a change to it: the earlier reversal counts once.
func TestCreditInvoice_BesideADraftThatCatchingUpChanges(t *testing.T) {
	t.Parallel()
	l := graceOfADay(t, pro)
	paid := l.store.invoices[0]
	l.must(lifecycle.ChangePlan{Plan: &team, Proration: subscription.NextInvoice})
	renewal := l.sub().CurrentPeriod.End
	l.until(renewal)
	require.Len(t, l.store.drafts, 1)
	l.must(lifecycle.ChangePlan{Plan: &pro, On: renewal.Add(6 * time.Hour)})
	l.moveTo(renewal.Add(12 * time.Hour))

	note, err := l.creditInvoice(paid, creditnote.Request{})

	require.NoError(t, err)
	require.Equal(t, money.Minor(1500), note.Total)
	require.Len(t, l.store.drafts[0].Lines, 5)
}

// The invoice itself was a draft when the note was requested. Catching up has changed it from team to pro, six hours
// into its 743, and issued it: it reverses 992 of 1000, and adds 2976.
func TestCreditInvoice_OfADraftThatCatchingUpChangesAndIssues(t *testing.T) {
	t.Parallel()
	l := graceOfADay(t, team)
	renewal := l.sub().CurrentPeriod.End
	l.until(renewal)
	draft := l.store.drafts[0]
	l.must(lifecycle.ChangePlan{Plan: &pro, On: renewal.Add(6 * time.Hour)})
	l.store.customer.PaymentMethod = "" // no attempt is in progress
	l.moveTo(renewal.Add(25 * time.Hour))

	l.noted = true
	changes, err := l.apply(lifecycle.CreditInvoice{
		Request: creditnote.Request{Amount: 2984}, Invoice: draft, Given: l.given(draft),
	})

	require.NoError(t, err)
	note := changes.CreditNotes[0]
	require.Equal(t, money.Minor(2984), note.Total)
	require.Equal(t, []money.Minor{8, 2976}, []money.Minor{note.Lines[0].Amount, note.Lines[1].Amount})
}

// turnedIntoNotes returns a life with a draft that is due, and the paid invoice over 3000 of whose line it takes 1500
// back. No attempt is in progress.
func turnedIntoNotes(t *testing.T) (l *life, paid invoice.Invoice) {
	t.Helper()
	l = graceOfADay(t, pro)
	paid = l.store.invoices[0]
	l.must(lifecycle.ChangePlan{Plan: &team, Proration: subscription.NextInvoice})
	renewal := l.sub().CurrentPeriod.End
	l.until(renewal)
	require.Len(t, l.store.drafts, 1)
	l.store.customer.PaymentMethod = ""
	l.moveTo(renewal.Add(25 * time.Hour))
	return l, paid
}

// Catching up issues the draft as a credit note and an invoice: what it takes back counts once.
func TestCreditInvoice_BesideADraftThatBecomesNotes(t *testing.T) {
	t.Parallel()
	l, paid := turnedIntoNotes(t)
	note, err := l.creditInvoice(paid, creditnote.Request{})
	require.NoError(t, err)
	require.Equal(t, money.Minor(1500), note.Total)
	require.Len(t, l.store.takenBack, 1)
}

func TestRefundInvoice_BesideADraftThatBecomesNotes(t *testing.T) {
	t.Parallel()
	l, paid := turnedIntoNotes(t)
	changes, err := l.apply(lifecycle.RefundInvoice{
		Note: l.creditOf(paid), Charge: *l.store.transaction(l.store.settled[paid.ID].TransactionID), Amount: 1000,
	})
	require.NoError(t, err)
	require.Equal(t, money.Minor(1000), changes.Made(changes.Refund).Amount)
	notes := changes.CreditNotes
	require.Len(t, notes, 2, "that of the draft, and that of the refund")
	require.Equal(t, [2]money.Minor{1500, 1000}, [2]money.Minor{notes[0].Total, notes[1].Total})
}

// Catching up voids an open invoice that takes 500 back, in favour of one that takes them back too.
func TestCreditInvoice_BesideAnInvoiceThatCatchingUpReplaces(t *testing.T) {
	t.Parallel()
	most := flat("plan_most", month, 9000)
	l := newLife(t, []plan.Plan{team, pro, most}, settings, team, 0)
	l.advance()
	l.result(answer.Succeeded)
	l.pass(2 * week)
	paid := l.store.invoices[0]
	l.must(lifecycle.ChangePlan{Plan: &pro})
	l.result(answer.Declined)
	require.Len(t, l.open(), 1)
	change := l.now.Add(6 * time.Hour)
	l.must(lifecycle.ChangePlan{Plan: &most, On: change})
	l.store.customer.PaymentMethod = "" // no attempt is in progress
	l.moveTo(change.Add(time.Hour))

	note, err := l.creditInvoice(paid, creditnote.Request{})

	require.NoError(t, err)
	require.Equal(t, invoice.Void, l.store.invoices[1].Status)
	require.Equal(t, money.Minor(500), note.Total)
}

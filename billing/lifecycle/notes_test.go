package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/subscription"
)

// halfOnPro returns a life half through a period on pro that is paid.
func halfOnPro(t *testing.T, settings subscription.Settings) *life {
	t.Helper()
	l := newLife(t, plans, settings, pro, 0)
	l.advance()
	l.result(answer.Succeeded)
	l.pass(2 * week)
	return l
}

// Credit notes that no command asks for have the same ids when a restored database writes them again later: a receiver
// of their events sees one note.
func TestNotes_RepeatedLateAfterARestore(t *testing.T) {
	t.Parallel()
	late := settings
	late.InvoiceGraceMinutes = 60
	for name, c := range map[string]struct {
		settings subscription.Settings
		change   lifecycle.ChangePlan
	}{
		"renewal":   {settings, lifecycle.ChangePlan{Plan: &team, Proration: subscription.NextInvoice}},
		"draft":     {late, lifecycle.ChangePlan{Plan: &team, Proration: subscription.NextInvoice}},
		"scheduled": {settings, lifecycle.ChangePlan{Plan: &team}},
	} {
		l := halfOnPro(t, c.settings)
		due := l.sub().CurrentPeriod.End
		if name == "scheduled" {
			due = l.now.Add(24 * time.Hour)
			c.change.On = due
		}
		l.must(c.change)
		if name == "draft" {
			l.until(due)
			due = due.Add(time.Hour)
		}
		backup, again := l.store.clone(), l.restored()
		l.moveTo(due.Add(300 * time.Millisecond))
		again.moveTo(due.Add(4 * time.Minute))
		l.advance()
		again.advance()

		require.Len(t, l.store.notes, 1, name)
		require.Contains(t, l.made(backup), l.store.notes[0].ID, name)
		require.Equal(t, l.made(backup), again.made(backup), name)
	}
}

// What goes back in money of the balance is on account of an invoice that has an address: the one that has the note.
func TestNotes_RefundFromTheBalanceNamesAnInvoice(t *testing.T) {
	t.Parallel()
	l := halfOnPro(t, settings)
	l.must(lifecycle.ChangePlan{Plan: &team})
	require.Equal(t, money.Minor(1000), l.store.balance)

	changes, err := l.apply(lifecycle.Cancel{Immediate: true, RefundUnused: true})

	require.NoError(t, err)
	require.Empty(t, changes.Invoices.Of(lifecycle.InvoiceCreated))
	require.Len(t, changes.CreditNotes, 1)
	require.Equal(t, []lifecycle.CreditEntry{{
		CreditEntry: invoice.CreditEntry{Amount: -1000, Reason: invoice.CreditRefunded},
		InvoiceID:   changes.CreditNotes[0].InvoiceID,
	}}, changes.Credit)
}

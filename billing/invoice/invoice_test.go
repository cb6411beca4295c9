package invoice_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/money"
)

var now = time.Date(2026, 3, 10, 8, 0, 0, 0, time.UTC)

func lines(amounts ...money.Minor) []invoice.Line {
	out := make([]invoice.Line, 0, len(amounts))
	for _, a := range amounts {
		out = append(out, invoice.Line{Amount: a})
	}
	return out
}

func TestIssue(t *testing.T) {
	t.Parallel()
	applied := func(amount money.Minor) invoice.CreditEntry {
		return invoice.CreditEntry{Amount: -amount, Reason: invoice.CreditApplied}
	}
	for _, c := range []struct {
		name                string
		lines               []invoice.Line
		balance             money.Minor
		total, applied, due money.Minor
		credit              invoice.CreditEntry // no reason: nothing moves
		status              invoice.Status
	}{
		{"to be paid", lines(1000, 250), 0, 1250, 0, 1250, invoice.CreditEntry{}, invoice.Open},
		{"partly by credit", lines(1000), 300, 1000, 300, 700, applied(300), invoice.Open},
		{"wholly by credit", lines(1000), 1000, 1000, 1000, 0, applied(1000), invoice.Paid},
		{"more credit than needed", lines(1000), 5000, 1000, 1000, 0, applied(1000), invoice.Paid},
		{"nothing to pay", lines(1000, -1000), 300, 0, 0, 0, invoice.CreditEntry{}, invoice.Paid},
		{"a net credit", lines(-1000, 400), 300, -600, 0, 0, invoice.CreditEntry{Amount: 600, Reason: invoice.CreditProration}, invoice.Paid},
		{"one unit", lines(1), 0, 1, 0, 1, invoice.CreditEntry{}, invoice.Open},
		{"the largest", lines(money.MaxMinor), 0, money.MaxMinor, 0, money.MaxMinor, invoice.CreditEntry{}, invoice.Open},
	} {
		inv, credit, err := invoice.Draft{Reason: invoice.Cycle, Lines: c.lines}.Issue(invoice.Issuing{
			ID: "in_1", CustomerID: "cust_1", SubscriptionID: "sub_1", Currency: "EUR", Balance: c.balance, Now: now,
		})

		require.NoError(t, err, c.name)
		require.Equal(t, c.total, inv.Total, c.name)
		require.Equal(t, c.applied, inv.CreditApplied, c.name)
		require.Equal(t, c.due, inv.AmountDue, c.name)
		require.Equal(t, c.credit.Amount, credit.Amount, c.name)
		if credit.Amount != 0 {
			require.Equal(t, c.credit.Reason, credit.Reason, c.name)
		}
		require.Equal(t, c.status, inv.Status, c.name)
		requireConsistent(t, inv)
	}
}

func TestIssueRefusesAnAmountNobodyCanPay(t *testing.T) {
	t.Parallel()
	_, _, err := invoice.Draft{Lines: lines(money.MaxMinor, 1)}.Issue(invoice.Issuing{Now: now})
	require.ErrorContains(t, err, "amount_too_large")
}

func TestWithdraw(t *testing.T) {
	t.Parallel()
	issued, _, err := invoice.Draft{Lines: lines(1000)}.Issue(invoice.Issuing{ID: "in_1", Balance: 300, Now: now})
	require.NoError(t, err)
	charging := issued
	charging.Collection = collection.State{Phase: collection.Charging, Trigger: collection.Automatic, Automatic: 1, Attempts: 1}

	void, back, _, err := issued.Withdraw("in_2", false, now)
	require.NoError(t, err)
	require.Equal(t, invoice.CreditEntry{Amount: 300, Reason: invoice.CreditReturned}, back)
	require.Equal(t, invoice.Void, void.Status)
	require.Equal(t, "in_2", void.ReplacedBy)
	requireConsistent(t, void)

	for _, c := range []struct {
		inv  invoice.Invoice
		want error
	}{
		{charging, collection.ErrInProgress},
		{issued.Settle(now), collection.ErrPaid},
		{void, collection.ErrVoid}, // a second time would give the credit twice
	} {
		same, back, _, err := c.inv.Withdraw("in_3", false, now)
		require.Equal(t, c.want, err)
		require.Zero(t, back)
		require.Equal(t, c.inv, same)
	}
}

// The end of a subscription waits for nobody: what the attempt still captures goes back.
func TestWithdrawAtTheEndCallsTheAttemptOff(t *testing.T) {
	t.Parallel()
	issued, _, err := invoice.Draft{Lines: lines(1000)}.Issue(invoice.Issuing{ID: "in_1", Balance: 300, Now: now})
	require.NoError(t, err)
	charging := issued
	charging.Collection = collection.State{Phase: collection.Charging, Trigger: collection.Manual, Automatic: 1, Attempts: 2, RetryAt: now}

	for _, c := range []struct {
		inv    invoice.Invoice
		effect collection.Effect
		want   error
	}{
		{issued, collection.None, nil},
		{charging, collection.CancelAttempt, nil},
		{issued.Settle(now), collection.None, collection.ErrPaid},
	} {
		void, back, effect, err := c.inv.Withdraw("in_2", true, now)
		require.Equal(t, c.want, err)
		require.Equal(t, c.effect, effect)
		if err != nil {
			require.Equal(t, c.inv, void)
			require.Zero(t, back)
			continue
		}
		require.Equal(t, invoice.Void, void.Status)
		require.Equal(t, "in_2", void.ReplacedBy)
		require.Equal(t, collection.State{Phase: collection.Closed, Automatic: c.inv.Collection.Automatic, Attempts: c.inv.Collection.Attempts}, void.Collection)
		require.Equal(t, invoice.CreditEntry{Amount: 300, Reason: invoice.CreditReturned}, back)
		requireConsistent(t, void)
		_, _, _, err = void.Withdraw("in_3", true, now)
		require.Equal(t, collection.ErrVoid, err, "a second time would give the credit twice")
	}
}

func TestWhatIsRefundedIsNoCredit(t *testing.T) {
	t.Parallel()
	for refund, credit := range map[money.Minor]money.Minor{0: 600, 400: 200, 600: 0} {
		inv, got, err := invoice.Draft{Lines: lines(-1000, 400), Refund: refund}.Issue(invoice.Issuing{Balance: 300, Now: now})
		require.NoError(t, err)
		require.Equal(t, credit, got.Amount)
		require.Equal(t, money.Minor(-600), inv.Total)
		requireConsistent(t, inv)
	}
}

func TestSettleKeepsTheCountOfAttempts(t *testing.T) {
	t.Parallel()
	inv, _, err := invoice.Draft{Lines: lines(1000)}.Issue(invoice.Issuing{Now: now})
	require.NoError(t, err)
	inv.Collection = collection.State{Phase: collection.Charging, Trigger: collection.Manual, Automatic: 2, Attempts: 3, RetryAt: now}

	paid := inv.Settle(now.Add(time.Minute))

	require.Equal(t, collection.State{Phase: collection.Settled, Automatic: 2, Attempts: 3}, paid.Collection)
	require.Equal(t, now.Add(time.Minute), paid.PaidAt)
	requireConsistent(t, paid)
}

// The ledger of a customer over any sequence of issuing, settling and withdrawing: the balance is the sum of its
// changes and never negative, and all that was billed is paid by money, by credit, or still due.
func TestCreditIsConserved(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var (
			invoices         []invoice.Invoice
			balance, entries money.Minor
		)
		book := func(entry invoice.CreditEntry) {
			balance, entries = balance+entry.Amount, entries+entry.Amount
			require.GreaterOrEqual(t, balance, money.Minor(0), "the balance fell below zero")
		}
		t.Repeat(map[string]func(*rapid.T){
			"issue": func(t *rapid.T) {
				amounts := rapid.SliceOfN(rapid.Int64Range(-5000, 9000), 1, 4).Draw(t, "lines")
				draft := invoice.Draft{}
				for _, a := range amounts {
					draft.Lines = append(draft.Lines, invoice.Line{Amount: money.Minor(a)})
				}
				inv, change, err := draft.Issue(invoice.Issuing{Balance: balance, Now: now})
				require.NoError(t, err)
				book(change)
				invoices = append(invoices, inv)
			},
			"settle": func(t *rapid.T) {
				if i, ok := pick(t, invoices); ok && invoices[i].Status == invoice.Open {
					invoices[i] = invoices[i].Settle(now)
				}
			},
			"withdraw": func(t *rapid.T) {
				if i, ok := pick(t, invoices); ok {
					inv, change, _, err := invoices[i].Withdraw("", false, now)
					require.Equal(t, invoices[i].Status == invoice.Open, err == nil)
					book(change)
					invoices[i] = inv
				}
			},
			"": func(t *rapid.T) {
				var billed, money, due money.Minor
				for _, inv := range invoices {
					requireConsistent(t, inv)
					switch inv.Status {
					case invoice.Paid:
						billed, money = billed+inv.Total, money+inv.AmountPaid
					case invoice.Open:
						billed, due = billed+inv.Total, due+inv.AmountDue
					case invoice.Void:
					}
				}
				require.Equal(t, billed, money+due-entries, "billed = money + due + credit used - credit given")
				require.Equal(t, entries, balance)
			},
		})
	})
}

func pick(t *rapid.T, invoices []invoice.Invoice) (int, bool) {
	if len(invoices) == 0 {
		return 0, false
	}
	return rapid.IntRange(0, len(invoices)-1).Draw(t, "which"), true
}

// requireConsistent checks what the database's constraints check too.
func requireConsistent(t require.TestingT, inv invoice.Invoice) {
	sum, err := invoice.Sum(inv.Lines)
	require.NoError(t, err)
	require.Equal(t, sum, inv.Total)
	require.Equal(t, max(inv.Total, 0)-inv.CreditApplied, inv.AmountDue)
	require.GreaterOrEqual(t, inv.CreditApplied, money.Minor(0))
	require.GreaterOrEqual(t, inv.AmountDue, money.Minor(0))
	paid := inv.Status == invoice.Paid
	require.Equal(t, paid, !inv.PaidAt.IsZero())
	require.Equal(t, paid, inv.Collection.Phase == collection.Settled)
	require.Equal(t, inv.Status == invoice.Void, !inv.VoidedAt.IsZero())
	if paid {
		require.Equal(t, inv.AmountDue, inv.AmountPaid)
	} else {
		require.Zero(t, inv.AmountPaid)
	}
}

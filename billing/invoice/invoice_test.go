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
		{
			"a net credit", lines(-1000, 400), 300, -600, 0, 0,
			invoice.CreditEntry{Amount: 600, Reason: invoice.CreditProration}, invoice.Paid,
		},
		{"one unit", lines(1), 0, 1, 0, 1, invoice.CreditEntry{}, invoice.Open},
		{"the largest", lines(money.MaxMinor), 0, money.MaxMinor, 0, money.MaxMinor, invoice.CreditEntry{}, invoice.Open},
	} {
		issued, err := invoice.Draft{Reason: invoice.Cycle, Lines: c.lines}.Issue(invoice.Issuing{
			ID: "in_1", CustomerID: "cust_1", SubscriptionID: "sub_1", Currency: "EUR", Balance: c.balance, Now: now,
		})

		require.NoError(t, err, c.name)
		inv := issued.Invoice
		require.Equal(t, c.total, inv.Total, c.name)
		require.Equal(t, c.applied, inv.CreditApplied, c.name)
		require.Equal(t, c.due, inv.AmountDue, c.name)
		if c.credit.Amount == 0 {
			require.Empty(t, issued.Credit, c.name)
		} else {
			require.Equal(t, []invoice.CreditEntry{c.credit}, issued.Credit, c.name)
		}
		require.Equal(t, c.status, inv.Status, c.name)
		requireConsistent(t, inv)
	}
}

func TestIssue_RefusesUnpayableAmount(t *testing.T) {
	t.Parallel()
	_, err := invoice.Draft{Lines: lines(money.MaxMinor, 1)}.Issue(invoice.Issuing{Now: now})
	require.ErrorContains(t, err, "amount_too_large")
}

func TestWithdraw(t *testing.T) {
	t.Parallel()
	out, err := invoice.Draft{Lines: lines(1000)}.Issue(invoice.Issuing{ID: "in_1", Balance: 300, Now: now})
	require.NoError(t, err)
	issued := out.Invoice
	charging := issued
	charging.Collection = collection.State{
		Phase: collection.Charging, Trigger: collection.Automatic, Automatic: 1, Attempts: 1,
	}

	void, returned, _, err := issued.Withdraw("in_2", false, now)
	require.NoError(t, err)
	require.Equal(t, []invoice.CreditEntry{{Amount: 300, Reason: invoice.CreditReturned}}, returned)
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
		same, returned, _, err := c.inv.Withdraw("in_3", false, now)
		require.Equal(t, c.want, err)
		require.Zero(t, returned)
		require.Equal(t, c.inv, same)
	}
}

// The end of a subscription does not wait for an attempt: money that it still captures goes back.
func TestWithdraw_CallsOffPendingAttempt(t *testing.T) {
	t.Parallel()
	out, err := invoice.Draft{Lines: lines(1000)}.Issue(invoice.Issuing{ID: "in_1", Balance: 300, Now: now})
	require.NoError(t, err)
	issued := out.Invoice
	charging := issued
	charging.Collection = collection.State{
		Phase: collection.Charging, Trigger: collection.Manual, Automatic: 1, Attempts: 2, RetryAt: now,
	}

	for _, c := range []struct {
		inv    invoice.Invoice
		effect collection.Effect
		want   error
	}{
		{issued, collection.None, nil},
		{charging, collection.CancelAttempt, nil},
		{issued.Settle(now), collection.None, collection.ErrPaid},
	} {
		void, returned, effect, err := c.inv.Withdraw("in_2", true, now)
		require.Equal(t, c.want, err)
		require.Equal(t, c.effect, effect)
		if err != nil {
			require.Equal(t, c.inv, void)
			require.Zero(t, returned)
			continue
		}
		require.Equal(t, invoice.Void, void.Status)
		require.Equal(t, "in_2", void.ReplacedBy)
		require.Equal(t, collection.State{
			Phase: collection.Closed, Automatic: c.inv.Collection.Automatic, Attempts: c.inv.Collection.Attempts,
		}, void.Collection)
		require.Equal(t, []invoice.CreditEntry{{Amount: 300, Reason: invoice.CreditReturned}}, returned)
		requireConsistent(t, void)
		_, _, _, err = void.Withdraw("in_3", true, now)
		require.Equal(t, collection.ErrVoid, err, "a second time would give the credit twice")
	}
}

func TestCredit_RefundedMoneyIsNoCredit(t *testing.T) {
	t.Parallel()
	entry := func(amount money.Minor, reason invoice.CreditReason) []invoice.CreditEntry {
		return []invoice.CreditEntry{{Amount: amount, Reason: reason}}
	}
	for name, c := range map[string]struct {
		asked, refunded money.Minor
		credit          []invoice.CreditEntry
	}{
		"nothing":                          {0, 0, entry(600, invoice.CreditProration)},
		"some of what the lines give back": {400, 400, entry(200, invoice.CreditProration)},
		"all of it":                        {600, 600, nil},
		"and of the balance":               {700, 700, entry(-100, invoice.CreditRefunded)},
		"more than there is":               {1000, 900, entry(-300, invoice.CreditRefunded)},
	} {
		got, err := invoice.Draft{Lines: lines(-1000, 400), Refund: c.asked}.Issue(invoice.Issuing{
			Balance: 300, Now: now, Refunds: []invoice.Refundable{{Amount: 1000}},
		})
		require.NoError(t, err)
		require.Equal(t, c.refunded, got.Refund, name)
		require.Equal(t, c.credit, got.Credit, name)
		require.Equal(t, money.Minor(-600), got.Invoice.Total)
		requireConsistent(t, got.Invoice)
	}
}

func TestSettle_KeepsAttemptCount(t *testing.T) {
	t.Parallel()
	out, err := invoice.Draft{Lines: lines(1000)}.Issue(invoice.Issuing{Now: now})
	require.NoError(t, err)
	inv := out.Invoice
	inv.Collection = collection.State{
		Phase: collection.Charging, Trigger: collection.Manual, Automatic: 2, Attempts: 3, RetryAt: now,
	}

	paid := inv.Settle(now.Add(time.Minute))

	require.Equal(t, collection.State{Phase: collection.Settled, Automatic: 2, Attempts: 3}, paid.Collection)
	require.Equal(t, now.Add(time.Minute), paid.PaidAt)
	requireConsistent(t, paid)
}

// The ledger of a customer over any sequence of issuing, settling and withdrawing: the balance is the sum of its
// changes, a debit is never larger than what could not be charged, and all that was billed is paid by money, by credit,
// or still due.
func TestCredit_IsConserved(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var (
			invoices         []invoice.Invoice
			balance, entries money.Minor
		)
		limits := money.Limits{
			Minimum:     money.Minor(rapid.SampledFrom([]int64{0, 50, 500}).Draw(t, "minimum")),
			Granularity: money.Minor(rapid.SampledFrom([]int64{0, 1, 10, 100}).Draw(t, "granularity")),
		}
		book := func(moves []invoice.CreditEntry) {
			for _, entry := range moves {
				require.NotZero(t, entry.Amount)
				balance, entries = balance+entry.Amount, entries+entry.Amount
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"issue": func(t *rapid.T) {
				amounts := rapid.SliceOfN(rapid.Int64Range(-5000, 9000), 1, 4).Draw(t, "lines")
				draft := invoice.Draft{}
				for _, a := range amounts {
					draft.Lines = append(draft.Lines, invoice.Line{Amount: money.Minor(a)})
				}
				out, err := draft.Issue(invoice.Issuing{Balance: balance, Limits: limits, Now: now})
				require.NoError(t, err)
				before := balance
				book(out.Credit)
				invoices = append(invoices, out.Invoice)
				require.Equal(t, out.Invoice.AmountDue, limits.Collectable(out.Invoice.AmountDue), "what is due can be charged")
				if out.Invoice.Total > 0 {
					require.Less(t, -balance, max(-before, limits.Minimum+max(limits.Granularity, 1)), "a debit stays small")
				}
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
					case invoice.InDraft, invoice.Void, invoice.Uncollectible, invoice.TakenBack:
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
	require.Equal(t, max(inv.Total, 0)-inv.CreditApplied+inv.BroughtForward-inv.CarriedForward, inv.AmountDue)
	require.True(t, inv.BroughtForward >= 0 && inv.CarriedForward >= 0 &&
		(inv.BroughtForward == 0 || inv.CarriedForward == 0))
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

// EUR 5.00 to 6.00 with ten of thirty days left is 0.33, which no card takes: it is collected with the next invoice.
func TestIssue_WhatCannotBeChargedIsCarried(t *testing.T) {
	t.Parallel()
	cents, dinars := money.Limits{Minimum: 50}, money.Limits{Granularity: 10}
	for name, c := range map[string]struct {
		limits                         money.Limits
		lines                          []invoice.Line
		balance                        money.Minor
		applied, brought, carried, due money.Minor
		after                          money.Minor
		status                         invoice.Status
	}{
		"below the minimum":            {cents, lines(33), 0, 0, 0, 33, 0, -33, invoice.Paid},
		"collected with the next":      {cents, lines(500), -33, 0, 33, 0, 533, 0, invoice.Open},
		"until there is enough":        {cents, lines(10), -33, 0, 0, 10, 0, -43, invoice.Paid},
		"enough at last":               {cents, lines(10), -40, 0, 40, 0, 50, 0, invoice.Open},
		"a rest of credit":             {cents, lines(100), 80, 80, 0, 20, 0, -20, invoice.Paid},
		"off the granularity":          {dinars, lines(1234), 0, 0, 0, 4, 1230, -4, invoice.Open},
		"the rest makes it whole":      {dinars, lines(1236), -4, 0, 4, 0, 1240, 0, invoice.Open},
		"some of the rest":             {dinars, lines(1238), -4, 0, 2, 0, 1240, -2, invoice.Open},
		"lines below zero pay a debit": {cents, lines(-100), -33, 0, 0, 0, 0, 67, invoice.Paid},
		"nothing asks for nothing":     {cents, lines(0), -33, 0, 0, 0, 0, -33, invoice.Paid},
		"no limit is known":            {money.Limits{}, lines(1), 0, 0, 0, 0, 1, 0, invoice.Open},
		"a debit beyond the largest": {money.Limits{}, lines(money.MaxMinor), -5, 0, 0, 0, money.MaxMinor, -5,
			invoice.Open},
	} {
		out, err := invoice.Draft{Lines: c.lines}.Issue(invoice.Issuing{Balance: c.balance, Limits: c.limits, Now: now})
		require.NoError(t, err, name)
		inv, after := out.Invoice, c.balance
		for _, entry := range out.Credit {
			after += entry.Amount
		}
		require.Equal(t, []money.Minor{c.applied, c.brought, c.carried, c.due, c.after},
			[]money.Minor{inv.CreditApplied, inv.BroughtForward, inv.CarriedForward, inv.AmountDue, after}, name)
		require.Equal(t, c.status, inv.Status, name)
		requireConsistent(t, inv)
		if inv.Status == invoice.Open { // voided, it leaves the balance as it was
			_, returned, _, err := inv.Withdraw("", false, now)
			require.NoError(t, err)
			for _, entry := range returned {
				after += entry.Amount
			}
			require.Equal(t, c.balance, after, name)
		}
	}
}

func TestIssue_RefundsAreMultiplesOfTheGranularity(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from         []invoice.Refundable
		refund, left money.Minor
	}{
		"of one charge":                  {[]invoice.Refundable{{5000, 10}}, 1230, 9},
		"of one that has not enough":     {[]invoice.Refundable{{1005, 10}}, 1000, 239},
		"of two":                         {[]invoice.Refundable{{1005, 10}, {1000, 10}}, 1230, 9},
		"of two providers":               {[]invoice.Refundable{{1005, 100}, {1000, 1}}, 1239, 0},
		"of any amount":                  {[]invoice.Refundable{{5000, 0}}, 1239, 0},
		"of nothing":                     {nil, 0, 1239},
		"less than the provider gives":   {[]invoice.Refundable{{5000, 10000}}, 0, 1239},
		"what the second cannot express": {[]invoice.Refundable{{1005, 1}, {1000, 100}}, 1205, 34},
	} {
		out, err := invoice.Draft{Lines: lines(-1239), Refund: 1239}.Issue(invoice.Issuing{Refunds: c.from, Now: now})
		require.NoError(t, err)
		require.Equal(t, c.refund, out.Refund, name)
		if c.left > 0 {
			require.Equal(t, []invoice.CreditEntry{{Amount: c.left, Reason: invoice.CreditProration}}, out.Credit, name)
		}
	}
}

func TestWriteOff(t *testing.T) {
	t.Parallel()
	out, err := invoice.Draft{Lines: lines(1000)}.Issue(invoice.Issuing{ID: "in_1", Balance: 300, Now: now})
	require.NoError(t, err)
	open := out.Invoice
	charging := open
	charging.Collection = collection.State{
		Phase: collection.Charging, Trigger: collection.Automatic, Automatic: 1, Attempts: 1,
	}

	given, err := open.WriteOff(false, now)

	require.NoError(t, err)
	require.Equal(t, invoice.Uncollectible, given.Status)
	require.Equal(t, collection.Closed, given.Collection.Phase)
	require.Equal(t, money.Minor(300), given.CreditApplied, "it stays owed")
	paid := given.Settle(now)
	require.Equal(t, money.Minor(700), paid.AmountPaid, "money that arrives late pays it")
	for want, inv := range map[error]invoice.Invoice{collection.ErrInProgress: charging, collection.ErrPaid: paid} {
		_, err := inv.WriteOff(false, now)
		require.Equal(t, want, err)
	}
}

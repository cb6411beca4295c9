package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/collection"
	"perennial/billing/foresight"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
)

// advanced performs all actions that are due some time after the period began, in one decision that is not written.
func (l *life) advanced(since time.Duration) (lifecycle.State, lifecycle.Changes) {
	at := l.sub().CurrentPeriod.Start.Add(since)
	state, changes, err := lifecycle.Advance(l.load(false).state, lifecycle.Moment{Now: at, Real: at, IDs: l.ids})
	if err != nil {
		l.store.fail("advance: %v", err)
	}
	return state, changes
}

// The draft of a renewal is for 1900, and its grace ends a day after the renewal: one write issues and charges it.
func TestChanges_DraftIsIssuedByOneWrite(t *testing.T) {
	t.Parallel()
	l := graced(t, flat("plan_1", month, 1900))
	_, changes := l.advanced(24 * time.Hour)
	require.Empty(t, changes.Invoices.Of(lifecycle.InvoiceChanged, lifecycle.FinalizedAndChanged))
	require.Len(t, changes.Invoices.Of(lifecycle.InvoiceFinalized), 1)
	require.Equal(t, collection.State{
		Phase: collection.Charging, Trigger: collection.Automatic, Attempts: 1, Automatic: 1,
	},
		changes.Invoices.Of(lifecycle.InvoiceFinalized)[0].Collection)
}

// Its customer has no payment method, so the attempt fails at once: that is part of the same write, too.
func TestChanges_DraftThatFailsAtOnce(t *testing.T) {
	t.Parallel()
	l := graced(t, flat("plan_1", month, 1900))
	l.store.customer.PaymentMethod = ""
	_, changes := l.advanced(24 * time.Hour)
	require.Empty(t, changes.Invoices.Of(lifecycle.InvoiceChanged, lifecycle.FinalizedAndChanged))
	require.Equal(t, collection.Scheduled, changes.Invoices.Of(lifecycle.InvoiceFinalized)[0].Collection.Phase)
}

// Credit covers it: the write has it as paid.
func TestChanges_DraftThatCreditPays(t *testing.T) {
	t.Parallel()
	l := graced(t, flat("plan_1", month, 1900))
	l.store.balance = 1900
	_, changes := l.advanced(24 * time.Hour)
	require.Empty(t, changes.Invoices.Of(lifecycle.InvoiceChanged, lifecycle.FinalizedAndChanged))
	require.Equal(t, invoice.Paid, changes.Invoices.Of(lifecycle.InvoiceFinalized)[0].Status)
}

// A late worker performs all earlier actions of a draft at once: each draft is written once, and appears once in a
// preview.
func TestChanges_DraftIsDrawnOnce(t *testing.T) {
	t.Parallel()
	small, large, huge := flat("plan_1", month, 1900), flat("plan_2", month, 3100), flat("plan_3", month, 9000)
	for name, c := range map[string]struct {
		before  bool            // the renewal is late too
		changes []time.Duration // since the renewal
		now     time.Duration
		// the expected writes
		drafts, redrawn, finalized int
	}{
		"as it is": {before: true, now: time.Hour, drafts: 1},
		"changed":  {changes: []time.Duration{6 * time.Hour}, now: 7 * time.Hour, redrawn: 1},
		"changed twice": {
			changes: []time.Duration{6 * time.Hour, 12 * time.Hour}, now: 13 * time.Hour, redrawn: 1,
		},
		"drawn and changed": {
			before: true, changes: []time.Duration{6 * time.Hour}, now: 7 * time.Hour, drafts: 1,
		},
		"issued": {now: 24 * time.Hour, finalized: 1},
		"changed and issued": {
			changes: []time.Duration{6 * time.Hour}, now: 24 * time.Hour, redrawn: 1, finalized: 1,
		},
		"nothing happened to the draft": {now: 23 * time.Hour},
	} {
		l := graced(t, small, large, huge)
		for i, at := range c.changes {
			to := []plan.Plan{large, huge}[i]
			l.must(lifecycle.ChangePlan{Plan: &to, On: l.sub().CurrentPeriod.Start.Add(at)})
		}
		since := c.now
		if c.before {
			l = graced(t, small, large, huge)
			l.finalizeDraft()
			l.result(answer.Succeeded)
			end := l.sub().CurrentPeriod.End
			for i, at := range c.changes {
				to := []plan.Plan{large, huge}[i]
				l.must(lifecycle.ChangePlan{Plan: &to, On: end.Add(at)})
			}
			since = end.Add(c.now).Sub(l.sub().CurrentPeriod.Start)
		}
		_, changes := l.advanced(since)
		require.Equal(t, [4]int{c.drafts, c.redrawn, c.finalized, 0},
			[4]int{
				len(changes.Invoices.Of(lifecycle.DraftCreated)), len(changes.Invoices.Of(lifecycle.DraftUpdated)),
				len(changes.Invoices.Of(lifecycle.InvoiceFinalized)), len(changes.Invoices.Of(lifecycle.InvoiceCreated)),
			}, name)

		at := l.sub().CurrentPeriod.Start.Add(since)
		shown, err := foresight.Preview(l.load(false).state, nil, 0, nil, lifecycle.Moment{Now: at, Real: at, IDs: l.ids})
		require.NoError(t, err, name)
		if c.drafts+c.redrawn+c.finalized == 0 {
			require.Empty(t, shown.Issued, name)
			continue
		}
		require.Len(t, shown.Issued, 1, name)
		require.Equal(t, []foresight.QuotedTotal{{Total: shown.Issued[0].Total, AmountDue: shown.Issued[0].AmountDue}},
			shown.Quote.Invoices, name)
		if len(c.changes) == 0 {
			require.Equal(t, money.Minor(1900), shown.Issued[0].Total, name)
		}
	}
}

func TestInvoiceChanges_Latest(t *testing.T) {
	t.Parallel()
	changes := lifecycle.InvoiceChanges{
		{Kind: lifecycle.InvoiceChanged, Invoice: invoice.Invoice{ID: "in_2", AmountDue: 1}},
		{Kind: lifecycle.InvoiceFinalized, Invoice: invoice.Invoice{ID: "in_1", AmountDue: 2}},
		{Kind: lifecycle.FinalizedAndChanged, Invoice: invoice.Invoice{ID: "in_1", AmountDue: 3}},
	}
	require.Equal(t, money.Minor(3), changes.Latest("in_1").AmountDue)
	require.Equal(t, money.Minor(1), changes.Latest("in_2").AmountDue)
	require.Nil(t, changes.Latest("in_3"))
}

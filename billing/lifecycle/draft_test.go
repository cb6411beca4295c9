package lifecycle_test

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/invoicing"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// finalizeDraft issues the first draft before the end of its grace.
func (l *life) finalizeDraft() {
	if len(l.store.drafts) == 0 || l.behind() {
		return
	}
	id := l.store.drafts[0].ID
	_, err := l.apply(lifecycle.FinalizeInvoice{InvoiceID: id})
	require.NoError(l.t, err)
	if draft, waits := l.awaiting(); waits && draft.ID == id {
		require.False(l.t, draft.FinalizesAt.After(l.decided()), "it is issued once its usage is rated, which is due")
		return
	}
	issued := l.store.invoice(id)
	if issued == nil {
		require.Equal(l.t, id, l.lastBack().ID, "it only gives back, so that it becomes credit notes")
		return
	}
	require.NotEqual(l.t, invoice.InDraft, issued.Status)
}

// graced returns a life after a paid month, with a grace of a day, up to the renewal's draft.
func graced(t *testing.T, plans ...plan.Plan) *life {
	t.Helper()
	return gracedFor(t, 1, plans...)
}

func gracedFor(t *testing.T, days int, plans ...plan.Plan) *life {
	t.Helper()
	settings := subscription.DefaultSettings()
	settings.InvoiceGraceMinutes = days * 24 * 60
	l := newLife(t, plans, settings, plans[0], 0)
	l.advance()
	require.Empty(t, l.store.drafts, "the first invoice has no grace: somebody is there to pay it")
	l.result(answer.Succeeded)
	l.until(l.sub().CurrentPeriod.End)
	require.Len(t, l.store.drafts, 1)
	return l
}

func TestDraft_IsIssuedWhenItsGraceEnds(t *testing.T) {
	t.Parallel()
	l := graced(t, flat("plan_1", month, 1900))
	draft := l.store.drafts[0]
	require.Equal(t, l.sub().CurrentPeriod.Start.Add(24*time.Hour), draft.FinalizesAt)
	require.Equal(t, subscription.ActionFinalize, l.sub().NextAction)
	require.Empty(t, l.open())
	require.Nil(t, l.live(""), "nothing is charged")
	require.Equal(t, subscription.Active, l.sub().Status)

	l.store.balance = 400 // given meanwhile
	l.account.events = map[event.Type]int{}
	g := l.load(false)
	l.now, l.real = draft.FinalizesAt, draft.FinalizesAt
	state, changes, err := lifecycle.Advance(g.state, l.moment())
	require.NoError(t, err)
	finalized := changes.Invoices.Of(lifecycle.InvoiceFinalized)
	require.Len(t, finalized, 1)
	require.Equal(t, money.Minor(1500), finalized[0].AmountDue, "credit counts when it is issued")
	require.Equal(t, draft.ID, finalized[0].ID)
	require.Equal(t, []event.Type{event.TypeInvoiceFinalized}, typesOf(changes.Events))
	require.Len(t, state.Pending, 1)
}

// A change within the grace goes to the same draft, which keeps the rest of its grace.
func TestDraft_TakesChangesIn(t *testing.T) {
	t.Parallel()
	small, large := flat("plan_1", month, 1900), flat("plan_2", month, 3100)
	l := graced(t, small, large)
	first := l.store.drafts[0]
	l.moveTo(l.now.Add(6 * time.Hour))

	l.changePlan(large, false)

	require.Len(t, l.store.drafts, 1)
	draft := l.store.drafts[0]
	require.Equal(t, [2]any{first.ID, first.FinalizesAt}, [2]any{draft.ID, draft.FinalizesAt},
		"with the key of its charge")
	require.Len(t, draft.Lines, 3)
	require.Greater(t, draft.Total, money.Minor(3000))
	l.until(draft.FinalizesAt)
	require.Equal(t, draft.Total, l.open()[0].AmountDue)
	require.NotNil(t, l.live(draft.ID))
}

// A draft whose grace exceeds the shorter period of a changed plan is issued after the draft of that period.
func TestDraft_OfAShorterPeriodIsIssuedFirst(t *testing.T) {
	t.Parallel()
	monthly, daily := flat("plan_1", month, 1900), flat("plan_2", period.Interval{Unit: period.Day, Count: 1}, 100)
	l := gracedFor(t, 4, monthly, daily)
	first := l.store.drafts[0]
	l.moveTo(l.now.Add(6 * time.Hour))
	l.changePlan(daily, false)
	end := l.sub().CurrentPeriod.End

	l.moveTo(end)
	l.advance()

	require.Len(t, l.store.drafts, 2)
	second := l.store.drafts[slices.IndexFunc(l.store.drafts,
		func(inv invoice.Invoice) bool { return inv.ID != first.ID })]
	require.True(t, second.FinalizesAt.Before(first.FinalizesAt))
	require.Equal(t, second.FinalizesAt, l.sub().NextActionAt)
	require.Equal(t, subscription.ActionFinalize, l.sub().NextAction)
	l.idle()
	l.until(second.FinalizesAt)
	require.Equal(t, invoice.Open, l.store.invoice(second.ID).Status)
	require.Nil(t, l.store.invoice(first.ID), "still a draft")
}

// A late worker issues the draft and then makes the due change, in one decision.
func TestDraft_IssuedAndTakenInAtOnce(t *testing.T) {
	t.Parallel()
	small, large := flat("plan_1", month, 1900), flat("plan_2", month, 3100)
	l := graced(t, small, large)
	id := l.store.drafts[0].ID
	_, err := l.apply(lifecycle.ChangePlan{Plan: &large, On: l.sub().CurrentPeriod.Start.Add(48 * time.Hour)})
	require.NoError(t, err)

	l.moveTo(l.sub().CurrentPeriod.Start.Add(72 * time.Hour))
	l.advance()

	require.Empty(t, l.store.drafts)
	require.Equal(t, invoice.Void, l.store.invoice(id).Status)
	require.NotNil(t, l.live(l.open()[0].ID))
}

// The end of a subscription issues its draft, which is charged once.
func TestDraft_IsIssuedWhenTheSubscriptionEnds(t *testing.T) {
	t.Parallel()
	l := graced(t, flat("plan_1", month, 1900))
	id := l.store.drafts[0].ID

	l.cancelNow(false)

	require.Empty(t, l.store.drafts)
	require.NotNil(t, l.live(id))
	l.result(answer.Declined)
	require.Equal(t, invoice.Open, l.store.invoice(id).Status)
	require.False(t, l.sub().FinishedAt.IsZero())
}

func TestDraft_OfAnErasedCustomerIsRemoved(t *testing.T) {
	t.Parallel()
	l := graced(t, flat("plan_1", month, 1900))

	l.erase()
	l.advance()

	require.Empty(t, l.store.drafts)
	require.Len(t, l.store.invoices, 1)
	require.Equal(t, 1, l.account.events[event.TypeInvoiceDeleted])
}

func TestDraft_RefusesWhatNeedsAnInvoice(t *testing.T) {
	t.Parallel()
	l := graced(t, flat("plan_1", month, 1900))
	id := l.store.drafts[0].ID
	for _, cmd := range []lifecycle.Command{
		lifecycle.VoidInvoice{InvoiceID: id}, lifecycle.MarkUncollectible{InvoiceID: id}, lifecycle.Pay{InvoiceID: id},
		lifecycle.MarkPaid{InvoiceID: id, Method: "other"}, lifecycle.SkipRetry{InvoiceID: id},
		lifecycle.CreditInvoice{Invoice: l.store.drafts[0]},
	} {
		_, err := l.apply(cmd)
		require.ErrorIs(t, err, invoicing.ErrDraft, cmd.Name())
	}
	_, err := l.apply(lifecycle.Pause{})
	require.ErrorIs(t, err, subscribing.ErrInvoiceDraft)
	_, err = l.apply(lifecycle.Pay{})
	require.ErrorIs(t, err, subscribing.ErrNothingOpen)
	l.finalizeDraft()
	_, err = l.apply(lifecycle.FinalizeInvoice{InvoiceID: id})
	require.ErrorIs(t, err, invoicing.ErrNotDraft)
	require.NotNil(t, l.live(id))
}

// A late worker issues drafts whose grace has ended at once.
func TestDraft_LateHasHadItsGrace(t *testing.T) {
	t.Parallel()
	l := graced(t, flat("plan_1", month, 1900))
	l.moveTo(l.sub().CurrentPeriod.End.Add(48 * time.Hour))
	l.advance()

	require.Empty(t, l.store.drafts)
	require.Len(t, l.store.invoices, 3)
}

// all returns the invoices and the drafts.
func (s *store) all() []invoice.Invoice {
	if len(s.drafts)+len(s.takenBack) == 0 {
		return s.invoices
	}
	return slices.Concat(s.invoices, s.takenBack, s.drafts)
}

// takeDraft removes an existing draft.
func (s *store) takeDraft(id string) {
	i := slices.IndexFunc(s.drafts, func(inv invoice.Invoice) bool { return inv.ID == id })
	if i < 0 {
		s.fail("the draft %s does not exist", id)
	}
	s.drafts = slices.Delete(s.drafts, i, i+1)
}

// redraw replaces the lines of an existing draft.
func (s *store) redraw(inv invoice.Invoice) {
	i := slices.IndexFunc(s.drafts, func(was invoice.Invoice) bool { return was.ID == inv.ID })
	hastened := i >= 0 && inv.AwaitsUsage() && inv.FinalizesAt.Before(s.drafts[i].FinalizesAt)
	if i < 0 || s.drafts[i].Reason != inv.Reason || !s.drafts[i].UsageUntil.Equal(inv.UsageUntil) ||
		!hastened && !s.drafts[i].FinalizesAt.Equal(inv.FinalizesAt) {
		s.fail("redrawn: %+v", inv)
	}
	s.checkInvoice(inv)
	s.drafts[i] = inv
	slices.SortFunc(s.drafts, func(a, b invoice.Invoice) int {
		return cmp.Or(a.FinalizesAt.Compare(b.FinalizesAt), cmp.Compare(a.ID, b.ID))
	})
}

func (s *store) insertDraft(inv invoice.Invoice) {
	if _, ok := s.place[inv.ID]; ok || inv.Status != invoice.InDraft || inv.FinalizesAt.IsZero() || inv.Number != 0 {
		s.fail("draft %+v", inv)
	}
	s.checkInvoice(inv)
	s.drafts = append(s.drafts, inv)
	slices.SortFunc(s.drafts, func(a, b invoice.Invoice) int {
		return cmp.Or(a.FinalizesAt.Compare(b.FinalizesAt), cmp.Compare(a.ID, b.ID))
	})
}

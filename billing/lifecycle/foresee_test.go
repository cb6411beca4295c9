package lifecycle_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/answer"
	"perennial/billing/creditnote"
	"perennial/billing/foresight"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// bill returns the part of an invoice that a customer sees.
func bill(inv invoice.Invoice) invoice.Invoice {
	seen := inv
	seen.ID, seen.Number, seen.Collection, seen.ReplacedBy = "", 0, invoice.Invoice{}.Collection, ""
	seen.Status, seen.PaidAt, seen.AmountPaid, seen.VoidedAt = "", time.Time{}, 0, time.Time{}
	seen.UncollectibleAt, seen.OverdueAt = time.Time{}, time.Time{}
	seen.Lines = nil
	for _, l := range inv.Lines {
		l.ID, l.Reverses = "", ""
		seen.Lines = append(seen.Lines, l)
	}
	return seen
}

func bills(invoices []invoice.Invoice) (seen []invoice.Invoice) {
	for _, inv := range invoices {
		seen = append(seen, bill(inv))
	}
	return seen
}

// worth returns what credit notes give back, and when.
func worth(notes []creditnote.Note) (all []creditnote.Note) {
	for _, n := range notes {
		all = append(all, creditnote.Note{
			Subtotal: n.Subtotal, Tax: n.Tax, Total: n.Total, Due: n.Due, Balance: n.Balance, Refund: n.Refund,
			CreatedAt: n.CreatedAt,
		})
	}
	return all
}

// drawn returns the invoices that a decision has created, with drafts.
func (l *life) drawn(before *store) []invoice.Invoice {
	made := slices.Clone(l.store.invoices[len(before.invoices):])
	for _, draft := range l.store.drafts {
		if !slices.ContainsFunc(before.drafts, func(inv invoice.Invoice) bool { return reflect.DeepEqual(inv, draft) }) {
			made = append(made, draft)
		}
	}
	return made
}

// undisturbed continues a life as a foresight does: attempts are paid, and no command comes. Drafts that were shown do
// not count when they are issued. Where usage is foreseen, those drafts are issued too.
func (l *life) undisturbed(n int, shown []invoice.Invoice) []invoice.Invoice {
	had := len(l.store.invoices)
	waits := func() bool {
		return !l.unknown && slices.ContainsFunc(l.store.drafts, func(inv invoice.Invoice) bool {
			return inv.AwaitsUsage() && slices.ContainsFunc(shown, func(draft invoice.Invoice) bool { return draft.ID == inv.ID })
		})
	}
	issued := func() []invoice.Invoice {
		return slices.DeleteFunc(slices.Clone(l.store.invoices[had:]), func(inv invoice.Invoice) bool {
			return slices.ContainsFunc(shown, func(draft invoice.Invoice) bool { return draft.ID == inv.ID })
		})
	}
	for range 10 * foresight.MaxForeseen {
		if len(issued()) >= n && !waits() {
			break
		}
		l.advance()
		for l.billUsage() {
		}
		for {
			t, sent := l.payable(), l.sent()
			if t == nil && sent == "" {
				break
			}
			if t == nil {
				_, err := l.apply(lifecycle.MarkPaid{InvoiceID: sent, Method: "other"})
				require.NoError(l.t, err)
				continue
			}
			outcome := answer.Succeeded
			if !t.CancelRequestedAt.IsZero() {
				outcome = answer.Canceled
			}
			l.answer(t.ID, outcome)
		}
		if l.sub().NextAction == subscription.ActionNone {
			break
		}
		if at := l.sub().NextActionAt; at.After(l.now) {
			l.moveTo(at)
		}
	}
	all := issued()
	return all[:min(n, len(all))]
}

// sent returns the invoice in collection that waits for its customer.
func (l *life) sent() string {
	for _, inv := range l.open() {
		if inv.ID == l.sub().CollectingInvoiceID && inv.Terms.Sent() && l.live(inv.ID) == nil {
			return inv.ID
		}
	}
	return ""
}

// payable returns the first live attempt without review; nil: there is none.
func (l *life) payable() *payment.Transaction {
	for _, t := range l.store.load(false).Pending {
		if t.ParkedAt.IsZero() {
			return &t
		}
	}
	return nil
}

// livedLife draws a life over some time, and returns its chance for further draws.
func livedLife(t *rapid.T) (*life, chance) {
	draw := drawing(t)
	l := someLife(t, draw)
	if draw(3, "with usage") == 0 {
		l.meter(draw)
	}
	for range rapid.IntRange(0, 30).Draw(t, "steps") {
		l.step(draw)
	}
	if len(l.sub().Scheduled) > 0 && l.behind() {
		l.advance()
	}
	return l, draw
}

// The foreseen invoices equal the real ones if nothing intervenes, for any state of a life.
func TestForesee_IsWhatHappens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, draw := livedLife(t)
		n := draw(6, "invoices")

		foreseen, err := l.preview(draw, nil, n)

		require.NoError(t, err)
		before := l.store.clone()
		l.advanceOnce()
		made := l.drawn(before)
		l.becomePayable() // due actions use the real state, also in a preview
		noted := len(l.store.notes)
		require.Equal(t, bills(l.undisturbed(n, made)), bills(foreseen.Upcoming))
		require.Equal(t, worth(l.store.notes[noted:]), worth(foreseen.UpcomingNotes))
		require.Equal(t, bills(l.withUsage(made)), bills(foreseen.Issued))
	})
}

// preview shows the effects of a command: without usage, or with the usage recorded by now, counted as the callers of a
// foresight do. The life after it has the same usage.
func (l *life) preview(draw chance, cmd lifecycle.Command, n int) (foresight.Previewed, error) {
	show := func(known *foresight.Usage) (foresight.Previewed, error) {
		return foresight.Preview(l.store.load(lifecycle.GivesBack(cmd)), cmd, n, known, l.moment())
	}
	if l.unknown = draw(3, "usage is unknown") == 0; l.unknown {
		return show(nil)
	}
	known := &foresight.Usage{
		Closed: l.store.segments, Plans: slices.Collect(maps.Values(l.store.plans)), Kept: l.usageKept(),
		BilledUntil: l.billedUntil(),
	}
	for _, c := range l.store.charges {
		known.Billed = append(known.Billed, c.Charges...)
	}
	_, err := show(known)
	if spans, from, missing := known.Missing(); err == nil && missing {
		known.Count(l.countedIn(spans, from))
	}
	shown, again := show(known)
	require.Equal(l.t, err, again)
	_, _, missing := known.Missing()
	require.False(l.t, missing, "one count is enough")
	return shown, err
}

// withUsage returns invoices after the rating of their usage, where it is known, without those that bill nothing.
func (l *life) withUsage(drawn []invoice.Invoice) (all []invoice.Invoice) {
	for _, inv := range drawn {
		switch is := slices.IndexFunc(l.store.invoices, func(i invoice.Invoice) bool { return i.ID == inv.ID }); {
		case l.unknown || !inv.AwaitsUsage():
			all = append(all, inv)
		case is >= 0:
			all = append(all, l.store.invoices[is])
		}
	}
	return all
}

// advanceOnce performs due actions, as far as one decision does.
func (l *life) advanceOnce() {
	g := l.load(false)
	state, changes, err := lifecycle.Advance(g.state, l.moment())
	require.NoError(l.t, err)
	l.write(g, state, changes)
}

// becomePayable gives the customer a payment method and the environment a provider, as a foresight does.
func (l *life) becomePayable() {
	state := l.store.load(false)
	if l.store.customer.ErasedAt.IsZero() && !state.Situation().StopsAtTrialEnd() {
		l.store.customer.PaymentMethod = "card"
	}
	if l.store.provider == nil {
		l.store.provider = &lifecycle.Provider{}
	}
}

// A preview of a change and of later invoices equals their real effects.
func TestPreview_IsWhatHappens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, draw := livedLife(t)
		cmd := l.anyCommand(draw)
		n := draw(4, "invoices")

		shown, refusal := l.preview(draw, cmd, n)
		before := l.store.clone()
		_, err := l.apply(cmd)

		require.Equal(t, refusal, err)
		if err != nil {
			return
		}
		made := l.drawn(before)
		in := func(list []invoice.Invoice, inv invoice.Invoice) bool {
			return slices.ContainsFunc(list, func(other invoice.Invoice) bool { return other.ID == inv.ID })
		}
		// A draft that the command has redrawn without a difference is shown too.
		drawn := slices.DeleteFunc(slices.Clone(shown.Issued), func(inv invoice.Invoice) bool {
			return in(before.drafts, inv) && !in(made, inv)
		})
		require.Equal(t, l.store.balance, shown.Quote.Balance)
		require.Equal(t, l.store.load(false).Grants, shown.State.Grants)
		l.becomePayable()
		noted := len(l.store.notes)
		require.Equal(t, bills(l.undisturbed(n, slices.Concat(made, shown.Issued))), bills(shown.Upcoming))
		require.Equal(t, worth(l.store.notes[noted:]), worth(shown.UpcomingNotes))
		require.Equal(t, bills(l.withUsage(made)), bills(drawn))
	})
}

// anyCommand draws a command that an app previews.
func (l *life) anyCommand(draw chance) lifecycle.Command {
	switch draw(12, "command") {
	case 0:
		to := l.anyPlan(draw)
		return lifecycle.ChangePlan{Plan: &to, AtPeriodEnd: draw(3, "at period end") == 0}
	case 1:
		return lifecycle.ChangePlan{Quantity: int64(1 + draw(6, "quantity")), AtPeriodEnd: draw(3, "at period end") == 0}
	case 11:
		on := l.now.Add(time.Duration(1+draw(60*86400, "seconds")) * time.Second)
		return lifecycle.MoveAnchor{On: on, Proration: someBehavior(draw)}
	case 8:
		cmd := l.someChange(draw)
		cmd.On = l.now.Add(time.Duration(1+draw(60*86400, "seconds")) * time.Second)
		return cmd
	case 6:
		asked := someChosen(draw, l.addOns(), l.sub().Interval)
		return lifecycle.ChangePlan{AddOns: &asked, AtPeriodEnd: draw(3, "at period end") == 0}
	case 2:
		return lifecycle.Reactivate{}
	case 3:
		c := l.someCoupon(draw)
		return lifecycle.RedeemCoupon{Code: c.Code, Coupon: &c}
	case 4:
		if had := l.sub().Discounts; len(had) > 0 {
			return lifecycle.RemoveCoupon{CouponID: had[draw(len(had), "which coupon")].CouponID}
		}
		return lifecycle.RemoveCoupon{CouponID: "coup_none"}
	case 5:
		return l.somePause(draw)
	case 7:
		return lifecycle.Resume{}
	case 9:
		l.account.how = someBehavior(draw)
		return lifecycle.MoveAnchor{Proration: l.account.how}
	default:
		now := draw(2, "at once") == 0
		return lifecycle.Cancel{Immediate: now, RefundUnused: now && draw(2, "refund") == 0}
	}
}

// A preview shows a trial's end, then one invoice a period, at the time of its issue: also for a customer without a
// payment method.
func TestPreview_ShowsEachPeriod(t *testing.T) {
	t.Parallel()
	p := flat("plan_1", month, 1900)
	l := newLife(t, []plan.Plan{p}, subscription.Settings{}, p, 14)
	l.store.customer.PaymentMethod, l.store.provider = "", nil

	shown, err := foresight.Preview(l.store.load(false), nil, 3, nil, l.moment())

	require.NoError(t, err)
	require.Empty(t, shown.Issued)
	require.Len(t, shown.Upcoming, 3)
	end := l.sub().TrialEndsAt
	for _, inv := range shown.Upcoming {
		require.Equal(t, end, inv.IssuedAt)
		require.EqualValues(t, 1900, inv.AmountDue)
		end = inv.Period.End
	}
}

// A renewal waits as a draft for an hour, and the plan changes at the end of that: one decision issues both, the
// renewal first.
func TestPreview_ListsInvoicesAsTheyAreNumbered(t *testing.T) {
	t.Parallel()
	p, dearer := flat("plan_1", month, 1000), flat("plan_2", month, 3000)
	l := newLife(t, []plan.Plan{p, dearer}, subscription.Settings{InvoiceGraceMinutes: 60}, p, 0)
	l.advance()
	l.result(answer.Succeeded)
	cmd := lifecycle.ChangePlan{Plan: &dearer, On: l.sub().CurrentPeriod.End.Add(time.Hour)}

	shown, err := foresight.Preview(l.store.load(false), cmd, 2, nil, l.moment())

	require.NoError(t, err)
	require.Equal(t, []invoice.Reason{invoice.Cycle, invoice.Update},
		[]invoice.Reason{shown.Upcoming[0].Reason, shown.Upcoming[1].Reason})
	l.must(cmd)
	require.Equal(t, bills(l.undisturbed(2, nil)), bills(shown.Upcoming))
}

// A quote is valid while the change costs the quoted amount.
func TestApplyQuoted_RefusesWhatCostsSomethingElse(t *testing.T) {
	t.Parallel()
	p, dearer := flat("plan_1", month, 1000), flat("plan_2", month, 3000)
	l := newLife(t, []plan.Plan{p, dearer}, subscription.Settings{}, p, 0)
	l.advance()
	l.result(answer.Succeeded)
	l.pass(10 * 24 * time.Hour)
	cmd := lifecycle.ChangePlan{Plan: &dearer, At: l.now}
	shown, err := foresight.Preview(l.store.load(true), cmd, 0, nil, l.moment())
	require.NoError(t, err)

	l.moveTo(l.now.Add(time.Minute))
	later := cmd
	later.At = l.now
	quoted := func(now foresight.Quote) bool { return reflect.DeepEqual(shown.Quote, now) }
	_, _, err = foresight.ApplyQuoted(l.store.load(true), later, quoted, l.moment())
	require.ErrorIs(t, err, foresight.ErrPreviewOutdated, "a minute later the rest of the period costs less")

	_, changes, err := foresight.ApplyQuoted(l.store.load(true), cmd, quoted, l.moment())
	require.NoError(t, err)
	require.Equal(t, shown.Issued[0].Total, changes.Invoices.Of(lifecycle.InvoiceCreated)[0].Total)
}

// A quote from before a renewal is outdated after it, not only late.
func TestApplyQuoted_RefusesAnotherPeriod(t *testing.T) {
	t.Parallel()
	p, dearer := flat("plan_1", month, 1000), flat("plan_2", month, 3000)
	l := newLife(t, []plan.Plan{p, dearer}, subscription.Settings{}, p, 0)
	l.advance()
	l.result(answer.Succeeded)
	cmd := lifecycle.ChangePlan{Plan: &dearer, At: l.sub().CurrentPeriod.End.Add(-time.Minute)}
	l.moveTo(l.sub().CurrentPeriod.End.Add(time.Minute))

	_, _, err := foresight.ApplyQuoted(l.store.load(true), cmd, func(foresight.Quote) bool { return true }, l.moment())

	require.ErrorIs(t, err, foresight.ErrPreviewOutdated)
}

package subscribing

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/costing"
	"perennial/billing/discount"
	"perennial/billing/dunning"
	"perennial/billing/internal/statedoc"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

var (
	created = time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC)
	month   = period.Interval{Unit: period.Month, Count: 1}
	team    = plan.Plan{
		ID: "plan_team", Name: "Team", Currency: "EUR", Interval: month, Active: true, Prices: prices(1000),
	}
	pro = plan.Plan{ID: "plan_pro", Name: "Pro", Currency: "EUR", Interval: month, Active: true, Prices: prices(3000)}
)

func prices(amounts ...money.Minor) []plan.Price {
	var out []plan.Price
	for _, a := range amounts {
		out = append(out, plan.Flat(fmt.Sprintf("price_%d_%d", len(out), a), "", a))
	}
	return out
}

// inStatus returns a subscription to the plan team in each status, one hour before its next boundary.
func inStatus(status subscription.Status) (subscription.Subscription, costing.Facts, time.Time) {
	days := 14
	if status != subscription.Trialing {
		days = 0
	}
	in := NewInput{ID: "sub_1", CustomerID: "cust_1", TrialDays: &days, TimeZone: "UTC", Now: created}
	if status == subscription.Incomplete {
		in.Behavior = subscription.PendPayment
	}
	s, _, err := Create(team, in)
	if err != nil {
		panic(err)
	}
	f := costing.Facts{
		Plan: team, Settings: subscription.Settings{Dunning: dunning.Policy{Final: dunning.Cancel, CancelAfterDays: 10}},
		ItemID: itemID,
	}
	s = With(s, f).Itemized()
	if status == subscription.Trialing {
		s.TrialNoticeAt = time.Time{} // it was announced days ago
		return s, f, s.CurrentPeriod.End.Add(-time.Hour)
	}
	d, err := With(s, f).OpenPeriod(created)
	if err != nil {
		panic(err)
	}
	s = d.Subscription
	now := s.CurrentPeriod.End.Add(-time.Hour)
	switch status {
	case subscription.PastDue:
		s.Status, s.PastDueAt = subscription.PastDue, now.AddDate(0, 0, -10)
	case subscription.Paused:
		s.Status, s.PausedAt, s.PauseReason = subscription.Paused, now, subscription.PauseRequested
		f.Open = []invoice.Invoice{{ID: "in_usage", Reason: invoice.Usage, Status: invoice.Open, PeriodIndex: 1}}
		return s, f, now
	case subscription.Canceled:
		s.Status, s.CanceledAt = subscription.Canceled, now
	case subscription.Incomplete, subscription.Trialing, subscription.Active:
	}
	lines, err := With(s, f).WholePeriod(s.Items, team)
	if err != nil {
		panic(err)
	}
	lines[0].ID = "il_1"
	f.Open = []invoice.Invoice{{
		ID: "in_1", Status: invoice.Open, Period: s.CurrentPeriod, PeriodIndex: 1, Lines: lines, Total: 1000, AmountDue: 1000,
	}}
	return s, f, now
}

func itemID(priceID string) string { return "si_" + priceID }

// perform calls the method of each input with valid arguments.
var perform = map[input]func(subscription.Subscription, costing.Facts, time.Time) (Decision, error){
	cancelNow: func(s subscription.Subscription, f costing.Facts, now time.Time) (Decision, error) {
		return With(s, f).Cancel(Cancellation{Immediate: true}, now)
	},
	cancelAtPeriodEnd: func(s subscription.Subscription, f costing.Facts, now time.Time) (Decision, error) {
		return With(s, f).Cancel(Cancellation{}, now)
	},
	reactivate: func(s subscription.Subscription, _ costing.Facts, now time.Time) (Decision, error) {
		s.CancelAtPeriodEnd = true
		return With(s, costing.Facts{}).Reactivate(now)
	},
	changePlan: func(s subscription.Subscription, f costing.Facts, now time.Time) (Decision, error) {
		return With(s, f).ChangePlan(Change{Plan: &pro}, now)
	},
	moveTrialEnd: func(s subscription.Subscription, _ costing.Facts, now time.Time) (Decision, error) {
		return With(s, costing.Facts{}).EndTrialAt(now.AddDate(0, 0, 7), now)
	},
	moveAnchor: func(s subscription.Subscription, f costing.Facts, now time.Time) (Decision, error) {
		s.CancelAtPeriodEnd = false
		return With(s, f).MoveAnchor("", time.Time{}, now)
	},
	pause: func(s subscription.Subscription, f costing.Facts, now time.Time) (Decision, error) {
		s.CancelAtPeriodEnd, f.Open = false, nil
		return With(s, f).Pause(Pausing{ResumesAt: now.AddDate(0, 1, 0)}, now)
	},
	resume: func(s subscription.Subscription, f costing.Facts, now time.Time) (Decision, error) {
		return With(s, f).Resume(now, now)
	},
	payInvoice: func(s subscription.Subscription, f costing.Facts, _ time.Time) (Decision, error) {
		if _, err := With(s, f).Payable(nil); err != nil {
			return Decision{}, err
		}
		return Decision{Subscription: s}, nil
	},
	periodDue: func(s subscription.Subscription, f costing.Facts, now time.Time) (Decision, error) {
		return With(s, f).OpenPeriod(now.Add(time.Hour))
	},
	trialEnding: func(s subscription.Subscription, _ costing.Facts, now time.Time) (Decision, error) {
		s.TrialNoticeAt = now
		return With(s, costing.Facts{}).AnnounceTrialEnd(now)
	},
	renewalNear: func(s subscription.Subscription, f costing.Facts, now time.Time) (Decision, error) {
		return With(s, f).AnnounceRenewal(now)
	},
	paymentSettled: func(s subscription.Subscription, f costing.Facts, now time.Time) (Decision, error) {
		paid := invoice.Invoice{ID: "in_1", Status: invoice.Paid, Period: s.CurrentPeriod, PeriodIndex: 1}
		f.Open = slices.DeleteFunc(slices.Clone(f.Open), func(i invoice.Invoice) bool { return i.ID == paid.ID })
		f.Paid = []invoice.Invoice{paid}
		return With(s, f).Settled(paid, now)
	},
	retriesExhausted: func(s subscription.Subscription, _ costing.Facts, now time.Time) (Decision, error) {
		return With(s, costing.Facts{}).Unpaid(dunning.PastDue, 4, now)
	},
	resumeCollection: func(s subscription.Subscription, _ costing.Facts, now time.Time) (Decision, error) {
		if s.Status == subscription.PastDue {
			s.CollectionPausedAt = now
		}
		return With(s, costing.Facts{}).ResumeCollection(now)
	},
	redeemCoupon: func(s subscription.Subscription, _ costing.Facts, now time.Time) (Decision, error) {
		return With(s, costing.Facts{}).RedeemCoupon(discount.Coupon{ID: "coup_1", Active: true}, now)
	},
	removeCoupon: func(s subscription.Subscription, _ costing.Facts, now time.Time) (Decision, error) {
		s.Discounts = subscription.Discounts{{CouponID: "coup_1"}}
		return With(s, costing.Facts{}).RemoveCoupon("coup_1", now)
	},
	invoiceWrittenOff: func(s subscription.Subscription, f costing.Facts, now time.Time) (Decision, error) {
		given := invoice.Invoice{ID: "in_1", Status: invoice.Void, Period: s.CurrentPeriod, PeriodIndex: 1}
		f.Open = slices.DeleteFunc(slices.Clone(f.Open), func(i invoice.Invoice) bool { return i.ID == given.ID })
		f.WrittenOff = []invoice.Invoice{given}
		return With(s, f).WrittenOff(given, now)
	},
	pastDueExpired: func(s subscription.Subscription, f costing.Facts, now time.Time) (Decision, error) {
		return With(s, f).ExpirePastDue(now)
	},
	incompleteExpired: func(s subscription.Subscription, f costing.Facts, now time.Time) (Decision, error) {
		return With(s, f).ExpireIncomplete(len(f.Open) == 1, now) // the only invoice is being paid
	},
	changeExpired: func(s subscription.Subscription, f costing.Facts, now time.Time) (Decision, error) {
		if s.Status == subscription.Active { // no other has one
			s.PendingChange = &subscription.PendingChange{Until: now}
		}
		return ExpireChange(With(s, f), false, now)
	},
}

// variations change other facts that decide which status an input leads to.
var variations = map[string]func(subscription.Subscription, costing.Facts) (subscription.Subscription, costing.Facts){
	"nothing else": func(s subscription.Subscription, f costing.Facts) (subscription.Subscription, costing.Facts) {
		return s, f
	},
	"a cancellation scheduled": func(
		s subscription.Subscription, f costing.Facts,
	) (subscription.Subscription, costing.Facts) {
		s.CancelAtPeriodEnd = true
		return s, f
	},
	"an older invoice unpaid": func(
		s subscription.Subscription, f costing.Facts,
	) (subscription.Subscription, costing.Facts) {
		older := invoice.Invoice{
			ID: "in_0", Status: invoice.Open, AmountDue: 1, Collection: collection.State{Phase: collection.Exhausted},
		}
		f.Open = append([]invoice.Invoice{older}, f.Open...)
		return s, f
	},
	"a trial that pauses": func(s subscription.Subscription, f costing.Facts) (subscription.Subscription, costing.Facts) {
		f.Plan.TrialEnd = plan.TrialEndPause
		return s, f
	},
}

// refused has the reason of every pair that transitions leaves out.
var refused = map[subscription.Status]map[input]error{
	subscription.Trialing: {
		payInvoice: ErrInTrial, paymentSettled: ErrInTrial, retriesExhausted: ErrInTrial, pastDueExpired: ErrNotPastDue,
		resumeCollection: ErrCollectionNotPaused, pause: ErrTrialNotPaused, resume: ErrNotPaused,
		moveAnchor: ErrAnchorInTrial, incompleteExpired: ErrNotIncomplete, changeExpired: ErrChangeNotPending,
	},
	subscription.Active: {
		incompleteExpired: ErrNotIncomplete,
		pastDueExpired:    ErrNotPastDue, trialEnding: ErrNotInTrial, resumeCollection: ErrCollectionNotPaused,
		moveTrialEnd: ErrTrialOver, resume: ErrNotPaused,
	},
	subscription.Incomplete: {
		cancelAtPeriodEnd: ErrIncomplete, reactivate: ErrNotScheduled, changePlan: ErrIncomplete,
		moveTrialEnd: ErrTrialOver, moveAnchor: ErrIncomplete, resumeCollection: ErrCollectionNotPaused,
		pause: ErrIncomplete, redeemCoupon: ErrIncomplete, removeCoupon: ErrIncomplete, trialEnding: ErrNotInTrial,
		periodDue: ErrIncomplete, renewalNear: ErrIncomplete, pastDueExpired: ErrNotPastDue, resume: ErrNotPaused,
		changeExpired: ErrChangeNotPending,
	},
	subscription.PastDue: {
		incompleteExpired: ErrNotIncomplete, changeExpired: ErrChangeNotPending,
		trialEnding: ErrNotInTrial, renewalNear: ErrPastDue, moveTrialEnd: ErrTrialOver, pause: ErrInvoiceOpen,
		resume: ErrNotPaused,
	},
	subscription.Paused: {
		reactivate: ErrNotScheduled, changePlan: ErrPaused, moveTrialEnd: ErrTrialOver, moveAnchor: ErrPaused,
		resumeCollection: ErrCollectionNotPaused, periodDue: ErrPaused, trialEnding: ErrNotInTrial,
		renewalNear: ErrPaused, pastDueExpired: ErrNotPastDue, incompleteExpired: ErrNotIncomplete,
		changeExpired: ErrChangeNotPending,
	},
	subscription.Canceled: {
		cancelNow: ErrCanceled, cancelAtPeriodEnd: ErrCanceled, reactivate: ErrCanceled, changePlan: ErrCanceled,
		moveTrialEnd: ErrCanceled, moveAnchor: ErrCanceled, redeemCoupon: ErrCanceled, removeCoupon: ErrCanceled,
		periodDue: ErrCanceled, trialEnding: ErrCanceled, retriesExhausted: ErrCanceled, pastDueExpired: ErrCanceled,
		resumeCollection: ErrCanceled, renewalNear: ErrCanceled, pause: ErrCanceled, resume: ErrCanceled,
		incompleteExpired: ErrCanceled, changeExpired: ErrCanceled,
	},
}

func TestTransition_EveryPairOfStatusAndInput(t *testing.T) {
	t.Parallel()
	for _, status := range statedoc.ConstsIn(t, "../subscription", "Status") {
		for _, in := range statedoc.Consts(t, "input") {
			status, in := subscription.Status(status), input(in)
			s, f, now := inStatus(status)
			require.Equal(t, status, s.Status)
			require.Contains(t, perform, in)
			to, legal := transitions[status][in]
			why := refused[status][in]
			require.Equal(t, legal, why == nil, "%s × %s is either legal or has a reason", status, in)

			d, err := perform[in](s, f, now)

			require.Equal(t, why, err, "%s × %s", status, in)
			if !legal {
				require.Equal(t, Decision{}, d, "a refusal decides nothing")
				continue
			}
			require.Contains(t, to, d.Subscription.Status, "%s × %s", status, in)
			for name, vary := range variations {
				s, f := vary(s, f)
				d, err = perform[in](s, f, now)
				require.NoError(t, err)
				require.Contains(t, to, d.Subscription.Status, "%s × %s with %s", status, in, name)
			}
		}
	}
}

// Each status in transitions is reached.
func TestTransition_EachIsReached(t *testing.T) {
	t.Parallel()
	for status, inputs := range transitions {
		for in, to := range inputs {
			require.Contains(t, perform, in)
			var seen []subscription.Status
			for _, vary := range variations {
				s, f, now := inStatus(status)
				s, f = vary(s, f)
				d, err := perform[in](s, f, now)
				require.NoError(t, err)
				if !slices.Contains(seen, d.Subscription.Status) {
					seen = append(seen, d.Subscription.Status)
				}
			}
			require.ElementsMatch(t, to, seen, "%s × %s", status, in)
		}
	}
}

func TestTransition_CanceledIsFinal(t *testing.T) {
	t.Parallel()
	for in, to := range transitions[subscription.Canceled] {
		require.Equal(t, []subscription.Status{subscription.Canceled}, to, in)
	}
}

package subscription

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/discount"
	"perennial/billing/dunning"
	"perennial/billing/internal/statedoc"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
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

// inStatus is a subscription on the plan team in each status, one hour before its next boundary.
func inStatus(status Status) (Subscription, Facts, time.Time) {
	days := 14
	if status != Trialing {
		days = 0
	}
	s, _, err := Create(team, NewInput{ID: "sub_1", CustomerID: "cust_1", TrialDays: &days, TimeZone: "UTC", Now: created})
	if err != nil {
		panic(err)
	}
	f := Facts{
		Plan: team, Settings: Settings{Dunning: dunning.Policy{Final: dunning.Cancel, CancelAfterDays: 10}}, ItemID: itemID,
	}
	s = With(s, f).Itemized()
	if status == Trialing {
		s.TrialNoticeAt = time.Time{} // it was given days ago
		return s, f, s.CurrentPeriod.End.Add(-time.Hour)
	}
	d, err := With(s, f).OpenPeriod(created)
	if err != nil {
		panic(err)
	}
	s = d.Subscription
	now := s.CurrentPeriod.End.Add(-time.Hour)
	switch status {
	case PastDue:
		s.Status, s.PastDueAt = PastDue, now.AddDate(0, 0, -10)
	case Paused:
		s.Status, s.PausedAt, s.PauseReason = Paused, now, PauseRequested
		return s, f, now
	case Canceled:
		s.Status, s.CanceledAt = Canceled, now
	case Trialing, Active:
	}
	lines, err := With(s, f).wholePeriod(s.Items, team)
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

// perform calls the method behind each input with arguments that are fine in themselves.
var perform = map[input]func(Subscription, Facts, time.Time) (Decision, error){
	cancelNow: func(s Subscription, f Facts, now time.Time) (Decision, error) {
		return With(s, f).Cancel(Cancellation{Immediate: true}, now)
	},
	cancelAtPeriodEnd: func(s Subscription, f Facts, now time.Time) (Decision, error) {
		return With(s, f).Cancel(Cancellation{}, now)
	},
	reactivate: func(s Subscription, _ Facts, now time.Time) (Decision, error) {
		s.CancelAtPeriodEnd = true
		return With(s, Facts{}).Reactivate(now)
	},
	changePlan: func(s Subscription, f Facts, now time.Time) (Decision, error) {
		return With(s, f).ChangePlan(Change{Plan: &pro}, now)
	},
	moveTrialEnd: func(s Subscription, _ Facts, now time.Time) (Decision, error) {
		return With(s, Facts{}).EndTrialAt(now.AddDate(0, 0, 7), now)
	},
	moveAnchor: func(s Subscription, f Facts, now time.Time) (Decision, error) {
		s.CancelAtPeriodEnd = false
		return With(s, f).MoveAnchor("", now)
	},
	pause: func(s Subscription, f Facts, now time.Time) (Decision, error) {
		s.CancelAtPeriodEnd, f.Open = false, nil
		return With(s, f).Pause(Pausing{ResumesAt: now.AddDate(0, 1, 0)}, now)
	},
	resume: func(s Subscription, f Facts, now time.Time) (Decision, error) { return With(s, f).Resume(now, now) },
	payInvoice: func(s Subscription, f Facts, _ time.Time) (Decision, error) {
		if _, err := With(s, f).Payable(nil); err != nil {
			return Decision{}, err
		}
		return Decision{Subscription: s}, nil
	},
	periodDue: func(s Subscription, f Facts, now time.Time) (Decision, error) {
		return With(s, f).OpenPeriod(now.Add(time.Hour))
	},
	trialEnding: func(s Subscription, _ Facts, now time.Time) (Decision, error) {
		s.TrialNoticeAt = now
		return With(s, Facts{}).AnnounceTrialEnd(now)
	},
	renewalNear: func(s Subscription, f Facts, now time.Time) (Decision, error) { return With(s, f).AnnounceRenewal(now) },
	paymentSettled: func(s Subscription, f Facts, now time.Time) (Decision, error) {
		paid := invoice.Invoice{ID: "in_1", Status: invoice.Paid, Period: s.CurrentPeriod, PeriodIndex: 1}
		f.Open = slices.DeleteFunc(slices.Clone(f.Open), func(i invoice.Invoice) bool { return i.ID == paid.ID })
		f.Paid = []invoice.Invoice{paid}
		return With(s, f).Settled(paid, now)
	},
	retriesExhausted: func(s Subscription, _ Facts, now time.Time) (Decision, error) {
		return With(s, Facts{}).Unpaid(dunning.PastDue, 4, now)
	},
	resumeCollection: func(s Subscription, _ Facts, now time.Time) (Decision, error) {
		if s.Status == PastDue {
			s.CollectionPausedAt = now
		}
		return With(s, Facts{}).ResumeCollection(now)
	},
	redeemCoupon: func(s Subscription, _ Facts, now time.Time) (Decision, error) {
		return With(s, Facts{}).RedeemCoupon(discount.Coupon{ID: "coup_1", Active: true}, now)
	},
	removeCoupon: func(s Subscription, _ Facts, now time.Time) (Decision, error) {
		s.Discounts = Discounts{{CouponID: "coup_1"}}
		return With(s, Facts{}).RemoveCoupon("coup_1", now)
	},
	invoiceWrittenOff: func(s Subscription, f Facts, now time.Time) (Decision, error) {
		given := invoice.Invoice{ID: "in_1", Status: invoice.Void, Period: s.CurrentPeriod, PeriodIndex: 1}
		f.Open = slices.DeleteFunc(slices.Clone(f.Open), func(i invoice.Invoice) bool { return i.ID == given.ID })
		f.WrittenOff = []invoice.Invoice{given}
		return With(s, f).WrittenOff(given, now)
	},
	pastDueExpired: func(s Subscription, f Facts, now time.Time) (Decision, error) {
		return With(s, f).ExpirePastDue(now)
	},
}

// variations are what else decides to which status an input leads.
var variations = map[string]func(Subscription, Facts) (Subscription, Facts){
	"nothing else": func(s Subscription, f Facts) (Subscription, Facts) { return s, f },
	"a cancellation scheduled": func(s Subscription, f Facts) (Subscription, Facts) {
		s.CancelAtPeriodEnd = true
		return s, f
	},
	"an older invoice unpaid": func(s Subscription, f Facts) (Subscription, Facts) {
		older := invoice.Invoice{
			ID: "in_0", Status: invoice.Open, AmountDue: 1, Collection: collection.State{Phase: collection.Exhausted},
		}
		f.Open = append([]invoice.Invoice{older}, f.Open...)
		return s, f
	},
	"a trial that pauses": func(s Subscription, f Facts) (Subscription, Facts) {
		f.Plan.TrialEnd = plan.TrialEndPause
		return s, f
	},
}

// refused says why, for every pair that transitions leaves out.
var refused = map[Status]map[input]error{
	Trialing: {
		payInvoice: ErrInTrial, paymentSettled: ErrInTrial, retriesExhausted: ErrInTrial, pastDueExpired: ErrNotPastDue,
		resumeCollection: ErrCollectionNotPaused, pause: ErrTrialNotPaused, resume: ErrNotPaused,
		moveAnchor: ErrAnchorInTrial,
	},
	Active: {
		pastDueExpired: ErrNotPastDue, trialEnding: ErrNotInTrial, resumeCollection: ErrCollectionNotPaused,
		moveTrialEnd: ErrTrialOver, resume: ErrNotPaused,
	},
	PastDue: {
		trialEnding: ErrNotInTrial, renewalNear: ErrPastDue, moveTrialEnd: ErrTrialOver, pause: ErrInvoiceOpen,
		resume: ErrNotPaused,
	},
	Paused: {
		payInvoice: ErrNothingOpen, reactivate: ErrNotScheduled, changePlan: ErrPaused, moveTrialEnd: ErrTrialOver,
		moveAnchor: ErrPaused, resumeCollection: ErrCollectionNotPaused, periodDue: ErrPaused, trialEnding: ErrNotInTrial,
		renewalNear: ErrPaused, retriesExhausted: ErrPaused, pastDueExpired: ErrNotPastDue,
	},
	Canceled: {
		cancelNow: ErrCanceled, cancelAtPeriodEnd: ErrCanceled, reactivate: ErrCanceled, changePlan: ErrCanceled,
		moveTrialEnd: ErrCanceled, moveAnchor: ErrCanceled, redeemCoupon: ErrCanceled, removeCoupon: ErrCanceled,
		periodDue: ErrCanceled, trialEnding: ErrCanceled, retriesExhausted: ErrCanceled, pastDueExpired: ErrCanceled,
		resumeCollection: ErrCanceled, renewalNear: ErrCanceled, pause: ErrCanceled, resume: ErrCanceled,
	},
}

func TestTransition_EveryPairOfStatusAndInput(t *testing.T) {
	t.Parallel()
	for _, status := range statedoc.Consts(t, "Status") {
		for _, in := range statedoc.Consts(t, "input") {
			status, in := Status(status), input(in)
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

// Each status that transitions promises is one that really comes about.
func TestTransition_EachIsReached(t *testing.T) {
	t.Parallel()
	for status, inputs := range transitions {
		for in, to := range inputs {
			require.Contains(t, perform, in)
			var seen []Status
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
	for in, to := range transitions[Canceled] {
		require.Equal(t, []Status{Canceled}, to, in)
	}
}

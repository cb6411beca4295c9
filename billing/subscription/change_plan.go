package subscription

import (
	"slices"
	"time"

	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
)

// ChangePlan moves the subscription to another plan of the same currency: now, with proration, or at the period's end.
// During a trial nothing is charged. A change of interval restarts the period now. Unused time that was paid is
// credited; unused time that is billed but unpaid is reversed by an invoice that replaces the open one. Faults:
// subscription_canceled, plan_inactive, currency_mismatch, plan_unchanged, payment_in_progress, renewal_due,
// amount_too_large.
func (s Subscription) ChangePlan(f Facts, to plan.Plan, atPeriodEnd bool, now time.Time) (Decision, error) {
	if err := permit(s.Status, changePlan); err != nil {
		return Decision{}, err
	}
	switch {
	case to.ID == s.PlanID && s.PendingPlanID == "":
		return Decision{}, ErrPlanUnchanged
	case to.ID == s.PlanID: // staying is how a waiting change is taken back, also on a plan that is no longer offered
		s.PendingPlanID = ""
		return Decision{Subscription: s, Events: []event.Event{s.updated(now, "pendingPlanId")}}, nil
	case !to.Active:
		return Decision{}, ErrPlanInactive
	case to.Currency != s.Currency:
		return Decision{}, ErrCurrency
	case atPeriodEnd:
		s.PendingPlanID = to.ID
		return Decision{Subscription: s, Events: []event.Event{s.updated(now, "pendingPlanId")}}, nil
	}
	if s.NextPeriod == 0 { // nothing is billed yet: the first period will be, on the new plan
		from := s.PlanID
		s.PlanID, s.PendingPlanID, s.Interval = to.ID, "", to.Interval
		if s.unbegun() {
			s.CurrentPeriod = s.schedule().Period(0)
		}
		return Decision{Subscription: s, Events: []event.Event{s.planChanged(from, now), s.updated(now, "planId")}}, nil
	}
	return s.changeNow(f, to, now)
}

func (s Subscription) changeNow(f Facts, to plan.Plan, now time.Time) (Decision, error) {
	now = now.UTC().Truncate(time.Second)
	if !s.CurrentPeriod.Contains(now) {
		return Decision{}, ErrRenewalDue
	}
	if open := f.openFor(s.PeriodIndex); open != nil {
		if _, _, _, err := open.Withdraw("", false, now); err != nil {
			return Decision{}, ErrPaymentPending
		}
	}
	left, err := s.leaving(f, now)
	if err != nil {
		return Decision{}, err
	}
	billed := f.Plan.Free() || f.invoiced(s.PeriodIndex)
	from := s.PlanID
	s.PlanID, s.PendingPlanID = to.ID, ""
	rest := period.Period{Start: now, End: s.CurrentPeriod.End}
	var charge []invoice.Line
	if to.Interval != s.Interval {
		s.restart(to.Interval, now)
		rest = s.CurrentPeriod
		charge = s.wholePeriod(f, to)
	} else if charge, err = s.restOfPeriod(f, to, now); err != nil {
		return Decision{}, err
	}
	d := Decision{Events: []event.Event{s.planChanged(from, now), s.updated(now, "planId")}}
	// A period that cost something and that nobody billed (it began while past due) is billed in full on recovery, on
	// the new plan.
	if billed || s.Status != PastDue {
		lines := append(left.lines, charge...)
		if _, err := invoice.Sum(lines); err != nil {
			return Decision{}, err
		}
		d.Issue = s.drafts(invoice.Update, rest, lines)
		if left.replaces != "" {
			d.Issue[0].Replaces = left.replaces
		}
	}
	if len(d.Issue) == 0 && s.Status == Active {
		s.paidUntil(s.CurrentPeriod.End)
	}
	d.Subscription = s
	return d, nil
}

// leaving is what the old plan's unused time leads to: lines for the new invoice, and the open invoice it replaces.
type leaving struct {
	lines    []invoice.Line
	replaces string
	credit   money.Minor // of the lines: the unused time that they take back
}

// leaving values the old plan's unused time, item by item, as far as it is billed: on paid invoices and on the open one
// that the new invoice takes in, which the caller must be able to withdraw. All that is unpaid of the period is then on
// one invoice, so a total below zero, which becomes credit or a refund, is never more than was paid.
func (s Subscription) leaving(f Facts, now time.Time) (leaving, error) {
	issued, payable := slices.Concat(f.Paid, f.WrittenOff), slices.Clone(f.Paid)
	var out leaving
	if open := f.openFor(s.PeriodIndex); open != nil {
		out.replaces, out.lines = open.ID, slices.Clone(open.Lines)
		issued, payable = append(issued, *open), append(payable, *open)
	}
	kept, err := f.kept(payable)
	if err != nil {
		return leaving{}, err
	}
	for _, item := range s.items(f, f.Plan) {
		credit, ok, err := s.unusedTime(issued, item, now)
		if err != nil {
			return leaving{}, err
		}
		if ok && f.GivenBack > 0 {
			credit.Amount = max(credit.Amount, out.credit-kept)
			ok = credit.Amount < 0
		}
		if ok {
			out.credit -= credit.Amount
			out.lines = append(out.lines, credit)
		}
	}
	return out, nil
}

// kept is the most that unused time is worth where money of the period went back already: what its paid and open invoices
// come to, less that.
func (f Facts) kept(payable []invoice.Invoice) (money.Minor, error) {
	amounts := []money.Minor{-f.GivenBack}
	for _, inv := range payable {
		amounts = append(amounts, inv.Total)
	}
	sum, err := money.Sum(amounts...)
	return max(sum, 0), err
}

package subscription

import (
	"slices"
	"time"

	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
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
	if open := f.openFor(s.CurrentPeriod); open != nil {
		if _, _, _, err := open.Withdraw("", false, now); err != nil {
			return Decision{}, ErrPaymentPending
		}
	}
	left, err := s.leaving(f, now)
	if err != nil {
		return Decision{}, err
	}
	free := len(f.Plan.Lines(s.CurrentPeriod)) == 0
	billed := free || f.invoiced(s.CurrentPeriod)
	old := s
	s.PlanID, s.PendingPlanID = to.ID, ""
	rest := period.Period{Start: now, End: s.CurrentPeriod.End}
	var charge []invoice.Line
	if to.Interval != s.Interval {
		s.Interval, s.AnchorAt, s.NextPeriod = to.Interval, now, 1
		s.CurrentPeriod = s.schedule().Period(0)
		s.paidAtMostUntil(s.CurrentPeriod.End) // the time beyond was credited back
		rest = s.CurrentPeriod
		charge = to.Lines(rest)
	} else if charge, err = restOf(to, old.CurrentPeriod, now); err != nil {
		return Decision{}, err
	}
	d := Decision{Events: []event.Event{s.planChanged(old.PlanID, now), s.updated(now, "planId")}}
	// A period that cost something and that nobody billed (it began while past due) is billed in full on recovery, on
	// the new plan.
	if billed || s.Status != PastDue {
		lines := append(left.lines, charge...)
		if _, err := invoice.Sum(lines); err != nil {
			return Decision{}, err
		}
		d.Issue = drafts(invoice.Update, rest, lines)
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

// leaving values the old plan's unused time at most at what is billed for it, on paid invoices and on the open one
// that the new invoice takes in, which the caller must be able to withdraw. All that is unpaid of the period is then on
// one invoice, so a total below zero, which becomes credit or a refund, is never more than was paid.
func (s Subscription) leaving(f Facts, now time.Time) (leaving, error) {
	unused, err := costOfRest(f.Plan, s.CurrentPeriod, now)
	if err != nil {
		return leaving{}, err
	}
	billed := f.Paid
	var out leaving
	if open := f.openFor(s.CurrentPeriod); open != nil {
		out.replaces, out.lines = open.ID, unidentified(open.Lines)
		billed = append(slices.Clone(f.Paid), *open)
	}
	most, err := billedFor(billed, s)
	if err != nil {
		return leaving{}, err
	}
	if f.GivenBack > 0 {
		if most, err = f.kept(billed, most); err != nil {
			return leaving{}, err
		}
	}
	if credit := proration.Credit(unused, most); credit > 0 {
		out.credit = credit
		out.lines = append(out.lines, unusedTime(f.Plan, credit, period.Period{Start: now, End: s.CurrentPeriod.End}))
	}
	return out, nil
}

// kept is the most that unused time is worth where money of the period went back already: what all its invoices come to,
// less that.
func (f Facts) kept(billed []invoice.Invoice, most money.Minor) (money.Minor, error) {
	amounts := []money.Minor{-f.GivenBack}
	for _, inv := range billed {
		amounts = append(amounts, inv.Total)
	}
	sum, err := money.Sum(amounts...)
	return min(most, max(sum, 0)), err
}

// unusedTime is the line that takes time back.
func unusedTime(p plan.Plan, worth money.Minor, of period.Period) invoice.Line {
	return invoice.Line{
		Kind: invoice.ProrationCredit, Description: "Unused time on " + p.Name, PlanID: p.ID, Amount: -worth, Period: of,
	}
}

// unidentified copies lines for another invoice, which gives them identities of their own.
func unidentified(lines []invoice.Line) []invoice.Line {
	out := make([]invoice.Line, len(lines))
	for i, l := range lines {
		l.ID = ""
		out[i] = l
	}
	return out
}

// costOfRest is what the rest of a period costs on a plan: the charge of whoever changes to it, and the unused time of
// whoever leaves it. That both are the same sum makes chains of changes add up.
func costOfRest(p plan.Plan, of period.Period, now time.Time) (money.Minor, error) {
	lines, err := restOf(p, of, now)
	if err != nil {
		return 0, err
	}
	return invoice.Sum(lines)
}

// restOf is what the rest of a period costs on a plan, one line a price, each rounded cumulatively. One that rounds to
// nothing stays: its invoice shows that the period is billed.
func restOf(to plan.Plan, of period.Period, now time.Time) ([]invoice.Line, error) {
	var lines []invoice.Line
	for _, l := range to.Lines(of) {
		rest, err := proration.Rest(l.Amount, of, now)
		if err != nil {
			return nil, err
		}
		l.Kind, l.Amount = invoice.ProrationCharge, rest
		l.Description = "Remaining time on " + l.Description
		l.Period = period.Period{Start: now, End: of.End}
		lines = append(lines, l)
	}
	return lines, nil
}

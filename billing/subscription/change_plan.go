package subscription

import (
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
// subscription_canceled, plan_inactive, currency_mismatch, plan_unchanged, payment_in_progress, amount_too_large.
func (s Subscription) ChangePlan(f Facts, to plan.Plan, atPeriodEnd bool, now time.Time) (Decision, error) {
	if err := permit(s.Status, ChangePlan); err != nil {
		return Decision{}, err
	}
	switch {
	case !to.Active:
		return Decision{}, ErrPlanInactive
	case to.Currency != s.Currency:
		return Decision{}, ErrCurrency
	case to.ID == s.PlanID && s.PendingPlanID == "":
		return Decision{}, ErrPlanUnchanged
	case to.ID == s.PlanID: // staying is how a waiting change is taken back
		s.PendingPlanID = ""
		return Decision{Subscription: s, Events: []event.Event{s.updated(now, "pendingPlanId")}}, nil
	case atPeriodEnd:
		s.PendingPlanID = to.ID
		return Decision{Subscription: s, Events: []event.Event{s.updated(now, "pendingPlanId")}}, nil
	}
	if s.Status == Trialing {
		s.PlanID, s.PendingPlanID, s.Interval = to.ID, "", to.Interval
		return Decision{Subscription: s, Events: []event.Event{s.updated(now, "planId")}}, nil
	}
	return s.changeNow(f, to, now)
}

func (s Subscription) changeNow(f Facts, to plan.Plan, now time.Time) (Decision, error) {
	now = now.UTC().Truncate(time.Second)
	left, err := s.leaving(f, now)
	if err != nil {
		return Decision{}, err
	}
	billed := f.invoiced(s.CurrentPeriod)
	old := s
	s.PlanID, s.PendingPlanID = to.ID, ""
	rest := period.Period{Start: now, End: s.CurrentPeriod.End}
	charge := []invoice.Line{}
	if to.Interval != s.Interval {
		s.Interval, s.AnchorAt, s.NextPeriod = to.Interval, now, 1
		s.CurrentPeriod = s.schedule().Period(0)
		rest = s.CurrentPeriod
		charge = to.Lines(rest)
	} else if charge, err = restOf(to, old.CurrentPeriod, now); err != nil {
		return Decision{}, err
	}
	d := Decision{Events: []event.Event{s.updated(now, "planId")}}
	// A period that nobody billed (it began while past due) is billed in full on recovery, on the new plan.
	if billed || s.Status != PastDue {
		lines := append(left.lines, charge...)
		d.Issue = drafts(invoice.Update, rest, lines)
		if left.replaces != "" {
			d.Void = []string{left.replaces}
			d.Issue[0].Replaces = left.replaces
		}
	}
	if len(d.Issue) == 0 && s.Status == Active {
		s.PaidThrough = s.CurrentPeriod.End
	}
	d.Subscription = s
	return d, nil
}

// leaving is what the old plan's unused time leads to: lines for the new invoice, and the open invoice it replaces.
type leaving struct {
	lines    []invoice.Line
	replaces string
}

func (s Subscription) leaving(f Facts, now time.Time) (leaving, error) {
	price, err := f.Plan.FlatTotal()
	if err != nil {
		return leaving{}, err
	}
	paid, err := paidFor(f.Paid, s)
	if err != nil {
		return leaving{}, err
	}
	open, onOpen, err := openFor(f.Open, s)
	if err != nil {
		return leaving{}, err
	}
	var out leaving
	cap := paid
	if open != nil {
		if _, _, err := open.Withdraw("", now); err != nil {
			return leaving{}, ErrPaymentPending
		}
		out.replaces, out.lines, cap = open.ID, unidentified(open.Lines), onOpen
	}
	r, err := proration.FlatChange(proration.Input{Period: s.CurrentPeriod, At: now, OldPrice: price, PaidForOld: cap})
	if err != nil {
		return leaving{}, err
	}
	if r.Credit > 0 {
		out.lines = append(out.lines, invoice.Line{
			Kind: invoice.ProrationCredit, Description: "Unused time on " + f.Plan.Name, PlanID: f.Plan.ID,
			Amount: -r.Credit, Period: period.Period{Start: now, End: s.CurrentPeriod.End},
		})
	}
	return out, nil
}

// openFor finds the open invoice that bills the current plan in the current period, and how much it bills for it.
func openFor(open []invoice.Invoice, s Subscription) (*invoice.Invoice, money.Minor, error) {
	for i := range open {
		on, err := paidFor(open[i:i+1], s)
		if err != nil {
			return nil, 0, err
		}
		if on > 0 {
			return &open[i], on, nil
		}
	}
	return nil, 0, nil
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

// restOf is what the rest of a period costs on a plan, one line a price, each rounded cumulatively.
func restOf(to plan.Plan, of period.Period, now time.Time) ([]invoice.Line, error) {
	var lines []invoice.Line
	for _, l := range to.Lines(of) {
		r, err := proration.FlatChange(proration.Input{Period: of, At: now, NewPrice: l.Amount})
		if err != nil {
			return nil, err
		}
		if r.Charge == 0 {
			continue
		}
		l.Kind, l.Amount = invoice.ProrationCharge, r.Charge
		l.Description = "Remaining time on " + l.Description
		l.Period = period.Period{Start: now, End: of.End}
		lines = append(lines, l)
	}
	return lines, nil
}

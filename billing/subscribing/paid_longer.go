package subscribing

import (
	"slices"

	"perennial/billing/invoice"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// paysChange notes that nothing of a period's invoices is owed any more. closed is the invoice that was closed; empty:
// the period costs nothing. A change stays unpaid where an invoice of an earlier period is owed for an own period that
// still runs: the later period bills only what is shorter.
func paysChange(s *Situation, periodIndex int, closed string) {
	if s.PaidFor == nil || periodIndex < s.PaidFor.PeriodIndex {
		return
	}
	owed, owes := owesLonger(*s, closed)
	if !owes {
		s.PaysChange(periodIndex)
		return
	}
	paid := *s.PaidFor
	paid.PeriodIndex = min(paid.PeriodIndex, owed) // the payment of that invoice pays for the change
	s.PaidFor = &paid
}

// owesLonger returns the period of an owed invoice, other than the closed one, that bills a running own period of an
// item since before the current period. Nothing is kept where the plan's own period is not paid.
func owesLonger(s Situation, closed string) (periodIndex int, ok bool) {
	if !mixed(s) || s.PaidThrough.Before(s.PlanEnd()) {
		return 0, false
	}
	runs := func(l invoice.Line) bool {
		return l.Kind.BillsTime() && l.Amount > 0 &&
			l.Period.End.After(s.CurrentPeriod.Start)
	}
	for _, inv := range slices.Concat(s.Facts.WrittenOff, s.Facts.Open, s.Facts.Drafts) {
		owed := inv.Status != invoice.Void && inv.Reason != invoice.Usage && inv.ID != closed
		if owed && s.Spans(inv) && inv.PeriodIndex < s.PeriodIndex && slices.ContainsFunc(inv.Lines, runs) {
			return inv.PeriodIndex, true
		}
	}
	return 0, false
}

// mixed reports whether the plan or an add-on is billed by longer periods than those of the subscription.
func mixed(s Situation) bool {
	return s.Longer(s.PlanInterval) || slices.ContainsFunc(s.AddOns, func(a subscription.AddOn) bool {
		return s.Longer(s.Facts.AddOn(a.Ref).Interval)
	})
}

// keepsPaid removes the add-ons whose present own period is not paid from what stays paid in past due. It has no effect
// where the plan has no longer period: access ends with the current period then.
func keepsPaid(s *Situation) {
	if s.PaidFor == nil || s.Status != subscription.PastDue || !s.Longer(s.PlanInterval) {
		return
	}
	paid := *s.PaidFor
	paid.AddOns = slices.DeleteFunc(slices.Clone(paid.AddOns), func(a subscription.AddOn) bool {
		return !paysAddOn(*s, a)
	})
	if len(paid.AddOns) == 0 {
		paid.AddOns = nil
	}
	s.PaidFor = &paid
}

// regainsPaid adds the add-ons to what stays paid in past due whose present own period an invoice pays for, where none
// of it is owed by another one.
func regainsPaid(s *Situation, inv invoice.Invoice) {
	if s.PaidFor == nil || s.Status != subscription.PastDue || !s.Longer(s.PlanInterval) {
		return
	}
	bills := func(inv invoice.Invoice, a subscription.AddOn) bool {
		return slices.ContainsFunc(inv.Lines, func(l invoice.Line) bool {
			return l.PlanID == a.ID && l.Kind.BillsTime() && l.Period.End.After(s.CurrentPeriod.Start)
		})
	}
	owed := func(a subscription.AddOn) bool {
		others := slices.Concat(s.Facts.Open, s.Facts.Drafts, s.Facts.WrittenOff)
		return slices.ContainsFunc(others, func(other invoice.Invoice) bool {
			return other.ID != inv.ID && other.Status != invoice.Void && bills(other, a)
		})
	}
	paid := *s.PaidFor
	paid.AddOns = slices.Clone(paid.AddOns)
	for _, a := range s.AddOns {
		if !bills(inv, a) || owed(a) {
			continue
		}
		if at := paid.AddOns.Find(a.ID); at >= 0 {
			paid.AddOns[at] = a
		} else {
			paid.AddOns = append(paid.AddOns, a)
		}
	}
	s.PaidFor = &paid
}

// paysAddOn reports whether the present own period of an add-on is paid: here, or in the system that the subscription
// was imported from. A free add-on counts as paid.
func paysAddOn(s Situation, a subscription.AddOn) bool {
	of := s.Facts.AddOn(a.Ref)
	priced := func(p plan.Price) bool { return !p.Free() }
	switch {
	case s.PaidElsewhere(), len(of.Prices) > 0 && !slices.ContainsFunc(of.Prices, priced):
		return true
	case s.Longer(of.Interval) && subscription.BeganElsewhere(s.Subscription, s.OwnPeriod(of.Interval), joinedOf(s, of)):
		return true
	}
	return slices.ContainsFunc(s.Facts.Paid, func(inv invoice.Invoice) bool {
		return slices.ContainsFunc(inv.Lines, func(l invoice.Line) bool {
			return l.PlanID == a.ID && l.Kind.BillsTime() &&
				l.Period.End.After(s.CurrentPeriod.Start)
		})
	})
}

// joinedOf returns the index of the period with which the last item of an add-on joined.
func joinedOf(s Situation, of plan.Plan) (joined int) {
	for _, item := range s.Items {
		if slices.ContainsFunc(of.Prices, func(p plan.Price) bool { return p.ID == item.PriceID }) {
			joined = max(joined, item.Joined)
		}
	}
	return joined
}

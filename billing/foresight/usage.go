package foresight

import (
	"slices"
	"time"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// Usage is the known usage of a subscription when its life is foreseen, so that foreseen invoices bill only the usage
// that is recorded by then. The segments are only known once the life is played, and their usage has to be read: the
// caller plays, reads what is Missing, passes it to Count, and plays again.
type Usage struct {
	Closed []metering.Segment  // all that ended, in the order of time
	Plans  []plan.Plan         // the versions that Closed name, as they are sold to the subscription
	Billed []metered.Charge    // by invoices so far, of segments that may be billed still
	Kept   []invoice.OnInvoice // lines of usage, of invoices that are paid or still to be paid
	// BilledUntil is up to when invoices so far bill usage.
	BilledUntil time.Time

	counted map[int64]known // by start, in microseconds of Unix time
	missing []metered.Span
	from    int
}

type known struct {
	until time.Time
	used  metered.Segment
}

// Missing returns the facts that the last play needed and did not have: all times in which metered prices count, in
// order, and the index of the first whose usage has to be counted; ok is false where nothing was missing.
func (u *Usage) Missing() (all []metered.Span, from int, ok bool) {
	return u.missing, u.from, len(u.missing) > 0
}

// Count adds the usage of the times that were Missing.
func (u *Usage) Count(used []metered.Segment) {
	if u.counted == nil {
		u.counted = make(map[int64]known, len(used))
	}
	for i, one := range used {
		u.counted[one.Start.UnixMicro()] = known{u.missing[u.from+i].End, one}
	}
	u.missing = nil
}

// usagePlay has the usage that a play knows and bills; its zero value bills none.
type usagePlay struct {
	*Usage
	of          subscription.Subscription // as it is by then
	closed      []metering.Segment
	plans       map[plan.Ref]plan.Plan
	billed      []metered.Charge
	kept        map[string]invoice.OnInvoice // by id
	order       []string                     // of kept, in the order of issue
	billedUntil time.Time
	asked       time.Time // the start of the first segment that is not counted; zero: all are
}

func playUsage(u *Usage, s lifecycle.State) usagePlay {
	if u == nil {
		return usagePlay{}
	}
	p := usagePlay{
		Usage: u, closed: slices.Clone(u.Closed), plans: map[plan.Ref]plan.Plan{}, billed: slices.Clone(u.Billed),
		kept: map[string]invoice.OnInvoice{}, billedUntil: u.BilledUntil,
	}
	for _, on := range u.Plans {
		p.plans[on.Ref()] = on
	}
	for _, line := range u.Kept {
		p.kept[line.ID], p.order = line, append(p.order, line.ID)
	}
	p.learn(s)
	return p
}

// follow adds the segments and charges of a decision.
func (p *usagePlay) follow(s lifecycle.State, c lifecycle.Changes) {
	if p.Usage == nil {
		return
	}
	p.learn(s)
	p.closed = append(p.closed, c.Segments...)
	slices.SortStableFunc(p.closed, func(a, b metering.Segment) int { return a.Start.Compare(b.Start) })
	for _, of := range c.Usage {
		p.billed = append(p.billed, of.Charges...)
	}
	for _, inv := range c.Invoices.Of(
		lifecycle.InvoiceFinalized, lifecycle.InvoiceCreated, lifecycle.LinesTakenBack,
		lifecycle.InvoiceChanged, lifecycle.FinalizedAndChanged,
	) {
		if inv.UsageUntil.After(p.billedUntil) {
			p.billedUntil = inv.UsageUntil
		}
		p.keep(inv)
	}
}

// learn notes the plans of a state, and what its invoices keep of usage.
func (p *usagePlay) learn(s lifecycle.State) {
	p.of = s.Subscription
	plans := slices.Concat([]plan.Plan{s.Plan}, s.AddOns, s.Scheduled)
	if s.PendingPlan != nil {
		plans = append(plans, *s.PendingPlan)
	}
	for _, on := range plans {
		p.plans[on.Ref()] = on
	}
	for _, list := range [][]invoice.Invoice{s.Open, s.Paid, s.WrittenOff} {
		for _, inv := range list {
			p.keep(inv)
		}
	}
}

func (p *usagePlay) keep(inv invoice.Invoice) {
	for _, line := range inv.Lines {
		switch {
		case line.Kind != invoice.Metered:
		case inv.Status == invoice.Open, inv.Status == invoice.Paid, inv.Status == invoice.TakenBack:
			// Money that went back without a note counts on the lines that were read, not on those of the state.
			had, known := p.kept[line.ID]
			if !known {
				p.order = append(p.order, line.ID)
			}
			if had.Credited <= line.Credited {
				p.kept[line.ID] = invoice.OnInvoice{
					InvoiceID: inv.ID, Paid: inv.Status != invoice.Open, Line: line,
				}
			}
		default:
			delete(p.kept, line.ID)
		}
	}
}

// rate returns the charges of a draft for the known usage, by the rules of the activity that rates it.
func (p *usagePlay) rate(draft invoice.Invoice, c money.Currency) ([]lifecycle.RatedSegment, error) {
	if p.Usage == nil {
		return nil, nil
	}
	segments := slices.DeleteFunc(slices.Clone(p.closed), func(s metering.Segment) bool {
		return s.End.After(draft.UsageUntil)
	})
	segments = segments[metering.Window(segments, p.billedUntil):]
	counted := make([]metered.Segment, len(segments))
	priced := make([]metering.Priced, len(segments))
	for i, s := range segments {
		known, has := p.counted[s.Start.UnixMicro()]
		if !has || !known.until.Equal(s.End) {
			p.ask(s.Start)
			return nil, nil
		}
		var err error
		if priced[i], err = s.Priced(p.version); err != nil {
			return nil, err
		}
		counted[i] = known.used
	}
	billed := slices.DeleteFunc(slices.Clone(p.billed), func(b metered.Charge) bool {
		return len(segments) == 0 || b.Segment < segments[0].Start.UnixMicro()
	})
	kept := make([]invoice.OnInvoice, 0, len(p.kept))
	for _, id := range p.order {
		if line, is := p.kept[id]; is {
			kept = append(kept, line)
		}
	}
	return lifecycle.RateUsage(priced, counted, billed, kept, c)
}

func (p *usagePlay) version(r plan.Ref) (plan.Plan, bool) {
	found, has := p.plans[r]
	return found, has
}

// ask notes a segment that is not counted.
func (p *usagePlay) ask(start time.Time) {
	if p.asked.IsZero() || start.Before(p.asked) {
		p.asked = start
	}
}

// end sets the facts that the play did not have.
func (p *usagePlay) end() {
	if p.Usage == nil {
		return
	}
	p.Usage.missing = nil
	if p.asked.IsZero() {
		return
	}
	for _, s := range p.closed {
		priced, _ := s.Priced(p.version) // an unknown version has no prices, which rate reports
		p.Usage.missing = append(p.Usage.missing, priced.Span(p.of))
	}
	p.Usage.from = slices.IndexFunc(p.closed, func(s metering.Segment) bool { return !s.Start.Before(p.asked) })
}

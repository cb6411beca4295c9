package lifecycle_test

import (
	"cmp"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/subscription"
)

// usageRows are a store's rows of usage.
type usageRows struct {
	records  []record
	segments []metering.Segment
	charges  []lifecycle.UsageBilled // in the order of the writes
	crossed  map[crossing]bool
}

// writeUsage writes the segments and the charges of a decision, with the constraints of the tables.
func (s *store) writeUsage(c lifecycle.Changes) {
	for _, one := range c.Segments {
		if !one.Start.Before(one.End) || s.priced(one).Prices() == nil || one.Share.Length < 1 {
			s.fail("a segment of nothing: %+v", one)
		}
		for _, other := range s.segments {
			if one.Start.Before(other.End) && other.Start.Before(one.End) {
				s.fail("segments overlap: %+v and %+v", one, other)
			}
		}
		s.segments = append(s.segments, one)
	}
	s.writeCrossings(c.Crossings)
	slices.SortFunc(s.segments, func(a, b metering.Segment) int { return a.Start.Compare(b.Start) })
	for _, billed := range c.Usage {
		inv, back := c.Invoices.Latest(billed.InvoiceID), func(inv invoice.Invoice) bool { return inv.ID == billed.InvoiceID }
		if inv == nil && !slices.ContainsFunc(c.Invoices.Of(lifecycle.LinesTakenBack), back) {
			s.fail("usage of %s, which is not written", billed.InvoiceID)
		}
		for _, charge := range billed.Charges {
			sum := charge.Amount
			for _, other := range s.charges {
				for _, before := range other.Charges {
					if before.Key == charge.Key {
						sum += before.Amount
					}
				}
				if other.InvoiceID == billed.InvoiceID && slices.ContainsFunc(other.Charges, func(o metered.Charge) bool {
					return o.Key == charge.Key
				}) {
					s.fail("%s bills %+v twice", billed.InvoiceID, charge.Key)
				}
			}
			if sum < 0 {
				s.fail("%+v is billed below zero: %d", charge.Key, sum)
			}
		}
		s.charges = append(s.charges, billed)
	}
}

// priced returns a segment with its plans.
func (s *store) priced(of metering.Segment) metering.Priced {
	out := metering.Priced{Segment: of, On: s.plans[of.Plan]}
	for _, a := range of.AddOns {
		out.AddOns = append(out.AddOns, s.plans[a.Ref])
	}
	return out
}

// checkUsage checks the invariants of usage after each decision. Without metered prices there are no segments and no
// drafts of usage. A draft that waits for its usage is issued only by its rating, and disappears only where another
// draft bills it. Usage lines sum to the charges of their invoice, and of those that it replaces.
func (l *life) checkUsage(had []invoice.Invoice, changes lifecycle.Changes) {
	if !l.metered {
		s := l.sub()
		if len(l.store.segments)+len(l.store.charges) > 0 || !s.MeteredSince.IsZero() || !s.LateUsageUntil.IsZero() {
			require.Failf(l.t, "usage of plans without metered prices", "%+v", l.store.segments)
		}
		for _, inv := range l.store.all() {
			if !inv.UsageUntil.IsZero() || inv.Reason == invoice.Usage {
				require.Failf(l.t, "an invoice of usage without metered prices", "%+v", inv)
			}
		}
		return
	}
	written := changes.Invoices.Of(lifecycle.InvoiceFinalized, lifecycle.InvoiceCreated)
	if !l.store.customer.ErasedAt.IsZero() && len(written) > 0 {
		require.Failf(l.t, "an invoice of a customer who is erased", "%+v", written)
	}
	for _, inv := range written {
		if !inv.UsageUntil.IsZero() && inv.ID != l.rating {
			require.Failf(l.t, "issued without its usage", "%+v", inv)
		}
	}
	for _, draft := range had {
		kept := func(inv invoice.Invoice) bool { return inv.AwaitsUsage() && !inv.UsageUntil.Before(draft.UsageUntil) }
		waited := draft.AwaitsUsage() && draft.ID != l.rating && l.store.customer.ErasedAt.IsZero()
		if waited && !slices.ContainsFunc(l.store.drafts, kept) {
			require.Failf(l.t, "nothing bills the usage that a draft waited for", "%+v", draft)
		}
	}
	if len(written) > 0 {
		l.checkUsageLines()
	}
}

func (l *life) checkUsageLines() {
	sums, charged := map[string]money.Minor{}, map[string]money.Minor{}
	for _, c := range l.store.charges {
		for _, charge := range c.Charges {
			charged[c.InvoiceID] += charge.Amount
		}
	}
	var ends func(id string) string
	ends = func(id string) string { // of a chain of replacements
		if inv := l.store.invoice(id); inv != nil && inv.ReplacedBy != "" {
			return ends(inv.ReplacedBy)
		}
		return id
	}
	for id, amount := range charged {
		if end := ends(id); end != id {
			charged[end] += amount
			delete(charged, id)
		}
	}
	for _, back := range l.store.takenBack {
		sums[cmp.Or(back.With, back.ID)] += meteredOf(back.Lines)
		if back.With == "" && sums[back.ID] != charged[back.ID] {
			require.Failf(l.t, "lines of usage are the charges of their invoice", "%d: %+v", charged[back.ID], back)
		}
	}
	for _, inv := range l.store.all() {
		if inv.Status == invoice.TakenBack {
			continue
		}
		for _, line := range inv.Lines {
			if line.Kind == invoice.Metered && inv.ReplacedBy == "" {
				sums[inv.ID] += line.Amount
			}
		}
		if inv.ReplacedBy == "" && sums[inv.ID] != charged[inv.ID] {
			require.Failf(l.t, "lines of usage are the charges of their invoice", "%d, not %d: %+v",
				sums[inv.ID], charged[inv.ID], inv)
		}
	}
}

// corrections returns the amounts that corrections of unpaid usage returned, with taxes: the invoice with the usage
// stays owed in full, and the credit pays for it.
func (l *life) corrections() (sum money.Minor) {
	unpaid := l.noted // or a credit note returned it before
	for _, inv := range l.store.billed() {
		for _, line := range inv.Lines {
			if line.Kind != invoice.Metered || inv.Status == invoice.Void {
				continue
			}
			unpaid = unpaid || inv.Status != invoice.Paid && inv.Status != invoice.TakenBack || inv.CarriedForward > 0 // carried to an unpaid one
			if net := line.Net(); net < 0 {
				tax, _ := taxOn(line).Float64()
				sum += -net + money.Minor(-tax) + 1
			}
		}
	}
	if !unpaid {
		return 0
	}
	return sum
}

// meteredOf returns the sum of usage lines.
func meteredOf(lines []invoice.Line) (sum money.Minor) {
	for _, line := range lines {
		if line.Kind == invoice.Metered {
			sum += line.Amount
		}
	}
	return sum
}

// stretch is a time in which the arrears prices of a plan and its add-ons counted.
type stretch struct {
	from, to time.Time
	sold     []sold
}

// prices returns the prices of all sold plans; nil: none.
func (s stretch) prices() (all *metered.Prices) {
	var before money.Minor
	for _, of := range s.sold {
		all = all.With(of.plan.AfterPeriod(of.units))
		before += listPrice(of.plan, of.units)
	}
	if all != nil && all.Minimum != nil {
		out, least := *all, *all.Minimum
		least.Advance, out.Minimum = before, &least
		return &out
	}
	return all
}

// counts records that the prices of sold plans count from an instant on.
func (a *account) counts(from time.Time, of []sold) {
	if n := len(a.stretches); n > 0 && a.stretches[n-1].to.IsZero() && a.stretches[n-1].from.After(from) {
		from = a.stretches[n-1].from // a change that waited for a payment, after another one
	}
	if n := len(a.stretches); n > 0 && a.stretches[n-1].to.After(from) {
		from = a.stretches[n-1].to // no price counted in between
	}
	a.stops(from)
	if s := (stretch{from: from, sold: of}); s.prices() != nil {
		a.stretches = append(a.stretches, s)
	}
}

// stops records that no metered prices count from an instant on.
func (a *account) stops(at time.Time) {
	if n := len(a.stretches); n > 0 && a.stretches[n-1].to.IsZero() {
		a.stretches[n-1].to = at
	}
}

// byStart compares the segments of a period.
func byStart(a, b metering.Segment) int {
	return cmp.Or(cmp.Compare(a.PeriodIndex, b.PeriodIndex), a.Start.Compare(b.Start))
}

// awaiting returns the draft whose usage must be rated first.
func (l *life) awaiting() (draft invoice.Invoice, ok bool) {
	for _, inv := range l.store.drafts {
		if inv.AwaitsUsage() {
			return inv, true
		}
	}
	return draft, false
}

// next returns the next automatic action, except the rating of usage, which delays nothing.
func (l *life) next() (subscription.Action, time.Time) {
	if _, waits := l.awaiting(); !waits {
		return l.sub().NextAction, l.sub().NextActionAt
	}
	s := l.store.load(false)
	s.Drafts = slices.DeleteFunc(s.Drafts, invoice.Invoice.AwaitsUsage)
	return s.Next()
}

// ratesBefore reports whether the rating of a draft precedes another action, and is due by to.
func (l *life) ratesBefore(action subscription.Action, at, to time.Time) (time.Time, bool) {
	draft, waits := l.awaiting()
	due := draft.FinalizesAt
	if !waits || l.lazy || due.After(to) || action != subscription.ActionNone && at.Before(due) {
		return due, false
	}
	return due, true
}

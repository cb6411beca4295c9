package lifecycle

import (
	"slices"

	"perennial/billing/invoice"
	"perennial/billing/metered"
	"perennial/billing/metering"
)

// UnbilledUsage is the usage of the segments that ended and that an invoice may still bill.
type UnbilledUsage struct {
	Segments []metering.Segment
	// Counted has the usage recorded by now. A segment that is missing here ended after the count.
	Counted []CountedSegment
	Billed  []metered.Charge // of Segments, by any invoice
	Kept    []invoice.Line   // of Segments, on invoices that are paid or still to be paid
}

// CountedSegment is a segment with its prices and its usage.
type CountedSegment struct {
	metering.Priced
	Used metered.Segment
}

// uses returns the coupons that reduce the unbilled usage. A segment whose usage costs nothing, as where nothing was
// used, reduces nothing. If the cost is unknown, all coupons of the segment count: no coupon is given twice.
func (u UnbilledUsage) uses(d *Decision) (all []CouponUse) {
	for _, s := range u.Segments {
		if lines, known := u.lines(d, s); known {
			all = append(all, usesOf(lines)...)
			continue
		}
		for _, id := range s.Reduced() {
			all = append(all, CouponUse{id, s.PeriodIndex})
		}
	}
	return all
}

// lines returns the lines that the next invoice would have for a segment, as far as its usage is recorded. known is
// false if the segment was not counted, or its usage cannot be rated.
func (u UnbilledUsage) lines(d *Decision, of metering.Segment) (lines []invoice.Line, known bool) {
	i := slices.IndexFunc(u.Counted, func(c CountedSegment) bool { return c.Start.Equal(of.Start) && c.End.Equal(of.End) })
	if i < 0 || u.Counted[i].Used.Uncounted() != nil {
		return nil, false
	}
	rated, err := RateUsage(
		[]metering.Priced{u.Counted[i].Priced}, []metered.Segment{u.Counted[i].Used}, u.Billed, u.Kept,
		d.Subscription.Currency)
	if err == nil {
		lines, err = usageLines(d.situation().Period, rated)
	}
	return lines, err == nil
}

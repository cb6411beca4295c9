package lifecycle

import (
	"slices"

	"perennial/billing/costing"
	"perennial/billing/discount"
	"perennial/billing/invoice"
	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/subscription"
)

// giveAgain applies the void of an invoice to its coupons.
func (d *Decision) giveAgain(c VoidInvoice, void invoice.Invoice) error {
	ungiven := c.ungiven(d, void)
	if len(ungiven) == 0 {
		return nil
	}
	return d.carryOut(d.situation().GiveAgain(ungiven, d.Now))
}

// ungiven returns the coupons of a void invoice that no other invoice has in the same period.
func (c VoidInvoice) ungiven(d *Decision, void invoice.Invoice) (all []subscription.Ungiven) {
	given := slices.Clone(c.Given)
	for _, made := range d.Changes.Invoices.Of(InvoiceCreated, DraftCreated, DraftUpdated) {
		given = append(given, usesOf(made.Lines)...) // created after Given was read
	}
	given = append(given, usesOf(d.Subscription.PendingLines)...)
	given = append(given, c.Unbilled.uses(d)...)
	for _, use := range usesOf(void.Lines) {
		if slices.Contains(given, use) {
			continue
		}
		at := slices.IndexFunc(all, func(u subscription.Ungiven) bool { return u.CouponID == use.CouponID })
		if at < 0 {
			at, all = len(all), append(all, subscription.Ungiven{CouponID: use.CouponID, Coupon: c.coupon(use.CouponID)})
			all[at].Never = !slices.ContainsFunc(given, func(g CouponUse) bool { return g.CouponID == use.CouponID })
		}
		all[at].Periods = append(all[at].Periods, use.PeriodIndex)
	}
	return all
}

func (c VoidInvoice) coupon(id string) *discount.Coupon {
	i := slices.IndexFunc(c.Coupons, func(known discount.Coupon) bool { return known.ID == id })
	if i < 0 {
		return nil
	}
	return &c.Coupons[i]
}

// usesOf returns the periods in which lines have coupons, in the order of the lines.
func usesOf(lines []invoice.Line) (uses []CouponUse) {
	sums := map[CouponUse]money.Minor{}
	for _, l := range lines {
		for _, share := range l.Discounts {
			use := CouponUse{share.CouponID, l.PeriodIndex}
			if _, known := sums[use]; !known {
				uses = append(uses, use)
			}
			sums[use] += share.Amount
		}
	}
	return slices.DeleteFunc(uses, func(use CouponUse) bool { return sums[use] <= 0 })
}

// UnbilledUsage is the usage of the segments that ended and that an invoice may still bill.
type UnbilledUsage struct {
	Segments []metering.Segment
	// Counted has the usage recorded by now. A segment that is missing here ended after the count.
	Counted []costing.Accruing
	Billed  []metered.Charge    // of Segments, by any invoice
	Kept    []invoice.OnInvoice // of Segments, on invoices that are paid or still to be paid
}

// uses returns the coupons that reduce the unbilled usage. A segment whose usage costs nothing, as where nothing was
// used, reduces nothing. If the cost is unknown, all coupons of the segment count: no coupon is given twice.
func (u UnbilledUsage) uses(d *Decision) (all []CouponUse) {
	// The decision itself may end a segment, if it passes the end of a period before a worker does.
	for _, s := range slices.Concat(u.Segments, d.Changes.Segments) {
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
	i := slices.IndexFunc(u.Counted, func(c costing.Accruing) bool {
		return c.Start.Equal(of.Start) && c.End.Equal(of.End)
	})
	if i < 0 || u.Counted[i].Counted.Uncounted() != nil {
		return nil, false
	}
	rated, err := RateUsage(
		[]metering.Priced{u.Counted[i].Priced}, []metered.Segment{u.Counted[i].Counted}, u.Billed, u.Kept,
		d.Subscription.Currency)
	if err == nil {
		lines, err = usageLines(d.situation().Period, rated)
	}
	return lines, err == nil
}

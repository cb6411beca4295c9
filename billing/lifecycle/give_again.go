package lifecycle

import (
	"slices"

	"perennial/billing/discount"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/subscription"
)

// giveAgain follows what it means for coupons that an invoice which took them off was voided.
func (d *Decision) giveAgain(c VoidInvoice, void invoice.Invoice) error {
	ungiven := c.ungiven(d, void)
	if len(ungiven) == 0 {
		return nil
	}
	return d.carryOut(d.situation().GiveAgain(ungiven, d.Now))
}

// ungiven returns the coupons of a void invoice that nothing else takes off in the same period.
func (c VoidInvoice) ungiven(d *Decision, void invoice.Invoice) (all []subscription.Ungiven) {
	given := slices.Clone(c.Given)
	for _, made := range d.Changes.Invoices.Of(InvoiceCreated, DraftCreated, DraftUpdated) {
		given = append(given, usesOf(made.Lines)...) // since Given was read
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

// usesOf returns the periods in which lines take coupons off, in the order of the lines.
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

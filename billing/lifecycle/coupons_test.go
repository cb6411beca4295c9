package lifecycle_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"

	"perennial/billing/discount"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// someCoupon draws a coupon that was not redeemed.
func (l *life) someCoupon(draw chance) discount.Coupon {
	c := discount.Coupon{ID: fmt.Sprintf("coup_%d", len(l.redeemed)+1), Code: "WELCOME", Active: true}
	if draw(2, "percent") == 0 {
		c.Percent = dec([]string{"50", "100", "33.3", "0.5"}[draw(4, "percent")])
	} else {
		c.Amount, c.Currency = money.Minor(1+draw(50_000, "amount off")), l.sub().Currency
	}
	switch draw(3, "duration") {
	case 0:
		c.Duration = discount.Once
	case 1:
		c.Duration, c.Periods = discount.Repeating, 1+draw(4, "periods")
	case 2:
		c.Duration = discount.Forever
	}
	if draw(4, "restricted") == 0 {
		c.PlanIDs = []string{l.sub().PlanID, "plan_0"}
	}
	return c
}

// coupon redeems a coupon, or removes one.
func (l *life) coupon(draw chance) {
	if l.behind() {
		return
	}
	var cmd lifecycle.Command
	if had := l.sub().Discounts; len(had) > 0 && draw(3, "remove") == 0 {
		cmd = lifecycle.RemoveCoupon{CouponID: had[draw(len(had), "which coupon")].CouponID}
	} else {
		c := l.someCoupon(draw)
		cmd = lifecycle.RedeemCoupon{Code: c.Code, Coupon: &c}
	}
	invoices := len(l.store.invoices)
	changes, err := l.apply(cmd)
	switch c, redeems := cmd.(lifecycle.RedeemCoupon); {
	case l.sub().Status == subscription.Canceled:
		require.Equal(l.t, subscribing.ErrCanceled, err)
	case errors.Is(err, subscription.ErrTooManyCoupons):
		require.Len(l.t, l.sub().Discounts, subscription.MaxDiscounts)
	case redeems:
		require.NoError(l.t, err)
		require.Equal(l.t, c.Coupon.ID, changes.Redeemed)
		require.Equal(l.t, redeemed{Terms: c.Coupon.Terms, from: l.sub().PeriodIndex + 1, count: 1}, l.redeemed[c.Coupon.ID])
	default:
		require.NoError(l.t, err)
		require.Empty(l.t, changes.Redeemed)
	}
	require.Len(l.t, l.store.invoices, invoices, "a coupon bills nothing")
}

// redeemed is a coupon with the terms of its redemption.
type redeemed struct {
	discount.Terms
	from  int
	moved int // periods in which it was given again
	extra int // the most periods by which another interval made it longer
	count int // of redemptions
}

// followCoupons records the changes of coupons.
func (l *life) followCoupons(changes lifecycle.Changes) {
	for _, d := range l.sub().Discounts {
		was, known := l.redeemed[d.CouponID]
		if !known {
			was = redeemed{Terms: d.Terms, from: d.From}
		}
		was.moved, was.extra = max(was.moved, d.From-was.from), max(was.extra, d.Extra)
		l.redeemed[d.CouponID] = was
	}
	count := func(id string, n int) {
		c := l.redeemed[id]
		if c.count += n; c.count < 0 || c.count > 1 {
			require.Failf(l.t, "a redemption is counted once", "%s: %d", id, c.count)
		}
		l.redeemed[id] = c
	}
	if changes.Redeemed != "" {
		count(changes.Redeemed, 1)
	}
	for _, id := range changes.Unredeemed {
		count(id, -1)
		for _, inv := range l.store.all() {
			if l.redeemed[id].moved > 0 { // usage has the discounts that its segment had before
				inv.Lines = slices.DeleteFunc(slices.Clone(inv.Lines), func(line invoice.Line) bool {
					return line.Kind == invoice.Metered
				})
			}
			if inv.Status != invoice.Void && slices.ContainsFunc(takesOff(inv), func(u lifecycle.CouponUse) bool {
				return u.CouponID == id
			}) {
				require.Failf(l.t, "a coupon that was given counts as used", "%s on %+v", id, inv)
			}
		}
	}
}

// takesOff returns the periods in which an invoice has coupons.
func takesOff(inv invoice.Invoice) (all []lifecycle.CouponUse) {
	sums := map[lifecycle.CouponUse]money.Minor{}
	for _, line := range inv.Lines {
		for _, share := range line.Discounts {
			sums[lifecycle.CouponUse{CouponID: share.CouponID, PeriodIndex: line.PeriodIndex}] += share.Amount
		}
	}
	for use, sum := range sums {
		if sum > 0 {
			all = append(all, use)
		}
	}
	return all
}

// voids returns the command that voids an invoice, with the data that db loads.
func (l *life) voids(inv invoice.Invoice) lifecycle.VoidInvoice {
	c := lifecycle.VoidInvoice{InvoiceID: inv.ID, TakenBack: l.given(inv).TakenBack(inv)}
	for _, other := range l.store.all() {
		if other.ID != inv.ID && other.Status != invoice.Void {
			c.Given = append(c.Given, takesOff(other)...)
		}
	}
	c.Unbilled = l.unbilled()
	for id, known := range l.redeemed {
		c.Coupons = append(c.Coupons, discount.Coupon{ID: id, Code: "WELCOME", Terms: known.Terms})
	}
	return c
}

// takenOff is the key of sums of discounts: a coupon in a period.
type takenOff struct {
	coupon string
	period int
}

// checkDiscounts checks the discounts of invoices by themselves. They sum to the discount of the invoice. No line is
// reduced by more than its amount, nor by a coupon of another period or plan. A fixed discount applies once per period.
// A credit returns the amount after discounts.
func (l *life) checkDiscounts() {
	lines, off := map[string]invoice.Line{}, map[takenOff]money.Minor{}
	for _, inv := range l.store.billed() {
		var sum money.Minor
		for _, line := range inv.Lines {
			sum += line.Discounts.Sum()
			correction := line.Kind == invoice.Metered && line.Amount < 0
			if correction && (line.Net() > 0 || line.Net() < line.Amount) || !correction &&
				line.Kind != invoice.ProrationCredit && (line.Net() < 0 || line.Net() > line.Amount) {
				require.Failf(l.t, "a line is reduced by at most all of it", "%+v", line)
			}
			if inv.Status != invoice.Void {
				lines[line.ID] = line
			}
			for _, share := range line.Discounts {
				l.checkShare(line, share)
				again := line.Kind == invoice.Metered && l.redeemed[share.CouponID].moved > 0 // as in the segment before
				if inv.Status != invoice.Void && !again {
					off[takenOff{share.CouponID, line.PeriodIndex}] += share.Amount
				}
			}
		}
		if inv.Discount != sum || inv.Discounts().Sum() != sum {
			require.Failf(l.t, "the shares of lines sum to the discount", "%+v", inv)
		}
	}
	periods := map[string]int{}
	for of, sum := range off {
		c := l.redeemed[of.coupon]
		if sum < 0 || c.Amount > 0 && sum > c.Amount {
			require.Failf(l.t, "an amount is taken off once per period", "%d of %+v", sum, c)
		}
		if sum > 0 {
			periods[of.coupon]++
		}
		if c.Duration != discount.Forever && periods[of.coupon] > max(c.Periods, 1)+c.extra {
			require.Failf(l.t, "a coupon is given in no more periods than was promised", "%d of %+v", periods[of.coupon], c)
		}
	}
	for _, credit := range lines {
		of, ok := lines[credit.Reverses]
		if ok && credit.Net() != -money.Part(-credit.Amount, 0, int64(of.Net()), int64(of.Amount)) {
			require.Failf(l.t, "a credit gives back what was billed after discounts", "%+v of %+v", credit, of)
		}
	}
}

func (l *life) checkShare(line invoice.Line, share invoice.Share) {
	c, ok := l.redeemed[share.CouponID]
	over := discount.Use{Terms: c.Terms, Periods: line.PeriodIndex - c.from - c.moved - c.extra}
	if !ok || line.PeriodIndex < c.from || over.Ended() || !c.For(line.PlanID) {
		require.Failf(l.t, "a coupon is taken off in its periods, of its plans", "%+v of %+v: %+v", share, line, c)
	}
}

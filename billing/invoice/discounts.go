package invoice

import (
	"slices"

	"perennial/billing/discount"
	"perennial/billing/money"
	"perennial/billing/totals"
)

// Share is the discount of one coupon on a line, in minor units; below zero where a credit gives the discount of the
// credited time back to the seller.
type Share struct {
	CouponID string      `json:"couponId"`
	Code     string      `json:"code"` // as it was when the coupon was redeemed
	Amount   money.Minor `json:"amount"`
}

// Shares are the discounts of one line, or of an invoice: at most one of each coupon, in the order in which they were
// taken off.
type Shares []Share

// Sum returns the discount of all coupons.
func (s Shares) Sum() (sum money.Minor) {
	for _, share := range s {
		sum += share.Amount
	}
	return sum
}

// Of returns the discount of one coupon.
func (s Shares) Of(couponID string) (sum money.Minor) {
	for _, share := range s {
		if share.CouponID == couponID {
			sum += share.Amount
		}
	}
	return sum
}

// Plus returns the shares with one more.
func (s Shares) Plus(one Share) Shares {
	at := slices.IndexFunc(s, func(has Share) bool { return has.CouponID == one.CouponID })
	if at < 0 {
		return append(s, one)
	}
	s[at].Amount += one.Amount
	return s
}

// Discounts returns the discount of each coupon on the invoice: the sum over its lines.
func (i Invoice) Discounts() Shares {
	var sums Shares
	for _, l := range i.Lines {
		for _, share := range l.Discounts {
			sums = sums.Plus(share)
		}
	}
	return slices.DeleteFunc(sums, func(s Share) bool { return s.Amount == 0 })
}

// Net returns the amount of the line after its discounts.
func (l Line) Net() money.Minor { return l.Amount - l.Discounts.Sum() }

// Reduction is a coupon that is taken off lines.
type Reduction struct {
	CouponID string
	Code     string
	discount.Discount
	For func(planID string) bool // the plans whose lines it is taken off
}

// TakeOff returns lines that bill something with their shares of coupons, which are taken off one after another
// (docs/rounding.md). Fault: amount_too_large.
func TakeOff(lines []Line, coupons []Reduction) ([]Line, error) {
	if len(coupons) == 0 || len(lines) == 0 {
		return lines, nil
	}
	in := totals.Draft{Lines: make([]totals.Line, len(lines))}
	for i, l := range lines {
		in.Lines[i].Amount = l.Amount
	}
	for _, c := range coupons {
		in.Discounts = append(in.Discounts, totals.Discount{Discount: c.Discount, Lines: places(lines, c.For)})
	}
	sums, err := totals.Of(in)
	if err != nil {
		return nil, err
	}
	lines = slices.Clone(lines)
	for n, c := range coupons {
		share(lines, in.Discounts[n].Lines, Share{c.CouponID, c.Code, sums.Discounts[n]})
	}
	return lines, nil
}

// places returns the indexes of the lines of some plans; never nil, which would mean all lines.
func places(lines []Line, of func(planID string) bool) []int {
	at := make([]int, 0, len(lines))
	for i, l := range lines {
		if of(l.PlanID) {
			at = append(at, i)
		}
	}
	return at
}

// share divides the discount of a coupon among the lines at some indexes, in proportion to their rests, in whole minor
// units. It rounds the running total, so that the shares sum to the discount and none exceeds the rest of its line.
// Where the shares of earlier coupons were rounded up on these lines, they have less left than their exact rest, and
// the coupon takes off no more than that.
func share(lines []Line, at []int, whole Share) {
	var length, from int64
	for _, i := range at {
		length += int64(lines[i].Net())
	}
	whole.Amount = min(whole.Amount, money.Minor(length))
	for _, i := range at {
		to := from + int64(lines[i].Net())
		part := whole
		if part.Amount = money.Part(whole.Amount, from, to, length); part.Amount != 0 && length > 0 {
			lines[i].Discounts = append(lines[i].Discounts, part)
		}
		from = to
	}
}

// TakeBack returns the line as a credit of worth, an amount before discounts, for unused time that another line bills.
// It gives back the part that was billed after discounts, rounded once: round(worth × net ÷ amount). The discounts of
// that time do not apply any more, so that the credit has them below zero. Its taxes are those of the credited line.
func (l Line) TakeBack(billed Line, worth money.Minor) Line {
	l.Amount, l.Reverses, l.Discounts = -worth, billed.ID, nil
	l.TaxCategory, l.Rates = billed.TaxCategory, billed.Rates
	left, net := billed.Amount, worth
	for _, s := range billed.Discounts {
		left -= s.Amount
		rest := money.Part(worth, 0, int64(left), int64(billed.Amount))
		if rest != net {
			l.Discounts = append(l.Discounts, Share{s.CouponID, s.Code, rest - net})
		}
		net = rest
	}
	return l
}

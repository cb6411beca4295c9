package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/discount"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/subscription"
)

// Two coupons, A and B, apply to the first three periods. An invoice with them is voided: each is extended by the
// periods in which it was not given.
func TestVoidInvoice_GivesEachCouponAgain(t *testing.T) {
	t.Parallel()
	type taken struct { // off one line
		period int
		coupon string
		amount money.Minor
	}
	for name, c := range map[string]struct {
		lines    []taken
		given    []lifecycle.CouponUse // by other invoices
		canceled bool
		want     [2]int // the first period of A and of B after the void
		unused   []string
	}{
		"both in one period": {lines: []taken{{1, "A", 100}, {1, "B", 50}}, want: [2]int{2, 2}},
		"one in two periods": {lines: []taken{{1, "A", 100}, {2, "A", 100}}, want: [2]int{3, 1}},
		"by turns": {
			lines: []taken{{1, "A", 100}, {1, "B", 50}, {2, "A", 100}, {3, "B", 50}, {3, "A", 100}}, want: [2]int{4, 3},
		},
		"two lines of one period": {lines: []taken{{1, "A", 100}, {1, "A", 70}}, want: [2]int{2, 1}},
		"given back on the invoice": {
			lines: []taken{{1, "A", 100}, {1, "A", -100}, {1, "B", 50}, {1, "B", -49}}, want: [2]int{1, 2},
		},
		"given by another invoice": {
			lines: []taken{{1, "A", 100}, {2, "A", 100}}, given: []lifecycle.CouponUse{{CouponID: "A", PeriodIndex: 1}},
			want: [2]int{2, 1},
		},
		"the subscription has ended": {
			lines: []taken{{1, "A", 100}, {2, "A", 100}, {1, "B", 50}}, canceled: true, want: [2]int{1, 1},
			unused: []string{"A", "B"},
		},
		"it has ended, and one was given once": {
			lines: []taken{{1, "A", 100}, {2, "A", 100}, {1, "B", 50}}, canceled: true, want: [2]int{1, 1},
			unused: []string{"B"},
			given:  []lifecycle.CouponUse{{CouponID: "A", PeriodIndex: 1}},
		},
	} {
		l := begun(t, settings)
		l.result(answer.Declined)
		if c.canceled {
			l.cancelNow(false)
		}
		state := l.load(false).state
		state.Subscription.Discounts = nil
		for _, id := range []string{"A", "B"} {
			state.Subscription.Discounts = append(state.Subscription.Discounts, subscription.Discount{
				CouponID: id, Code: id, From: 1, Terms: discount.Terms{
					Discount: discount.Discount{Percent: money.Whole(10)}, Duration: discount.Repeating, Periods: 3,
				},
			})
		}
		line := state.Open[0].Lines[0]
		state.Open[0].Lines = nil
		for _, off := range c.lines {
			line.PeriodIndex, line.Discounts = off.period, invoice.Shares{{CouponID: off.coupon, Amount: off.amount}}
			state.Open[0].Lines = append(state.Open[0].Lines, line)
		}
		after, changes, err := lifecycle.Apply(
			state, lifecycle.VoidInvoice{InvoiceID: state.Open[0].ID, Given: c.given}, l.moment(),
		)
		require.NoError(t, err, name)
		had := after.Subscription.Discounts
		require.Equal(t, [2]string{"A", "B"}, [2]string{had[0].CouponID, had[1].CouponID}, name)
		require.Equal(t, c.want, [2]int{had[0].From, had[1].From}, name)
		require.Equal(t, c.unused, changes.Unredeemed, name)
	}
}

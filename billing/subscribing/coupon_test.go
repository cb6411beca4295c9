package subscribing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/costing"
	"perennial/billing/discount"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/billing/tax"
)

func coupon(id string, terms discount.Terms) discount.Coupon {
	return discount.Coupon{ID: id, Code: id, Terms: terms, Active: true}
}

func off(percent int64, duration discount.Duration, periods int) discount.Terms {
	return discount.Terms{Discount: discount.Discount{Percent: money.Whole(percent)}, Duration: duration, Periods: periods}
}

func amountOff(amount money.Minor, duration discount.Duration) discount.Terms {
	return discount.Terms{Discount: discount.Discount{Amount: amount}, Currency: "EUR", Duration: duration}
}

// firstInvoices opens n periods of a subscription to the plan team, 10.00 EUR a month, and returns their totals.
func firstInvoices(t *testing.T, s subscription.Subscription, n int) (totals []money.Minor) {
	t.Helper()
	f := costing.Facts{Plan: team, ItemID: itemID}
	for range n {
		d, err := With(With(s, f).Itemized(), f).OpenPeriod(s.Boundary())
		require.NoError(t, err)
		s = d.Subscription
		sums, err := d.Issue[0].Sums()
		require.NoError(t, err)
		require.EqualValues(t, 1000, sums.Subtotal)
		totals = append(totals, sums.Total)
	}
	return totals
}

func TestCoupons_HoldForTheirPeriods(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		terms discount.Terms
		want  []money.Minor
	}{
		"once":          {off(20, discount.Once, 0), []money.Minor{800, 1000, 1000, 1000}},
		"repeating":     {off(50, discount.Repeating, 3), []money.Minor{500, 500, 500, 1000}},
		"forever":       {amountOff(250, discount.Forever), []money.Minor{750, 750, 750, 750}},
		"all of it":     {off(100, discount.Once, 0), []money.Minor{0, 1000, 1000, 1000}},
		"more than all": {amountOff(5000, discount.Once), []money.Minor{0, 1000, 1000, 1000}},
		"of its plan": {
			discount.Terms{PlanIDs: []string{"plan_team"}, Discount: discount.Discount{Percent: money.Whole(10)},
				Duration: discount.Forever}, []money.Minor{900, 900, 900, 900},
		},
		"half a minor unit": {
			discount.Terms{Discount: discount.Discount{Percent: money.Units(5, "EUR")}, Duration: discount.Forever},
			[]money.Minor{999, 999, 999, 999},
		},
	} {
		for _, days := range []int{0, 14} { // a trial bills nothing, so the coupon waits for its end
			redeemed := coupon("coup_1", c.terms)
			s, _, err := Create(team, NewInput{
				ID: "sub_1", CustomerID: "cust_1", TrialDays: &days, TimeZone: "UTC", Coupon: &redeemed, Now: created,
			})
			require.NoError(t, err, name)
			require.Equal(t, c.want, firstInvoices(t, s, 4), "%s, trial of %d days", name, days)
		}
	}
}

func TestRedeemCoupon_BeginsWithTheNextPeriod(t *testing.T) {
	t.Parallel()
	s, _, now := inStatus(subscription.Active)
	d, err := With(s, costing.Facts{}).RedeemCoupon(coupon("coup_1", off(20, discount.Once, 0)), now)
	require.NoError(t, err)
	require.Empty(t, d.Issue)
	require.Equal(t, []money.Minor{800, 1000}, firstInvoices(t, d.Subscription, 2))

	_, err = With(d.Subscription, costing.Facts{}).RedeemCoupon(coupon("coup_1", off(20, discount.Once, 0)), now)
	require.ErrorIs(t, err, subscription.ErrCouponRedeemed)
	two, err := With(d.Subscription, costing.Facts{}).RedeemCoupon(coupon("coup_2", amountOff(300, discount.Forever)), now)
	require.NoError(t, err)
	require.Equal(t, []money.Minor{500, 700, 700}, firstInvoices(t, two.Subscription, 3), "one after another")

	none, err := With(two.Subscription, costing.Facts{}).RemoveCoupon("coup_1", now)
	require.NoError(t, err)
	require.Equal(t, []money.Minor{700, 700}, firstInvoices(t, none.Subscription, 2))
	_, err = With(none.Subscription, costing.Facts{}).RemoveCoupon("coup_1", now)
	require.ErrorIs(t, err, ErrCouponNotRedeemed)

	for i := range subscription.MaxDiscounts - 1 {
		made, err := With(none.Subscription, costing.Facts{}).RedeemCoupon(
			coupon(string(rune('a'+i)), off(1, discount.Once, 0)), now)
		require.NoError(t, err)
		none.Subscription = made.Subscription
	}
	_, err = With(none.Subscription, costing.Facts{}).RedeemCoupon(coupon("coup_9", off(1, discount.Once, 0)), now)
	require.ErrorIs(t, err, subscription.ErrTooManyCoupons)
}

// An ended coupon is removed when the next period opens, and can be redeemed again.
func TestRedeemCoupon_AgainWhenItHasEnded(t *testing.T) {
	t.Parallel()
	s, f, now := inStatus(subscription.Active)
	once := coupon("coup_1", off(20, discount.Once, 0))
	d, err := With(s, costing.Facts{}).RedeemCoupon(once, now)
	require.NoError(t, err)
	for range 2 {
		require.Len(t, d.Subscription.Discounts, 1)
		d, err = With(d.Subscription, f).OpenPeriod(d.Subscription.Boundary())
		require.NoError(t, err)
	}
	require.Nil(t, d.Subscription.Discounts)
	_, err = With(d.Subscription, costing.Facts{}).RedeemCoupon(once, now)
	require.NoError(t, err)
}

// halfway moves a subscription, whose first period is paid with a coupon, to another plan in the middle of the period.
func halfway(t *testing.T, terms discount.Terms, from, to plan.Plan) invoice.Draft {
	t.Helper()
	c, days := coupon("coup_1", terms), 0
	start := time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
	s, _, err := Create(from, NewInput{
		ID: "sub_1", CustomerID: "cust_1", TrialDays: &days, TimeZone: "UTC", Coupon: &c, Now: start,
	})
	require.NoError(t, err)
	f := costing.Facts{Plan: from, ItemID: itemID}
	d, err := With(With(s, f).Itemized(), f).OpenPeriod(start)
	require.NoError(t, err)
	lines := d.Issue[0].Lines
	lines[0].ID = "il_1"
	sums, err := d.Issue[0].Sums()
	require.NoError(t, err)
	f.Paid = []invoice.Invoice{{
		ID: "in_1", Number: 1, Status: invoice.Paid, Period: d.Subscription.CurrentPeriod, PeriodIndex: 1, Lines: lines,
		Discount: sums.Discount, Total: sums.Total, AmountPaid: sums.Total,
	}}
	changed, err := With(d.Subscription, f).ChangePlan(Change{Plan: &to}, start.AddDate(0, 0, 15))
	require.NoError(t, err)
	require.Len(t, changed.Issue, 1)
	return changed.Issue[0]
}

// Credits are of the amount after discounts, and a fixed discount applies once per period.
func TestChangePlan_WithCoupons(t *testing.T) {
	t.Parallel()
	half := func(p plan.Plan, amount money.Minor) plan.Plan {
		p.Prices = prices(amount)
		return p
	}
	for name, c := range map[string]struct {
		terms    discount.Terms
		from, to money.Minor
		credit   money.Minor // after discounts
		charge   money.Minor
	}{
		"a percentage, to a dearer plan":  {off(50, discount.Once, 0), 1000, 3000, -250, 750},
		"a percentage of an odd amount":   {off(50, discount.Forever, 0), 333, 3000, -83, 750},
		"all of it, to a dearer plan":     {off(100, discount.Once, 0), 1000, 3000, 0, 0},
		"an amount: half of it is used":   {amountOff(400, discount.Once), 1000, 3000, -300, 1300},
		"an amount above the first price": {amountOff(1500, discount.Once), 1000, 3000, 0, 500},
		"an amount, to a cheaper plan":    {amountOff(400, discount.Once), 3000, 200, -1300, 0},
	} {
		draft := halfway(t, c.terms, half(team, c.from), half(pro, c.to))
		require.Len(t, draft.Lines, 2, name)
		require.Equal(t, []money.Minor{c.credit, c.charge}, []money.Minor{draft.Lines[0].Net(), draft.Lines[1].Net()}, name)
		sums, err := draft.Sums()
		require.NoError(t, err, name)
		require.Equal(t, c.credit+c.charge, sums.Total, name)
		require.Equal(t, sums.Subtotal-sums.Discount, sums.Total, name)
	}
}

// Taxes apply to the amount after discounts.
func TestDrafts_TaxesFollowDiscounts(t *testing.T) {
	t.Parallel()
	lines := []invoice.Line{{Amount: 1000, Rates: []tax.Rate{{ID: "txr_1", Percent: money.Whole(20)}}}}
	s := subscription.Subscription{
		PeriodIndex: 1, Discounts: subscription.Discounts{{CouponID: "coup_1", Terms: off(25, discount.Forever, 0), From: 1}},
	}
	lines, err := With(s, costing.Facts{}).Discounted(nil, lines)
	require.NoError(t, err)
	sums, err := invoice.Draft{Lines: lines}.Sums()
	require.NoError(t, err)
	require.Equal(t, [4]money.Minor{1000, 250, 150, 900},
		[4]money.Minor{sums.Subtotal, sums.Discount, sums.Tax, sums.Total})
}

// The redemption of an imported coupon is in no count, so that nothing takes it off one, however the coupon is lost.
func TestUnused_CountedOnly(t *testing.T) {
	t.Parallel()
	active, _, now := inStatus(subscription.Active)
	terms := off(20, discount.Once, 0)
	active.Discounts = subscription.Discounts{
		{CouponID: "here", Terms: terms, From: active.PeriodIndex + 1},
		{CouponID: "there", Terms: terms, From: active.PeriodIndex + 1, Uncounted: true},
	}
	for _, status := range []subscription.Status{subscription.Active, subscription.Incomplete} {
		s := active
		s.Status = status
		ended, err := With(s, costing.Facts{}).Cancel(Cancellation{Immediate: true}, now)
		require.NoError(t, err)
		require.Equal(t, []string{"here"}, ended.Unused, status)
	}
	voided := func(s subscription.Subscription) Decision {
		known := coupon("there", terms)
		return With(s, costing.Facts{}).GiveAgain([]subscription.Ungiven{
			{CouponID: "there", Periods: []int{s.PeriodIndex}, Never: true, Coupon: &known},
		}, now)
	}
	canceled, lost, native := active, active, active
	canceled.Status = subscription.Canceled
	require.Empty(t, voided(canceled).Unused, "after its end")

	again := voided(active).Subscription
	require.True(t, again.Discounts[again.Discounts.Find("there")].Uncounted, "extended")
	lost.Discounts, lost.PaidElsewhereIndex = nil, 1
	again = voided(lost).Subscription
	require.True(t, again.Discounts[0].Uncounted, "given once more after it was lost")
	lost.Status = subscription.Canceled
	require.Empty(t, voided(lost).Unused, "not known: the count rather stays too high")
	native.Discounts = nil
	require.False(t, voided(native).Subscription.Discounts[0].Uncounted)
	native.Status = subscription.Canceled
	require.Equal(t, []string{"there"}, voided(native).Unused)

	for id, want := range map[string][]string{"here": {"here"}, "there": nil} {
		removed, err := With(active, costing.Facts{}).RemoveCoupon(id, now)
		require.NoError(t, err)
		require.Equal(t, want, removed.Unused)
	}
}

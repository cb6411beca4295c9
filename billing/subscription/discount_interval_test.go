package subscription

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/discount"
	"perennial/billing/period"
)

var (
	monthly = period.Interval{Unit: period.Month, Count: 1}
	yearly  = period.Interval{Unit: period.Year, Count: 1}
	weekly  = period.Interval{Unit: period.Week, Count: 1}
	january = time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)
)

// inPeriod returns a subscription in its period of an index, on the schedule of an interval, with a coupon of periods.
func inPeriod(index int, every period.Interval, d Discount) Subscription {
	s := Subscription{AnchorAt: january, Interval: every, PeriodIndex: index, NextPeriod: index, Discounts: Discounts{d}}
	s.CurrentPeriod = s.Schedule().Period(index - 1)
	return s
}

func repeating(periods, from int) Discount {
	return Discount{From: from, Terms: discount.Terms{Duration: discount.Repeating, Periods: periods}}
}

func TestRecountDiscounts(t *testing.T) {
	t.Parallel()
	once, forever := Discount{From: 2}, Discount{From: 2}
	once.Duration, forever.Duration = discount.Once, discount.Forever
	extra := repeating(3, 1)
	extra.Extra = 2
	for name, c := range map[string]struct {
		d        Discount
		was, is  period.Interval
		want     int // periods left from the next one on
		unchange bool
	}{
		"years become months":               {repeating(3, 1), yearly, monthly, 24, false},
		"months become a year":              {repeating(13, 1), monthly, yearly, 1, false},
		"one month more is another year":    {repeating(14, 1), monthly, yearly, 2, false},
		"months become weeks":               {repeating(2, 1), monthly, weekly, 4, false}, // of February
		"with periods beyond the terms":     {extra, monthly, yearly, 1, false},
		"that begins with the next period":  {repeating(2, 2), yearly, monthly, 24, false},
		"nothing is left":                   {repeating(1, 1), yearly, monthly, 0, true},
		"once":                              {once, yearly, monthly, 1, true},
		"for ever":                          {forever, yearly, monthly, 0, true},
		"the same length in other words":    {repeating(3, 1), yearly, period.Interval{Unit: period.Month, Count: 12}, 2, true},
		"one that begins in a later period": {repeating(2, 3), yearly, monthly, 24, false},
	} {
		s := inPeriod(1, c.was, c.d)
		was, at := s.Schedule(), s.Boundary()
		was.Anchor, s.AnchorAt, s.Interval = at, at, c.is
		had := s.Discounts
		s.RecountDiscounts(was, 2, at)
		left, _ := s.Discounts[0].Left(2)
		require.Equal(t, c.want, left, name)
		require.Equal(t, c.unchange, s.Discounts[0].Extra == c.d.Extra, name)
		require.Equal(t, c.d, had[0], "%s: the caller's list is not changed", name)
	}
	s := inPeriod(1, yearly, repeating(3, 1))
	s.PeriodIndex = 0
	was := s.Schedule()
	s.Interval = monthly
	s.RecountDiscounts(was, 1, january)
	require.Zero(t, s.Discounts[0].Extra, "before the first period")
}

// In the middle of a year the months that are over are not counted again, and a coupon of the next year has all of its
// months.
func TestRealign_Coupons(t *testing.T) {
	t.Parallel()
	s := inPeriod(1, yearly, repeating(2, 1))
	s.Realign(monthly, yearly, january.AddDate(0, 5, 20))
	left, _ := s.Discounts[0].Left(1)
	require.Equal(t, 24-5, left)
	s = inPeriod(1, yearly, repeating(2, 2))
	s.Realign(monthly, yearly, january.AddDate(0, 5, 20))
	left, _ = s.Discounts[0].Left(1)
	require.Equal(t, 24, left)
}

// Whatever the intervals, the last period with the coupon is the last that begins in its time.
func TestRecountDiscounts_EndsWithItsTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		interval := func(name string) period.Interval {
			unit := rapid.SampledFrom([]period.Unit{period.Day, period.Week, period.Month, period.Year}).Draw(t, name)
			return period.Interval{Unit: unit, Count: rapid.IntRange(1, 3).Draw(t, "count")}
		}
		was, is := interval("was"), interval("is")
		index := rapid.IntRange(1, 20).Draw(t, "index")
		s := inPeriod(index, was, repeating(rapid.IntRange(1, 24).Draw(t, "periods"), rapid.IntRange(1, index+1).Draw(t, "from")))
		at := s.Boundary()
		left, _ := s.Discounts[0].Left(index + 1)
		before := s.Schedule()
		before.Anchor, s.AnchorAt, s.Interval = at, at, is // counted anew from the change
		end := before.Boundary(left)

		s.RecountDiscounts(before, index+1, at)

		n, _ := s.Discounts[0].Left(index + 1)
		if left == 0 {
			require.Zero(t, n)
			return
		}
		require.True(t, s.Schedule().Boundary(n-1).Before(end), "the last one begins in its time")
		require.False(t, s.Schedule().Boundary(n).Before(end), "the next one does not")
	})
}

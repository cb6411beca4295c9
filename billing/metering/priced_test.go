package metering_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/billing/usage"
)

// addOn returns an add-on with metered prices.
func addOn(id, each string) plan.Plan {
	p := priced(id, each)
	p.AddOn = true
	return p
}

// sold returns add-ons of a subscription, two units of each.
func sold(all ...plan.Plan) (addOns subscription.AddOns) {
	for _, p := range all {
		addOns = append(addOns, subscription.AddOn{Ref: p.Ref(), Quantity: 2})
	}
	return addOns
}

func TestPrice(t *testing.T) {
	t.Parallel()
	storage, support := addOn("storage", "0.03"), addOn("support", "")
	of := metering.Segment{Plan: calls.Ref(), AddOns: sold(storage, support)}
	versions := []plan.Plan{support, calls, storage}
	for i := range versions {
		versions[i].Currency = "EUR"
	}

	got, err := metering.Price([]metering.Segment{of}, versions, "EUR")

	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Equal(t, "calls", got[0].On.ID)
	require.Equal(t, []string{"storage", "support"}, []string{got[0].AddOns[0].ID, got[0].AddOns[1].ID})
	for name, c := range map[string]struct {
		versions []plan.Plan
		in       money.Currency
		want     string
	}{
		"the plan is missing":     {versions[:1], "EUR", "plan_missing"},
		"an add-on is missing":    {versions[:2], "EUR", "plan_missing"},
		"not sold in a currency":  {versions, "USD", "currency_not_offered"},
		"there are no versions":   {nil, "EUR", "plan_missing"},
		"no version, no currency": {nil, "USD", "plan_missing"},
	} {
		_, err := metering.Price([]metering.Segment{of}, c.versions, c.in)
		require.Error(t, err, name)
		require.Equal(t, c.want, fault.From(err).Code, name)
	}
}

// A price belongs to its add-on, also the first one, or else to the plan.
func TestPriced_Holder(t *testing.T) {
	t.Parallel()
	p := metering.Priced{On: calls, AddOns: []plan.Plan{addOn("storage", "0.03"), addOn("mail", "0.04")}}
	for priceID, want := range map[string]string{
		"calls_calls": "calls", "storage_calls": "storage", "mail_calls": "mail", "price_of_none": "calls",
	} {
		require.Equal(t, want, p.Holder(priceID).ID, priceID)
	}
}

// The prices of a segment are those of the plan and of the known add-ons, and the minimum of the plan includes the
// costs of both in advance: 5.00 of the plan and 3.00 of an add-on.
func TestPriced_Prices(t *testing.T) {
	t.Parallel()
	on := calls
	on.Prices = []plan.Price{plan.Flat("calls_flat", "", 500)}
	own := *calls.Metered
	own.Minimum = &metered.Minimum{ID: "least", Amount: 2000}
	on.Metered = &own
	storage, mail, support := addOn("storage", "0.03"), addOn("mail", "0.04"), addOn("support", "")
	support.Prices = []plan.Price{plan.Flat("support_flat", "", 300)}
	p := metering.Priced{
		Segment: metering.Segment{
			Plan: on.Ref(), Quantity: 1, AddOns: append(sold(addOn("unknown", "9")), sold(support, mail, storage)...),
		},
		On: on, AddOns: []plan.Plan{storage, support, mail},
	}

	got := p.Prices()

	var ids []string
	for _, c := range got.Components {
		ids = append(ids, c.ID)
	}
	require.Equal(t, []string{"calls_calls", "mail_calls", "storage_calls"}, ids)
	require.Equal(t, &metered.Minimum{ID: "least", Amount: 2000, Advance: 800}, got.Minimum)
	require.Zero(t, own.Minimum.Advance, "the minimum of the plan itself stays")
	p.On = without
	require.Nil(t, p.Prices().Minimum, "the plan has none")
	p.AddOns = nil
	require.Nil(t, p.Prices())
}

// Usage is reduced only by percentages in force in the period, of a coupon for the plan or for one of its add-ons.
func TestSegment_Reduced(t *testing.T) {
	t.Parallel()
	s := metering.Segment{Plan: calls.Ref(), AddOns: sold(addOn("storage", "0.03")), PeriodIndex: 2}
	for name, c := range map[string]struct {
		amount  money.Minor
		from    int
		planIDs []string
		want    []string
	}{
		"of any plan":               {want: []string{"coup"}},
		"of the plan":               {planIDs: []string{"other", "calls"}, want: []string{"coup"}},
		"of the add-on":             {planIDs: []string{"storage"}, want: []string{"coup"}},
		"of another plan":           {planIDs: []string{"other"}},
		"from the period on":        {from: 2, want: []string{"coup"}},
		"from the next period on":   {from: 3},
		"an amount":                 {amount: 100},
		"an amount, for the add-on": {amount: 100, planIDs: []string{"storage"}},
		"later, for another plan":   {from: 3, planIDs: []string{"other"}},
		"an amount, for another":    {amount: 100, planIDs: []string{"other"}},
	} {
		d := subscription.Discount{CouponID: "coup", From: c.from}
		d.Duration, d.PlanIDs = discount.Forever, c.planIDs
		if d.Amount = c.amount; c.amount == 0 {
			d.Percent = money.Whole(10)
		}
		s.Discounts = subscription.Discounts{d}
		require.Equal(t, c.want, s.Reduced(), name)
	}
}

// A segment is past the window if the former invoice included its late records, also exactly at the limit.
func TestWindow(t *testing.T) {
	t.Parallel()
	all := []metering.Segment{{End: on(1, 10)}, {End: on(1, 20)}, {End: on(2, 1)}}
	for _, c := range []struct {
		billed time.Time
		want   int
	}{
		{time.Time{}, 0},
		{on(1, 10).Add(usage.MaxAge - 1), 0},
		{on(1, 10).Add(usage.MaxAge), 1},
		{on(1, 20).Add(usage.MaxAge), 2},
		{on(2, 1).Add(usage.MaxAge), 3},
	} {
		require.Equal(t, c.want, metering.Window(all, c.billed), "billed until %s", c.billed)
	}
}

func TestCounts(t *testing.T) {
	t.Parallel()
	storage := addOn("storage", "0.03")
	for name, c := range map[string]struct {
		status subscription.Status
		index  int
		on     plan.Plan
		addOns []plan.Plan
		want   bool
	}{
		"active":                  {subscription.Active, 1, calls, nil, true},
		"past due":                {subscription.PastDue, 1, calls, nil, true},
		"before it is paid":       {subscription.Incomplete, 1, calls, nil, true},
		"before its first period": {subscription.Active, 0, calls, nil, false},
		"in a trial":              {subscription.Trialing, 1, calls, nil, false},
		"paused":                  {subscription.Paused, 1, calls, nil, false},
		"without metered prices":  {subscription.Active, 1, without, nil, false},
		"with those of an add-on": {subscription.Active, 1, without, []plan.Plan{storage}, true},
	} {
		s := subscription.Subscription{Status: c.status, PeriodIndex: c.index, Quantity: 1, AddOns: sold(c.addOns...)}
		require.Equal(t, c.want, metering.Counts(s, c.on, c.addOns), name)
	}
}

// Late records have their own invoice only while a subscription is paused and may have any.
func TestBillLate(t *testing.T) {
	t.Parallel()
	paused := february(calls)
	paused.Status, paused.PausedAt, paused.LateUsageUntil = subscription.Paused, on(2, 15), on(3, 15)
	draft, at, ok := metering.BillLate(paused)
	require.True(t, ok)
	require.Equal(t, on(3, 15).Add(5*time.Minute), at)
	require.Equal(t, on(3, 15), draft.UsageUntil)
	require.Equal(t, [2]time.Time{on(2, 1), on(2, 15)}, [2]time.Time{draft.Period.Start, draft.Period.End})

	atStart := paused
	atStart.PausedAt = on(2, 1)
	draft, _, ok = metering.BillLate(atStart)
	require.True(t, ok)
	require.Equal(t, on(2, 1).Add(time.Second), draft.Period.End, "a period is never empty")

	active, none := paused, paused
	active.Status, none.LateUsageUntil = subscription.Active, time.Time{}
	for _, s := range []subscription.Subscription{active, none, february(calls)} {
		_, _, ok = metering.BillLate(s)
		require.False(t, ok)
	}
}

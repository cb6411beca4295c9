package metered_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/proration"
	"perennial/billing/rating"
	"perennial/billing/usage"
)

const eur = money.Currency("EUR")

var start = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func dec(s string) money.Decimal {
	d, err := money.ParseDecimal(s)
	if err != nil {
		panic(err)
	}
	return d
}

var (
	perUnit   = rating.Price{Model: rating.PerUnit, UnitPrice: dec("0.02")}
	graduated = rating.Price{Model: rating.Graduated, Tiers: []rating.Tier{
		{UpTo: money.Whole(10), UnitPrice: money.Whole(1)}, {UnitPrice: dec("0.333")},
	}}
	volume = rating.Price{Model: rating.Volume, Tiers: []rating.Tier{
		{UpTo: money.Whole(5), UnitPrice: money.Whole(2)}, {UnitPrice: dec("0.115")},
	}}
	regions = usage.Metric{ID: "met_1", Version: 1, Name: "calls", Definition: usage.Definition{
		Aggregation: usage.Sum, GroupBy: []string{"region", "tier"},
	}}
)

// record returns a record that the metric has measured.
func record(m usage.Metric, id int, quantity int64, at time.Time, p usage.Properties) usage.Measured {
	one, _ := m.Measure(usage.Record{ID: strconv.Itoa(id), Quantity: money.Whole(quantity), At: at, Properties: p})
	return one
}

// whole returns a segment of a whole period, with a component that has counted n units.
func whole(c metered.Component, n int64) metered.Segment {
	return metered.Segment{Start: start, Usage: []metered.Used{{
		Component: c, Quantities: usage.Totals{{Group: "0 ", Value: money.Whole(n)}},
	}}}
}

func component(p rating.Price) metered.Component {
	return metered.Component{ID: "price_1", Rates: []metered.Rate{{Price: p}}}
}

func total(t require.TestingT, charges []metered.Charge, err error) money.Minor {
	require.NoError(t, err)
	sum, err := metered.Total(charges)
	require.NoError(t, err)
	return sum
}

func TestOwed_PriceOfPart(t *testing.T) {
	t.Parallel()
	half := metered.Share{Span: proration.Span{From: 0, To: 15, Length: 30}}
	included, least, most := perUnit, perUnit, perUnit
	included.Included, least.Minimum, most.Maximum = money.Whole(100), 501, 500
	for _, c := range []struct {
		name     string
		price    rating.Price
		share    metered.Share
		quantity int64
		want     money.Minor
	}{
		{"units", perUnit, metered.Share{}, 150, 300},
		{"units of a part cost the same", perUnit, half, 150, 300},
		{"included units", included, metered.Share{}, 150, 100},
		{"half of them in half of the period", included, half, 150, 200},
		{"a minimum without usage", least, metered.Share{}, 0, 501},
		{"its share", least, half, 0, 251},
		{"a maximum", most, metered.Share{}, 1000, 500},
		{"its share", most, half, 1000, 250},
		{"tiers as they are", graduated, half, 20, 1333},
		{"corrected below nothing", perUnit, metered.Share{}, -5, 0},
	} {
		segment := whole(component(c.price), c.quantity)
		segment.Share = c.share
		owed, err := metered.Owed([]metered.Segment{segment}, eur)
		require.Equal(t, c.want, total(t, owed, err), c.name)
	}
}

func TestOwed_Commitment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		units  int64
		factor string
		want   money.Minor
	}{
		{0, "", 1000}, {400, "", 1000}, {500, "1.5", 1000}, {600, "", 1200}, {600, "1.5", 1300}, {600, "0.5", 1100},
	} {
		segment := whole(component(perUnit), c.units)
		segment.Commitment = &metered.Commitment{ID: "price_2", Amount: 1000}
		if c.factor != "" {
			segment.Commitment.OverageFactor = dec(c.factor)
		}
		owed, err := metered.Owed([]metered.Segment{segment}, eur)
		require.Equal(t, c.want, total(t, owed, err), "%d units", c.units)
	}
}

// A commitment that usage just meets has a charge of 0: if an earlier invoice billed more of it, the difference returns
// the amount, and the commitment stays on the invoices.
func TestOwed_CommitmentThatIsJustMet(t *testing.T) {
	t.Parallel()
	key := metered.Key{PriceID: "price_2", Segment: start.UnixMicro()}
	for units, want := range map[int64][]money.Minor{499: {2}, 500: {0}, 501: nil} {
		segment := whole(component(perUnit), units)
		segment.Commitment = &metered.Commitment{ID: "price_2", Amount: 1000}
		owed, err := metered.Owed([]metered.Segment{segment}, eur)
		require.NoError(t, err)
		var got []money.Minor
		for _, charge := range owed {
			if charge.Key == key {
				require.Equal(t, "1", charge.Quantity.String())
				got = append(got, charge.Amount)
			}
		}
		require.Equal(t, want, got, "%d units", units)
	}
}

// Reversing the last free units, or an amount without units, has a charge too.
func TestDue_NothingIsLeft(t *testing.T) {
	t.Parallel()
	billed := []metered.Charge{
		{Key: metered.Key{PriceID: "price_1"}, Quantity: money.Whole(5)},
		{Key: metered.Key{PriceID: "price_2"}, Quantity: money.Whole(0), Amount: 700},
		{Key: metered.Key{PriceID: "price_3"}, Quantity: money.Whole(3), Amount: 300},
		{Key: metered.Key{PriceID: "price_3"}, Quantity: money.Whole(-3), Amount: -300},
	}
	var due [][3]any
	for _, charge := range metered.Due(nil, billed) {
		due = append(due, [3]any{charge.PriceID, charge.Quantity.String(), charge.Amount})
	}
	require.Equal(t, [][3]any{{"price_1", "-5", money.Minor(0)}, {"price_2", "0", money.Minor(-700)}}, due)
}

// A group may have fewer values than the metric has dimensions now: the others are missing.
func TestLots_OfAGroupWithFewerValues(t *testing.T) {
	t.Parallel()
	c := metered.Component{MetricName: "calls", Rates: []metered.Rate{
		{Where: map[string]string{"tier": "free"}, Price: perUnit}, {By: []string{"region", "tier"}, Price: perUnit},
	}}
	for group, want := range map[usage.Group]usage.Group{
		`["eu","free"]`: "0 ", `["eu","gold"]`: `1 ["eu","gold"]`, `["eu"]`: `1 ["eu",null]`, "": "1 [null,null]",
	} {
		lot, err := c.Lots(regions).Of(group)
		require.NoError(t, err)
		require.Equal(t, want, lot)
	}
}

// The first matching rate counts; states are merged, so that a user of two regions with the same price counts once.
func TestLots_ByDimensions(t *testing.T) {
	t.Parallel()
	users := usage.Metric{ID: "met_2", Name: "users", Definition: usage.Definition{
		Aggregation: usage.UniqueCount, KeyProperty: "user", GroupBy: []string{"region", "tier"},
	}}
	c := metered.Component{ID: "price_1", Rates: []metered.Rate{
		{Where: map[string]string{"region": "eu", "tier": "gold"}, Price: perUnit},
		{Where: map[string]string{"tier": "gold"}, By: []string{"region"}, Price: perUnit},
		{Where: map[string]string{"tier": "free"}, Price: perUnit},
	}}
	require.NoError(t, c.Validate(users))
	var records []usage.Measured
	for i, p := range []usage.Properties{
		{"user": "ada", "region": "eu", "tier": "gold"}, {"user": "ada", "region": "us", "tier": "gold"},
		{"user": "bob", "tier": "gold"}, {"user": "eve", "region": "eu", "tier": "free"},
		{"user": "eve", "region": "us", "tier": "free"}, {"user": "joe", "region": "us", "tier": "trial"}, {"user": "kim"},
	} {
		records = append(records, record(users, i, 1, start, p))
	}
	all, err := users.SeriesBy([]usage.Span{{Start: start, End: start.Add(time.Hour)}}, c.Lots(users).Of, nil, records)
	require.NoError(t, err)
	got := all[0]
	said := map[usage.Group]string{}
	for _, q := range got {
		said[q.Group] = q.Value.String()
	}
	require.Equal(t, map[usage.Group]string{"0 ": "1", `1 ["us"]`: "1", `1 [null]`: "1", "2 ": "1", "-1 ": "2"}, said)
	none, records2 := metered.Unrated(got)
	require.Equal(t, []any{"2", int64(2)}, []any{none.String(), records2})
}

func anyPrice(t *rapid.T) rating.Price {
	p := rapid.SampledFrom([]rating.Price{
		perUnit, graduated, volume,
		{Model: rating.Package, PackageSize: money.Whole(7), PackagePrice: dec("0.999")},
		{Model: rating.Percentage, Percent: dec("1.25")},
	}).Draw(t, "price")
	if p.Model != rating.Percentage && rapid.Bool().Draw(t, "some are free") {
		p.Included = money.Whole(rapid.Int64Range(1, 9).Draw(t, "included"))
	}
	return p
}

// With any late records, corrections, thresholds and repetitions, the invoices together equal the owed amount, key by
// key, and a repetition bills nothing.
func TestDue_InvoicesSumToWhatIsOwed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := metered.Component{ID: "price_1", Rates: []metered.Rate{
			{Where: map[string]string{"tier": "gold"}, Price: anyPrice(t)}, {By: []string{"region"}, Price: anyPrice(t)},
		}}
		c.Rates[0].Price.Minimum = money.Minor(rapid.Int64Range(0, 500).Draw(t, "minimum"))
		commitment := &metered.Commitment{ID: "price_2", Amount: money.Minor(rapid.Int64Range(0, 2000).Draw(t, "commitment"))}
		cut := rapid.Int64Range(1, 29).Draw(t, "change of plan")
		at := func(day int64) time.Time { return start.AddDate(0, 0, int(day)) }
		periods := []usage.Span{{Start: start, End: at(cut)}, {Start: at(cut), End: at(30)}}
		var records []usage.Measured
		owed := func() []metered.Charge {
			var segments []metered.Segment
			all, err := regions.SeriesBy(periods, c.Lots(regions).Of, nil, records)
			require.NoError(t, err)
			for i, totals := range all {
				span := proration.Span{From: int64(i) * cut, To: []int64{cut, 30}[i], Length: 30}
				segments = append(segments, metered.Segment{
					Start: periods[i].Start, Share: metered.Share{Span: span}, Commitment: commitment,
					Usage: []metered.Used{{Component: c, Quantities: totals}},
				})
			}
			charges, err := metered.Owed(segments, eur)
			require.NoError(t, err)
			return charges
		}
		var billed []metered.Charge
		for range rapid.IntRange(1, 6).Draw(t, "invoices") {
			for range rapid.IntRange(0, 5).Draw(t, "records") {
				p := usage.Properties{"region": rapid.SampledFrom([]string{"eu", "us"}).Draw(t, "region")}
				if rapid.Bool().Draw(t, "gold") {
					p["tier"] = "gold"
				}
				when := at(rapid.Int64Range(0, 29).Draw(t, "day"))
				one := record(regions, len(records), rapid.Int64Range(0, 20).Draw(t, "quantity"), when, p)
				if len(records) > 0 && rapid.IntRange(0, 3).Draw(t, "corrects") == 0 {
					original := records[rapid.IntRange(0, len(records)-1).Draw(t, "which")]
					if original.Corrects == "" {
						one = original
						one.ID, one.Corrects, one.Value = strconv.Itoa(len(records)), original.ID, money.Whole(0).Sub(original.Value)
					}
				}
				records = append(records, one)
			}
			billed = append(billed, metered.Due(owed(), billed)...)
			require.Empty(t, metered.Due(owed(), billed), "a repeat")
		}
		require.Equal(t, total(t, owed(), nil), total(t, billed, nil))
		require.GreaterOrEqual(t, total(t, billed, nil), commitment.Amount)
		sums := map[metered.Key]money.Minor{}
		for _, b := range billed {
			sums[b.Key] += b.Amount
			require.GreaterOrEqual(t, sums[b.Key], money.Minor(0), "no key is credited more than was billed")
		}
		for _, o := range owed() {
			require.Equal(t, o.Amount, sums[o.Key])
		}
	})
}

// Periods of a cumulated component sum to what all units cost at once, to the minor unit.
func TestOwed_CumulatedPeriodsSumToWhole(t *testing.T) {
	t.Parallel()
	cumulated := rapid.Custom(func(t *rapid.T) metered.Component {
		c := component(anyPrice(t))
		c.Cumulated = true
		return c
	}).Filter(func(c metered.Component) bool { return c.Validate(regions) == nil }) // others may owe a credit
	rapid.Check(t, func(t *rapid.T) {
		c := cumulated.Draw(t, "component")
		var sum money.Minor
		var units int64
		for i := range rapid.IntRange(1, 6).Draw(t, "periods") {
			n := rapid.Int64Range(0, 30).Draw(t, "units")
			segment := whole(c, n)
			segment.Start = start.AddDate(0, i, 0)
			segment.Usage[0].Before = usage.Totals{{Group: "0 ", Value: money.Whole(units)}}
			owed, err := metered.Owed([]metered.Segment{segment}, eur)
			amount := total(t, owed, err)
			require.GreaterOrEqual(t, amount, money.Minor(0))
			sum, units = sum+amount, units+n
		}
		all, err := c.Rates[0].Price.Rate(money.Whole(units), eur)
		require.NoError(t, err)
		require.Equal(t, all.Amount, sum)
	})
}

// The amounts of a period are divided without a rest, for any changes of plan back and forth.
func TestOwed_SharesSumToWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		whole := money.Minor(rapid.Int64Range(1, 100_000).Draw(t, "whole"))
		used := metered.Used{Component: component(perUnit)}
		var commitment *metered.Commitment
		if rapid.Bool().Draw(t, "a commitment") {
			commitment = &metered.Commitment{ID: "price_2", Amount: whole}
		} else {
			used.Rates[0].Price.Minimum = whole
		}
		length := rapid.Int64Range(1, 1000).Draw(t, "length")
		var segments []metered.Segment
		for from := int64(0); from < length; {
			to := rapid.Int64Range(from+1, length).Draw(t, "to")
			segments = append(segments, metered.Segment{
				Start: start.Add(time.Duration(from) * time.Second), Commitment: commitment, Usage: []metered.Used{used},
				Share: metered.Share{Span: proration.Span{From: from, To: to, Length: length}},
			})
			from = to
		}
		owed, err := metered.Owed(segments, eur)
		require.Equal(t, whole, total(t, owed, err))
	})
}

package rating_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/billing/usage"
	"perennial/internal/testkit/peercases"
)

// TestPeerCasesOfPriceModels rates in a currency with two decimals unless the fixed amounts of a case need more, since
// the cases name no currency. Results that the cases call exact are compared with the exact amount, before rounding.
func TestPeerCasesOfPriceModels(t *testing.T) {
	t.Parallel()
	readers := map[string]peercases.Reader{
		"percentage-one-event/percentage": peercases.NewReader(checkOneTransaction),
		"percentage/percentage":           peercases.NewReader(checkModel),
		"dynamic":                         peercases.NewReader(checkDynamic),
		"lago-percentage/percentage":      peercases.NewReader(checkTransactions),
		"tier_detail":                     peercases.NewReader(checkTierDetail),
		"tier_lookup":                     peercases.NewReader(checkTierLookup),
		"package_count":                   peercases.NewReader(checkPackageCount),
		"usage_discount":                  peercases.NewReader(checkUsageDiscount),
		"block_tiers":                     peercases.NewReader(checkBlockTiers),
		"block_tiers_two_units":           peercases.NewReader(checkBlockTiersOfUnits),
		"capacity":                        peercases.NewReader(checkCapacity),
		"unit_conversion":                 peercases.NewReader(checkConversion),
	}
	for _, kind := range []string{"fixed", "per_unit", "package", "graduated", "volume",
		"graduated_percentage", "multiplier"} {
		readers[kind] = peercases.NewReader(checkModel)
	}
	for _, kind := range []string{"fixed", "multiplier", "package", "per_unit", "graduated", "volume"} {
		readers["om-"+kind+"/"+kind] = peercases.NewReader(checkSpend)
	}
	for _, kind := range []string{"package", "per_unit", "graduated", "volume"} {
		readers["per-bucket-"+kind+"/"+kind] = peercases.NewReader(checkBuckets)
	}
	peercases.Suite{
		Category: "c_price_models",
		Readers:  readers,
		Excluded: []peercases.Exclusion{
			{Rule: "package-down", Reason: "a package that is begun is charged in full"},
			{Rule: "fp-window-commitment", Reason: "no commitment by windows of time within a period"},
			{
				Flag: "converted-units", When: splitLine,
				Reason: "the units of a period are converted together, never part by part",
			},
			{Flag: "zero-usage-flat", When: without, Reason: "the first tier is reached without usage, as most peers have it"},
			{Flag: "credits", Reason: "credit is taken off invoices, not off prices"},
			{Flag: "discount", Reason: "discounts are taken off lines, not off the running total of a price"},
			{
				Rule: "om-fixed", Flag: "split-line",
				Reason: "when a price in advance is billed is the invoice's question, not the model's",
			},
			{Kind: "block_tiers_rest", Reason: "what was billed already is taken off by the invoice, not by the price"},
			{Kind: "several_prices", Reason: "a sum of prices is the invoice's question"},
			{Kind: "graduated", When: assertsNoAmount, Reason: "asserts how lines are shown, and no amount"},
			{
				Rule: "lago-percentage", When: totalsBeyondUnits,
				Reason: "the units are less than the transactions that they are the sum of",
			},
		},
	}.Run(t)
}

func splitLine(c peercases.Case) bool { return c.Has("split-line") }

// conversion is the conversion of a metric.
type conversion struct {
	Operation string
	Factor    money.Decimal
	Rounding  string
}

func (c conversion) ours(t *testing.T) usage.Conversion {
	t.Helper()
	rounding, ok := map[string]money.Rounding{
		"": "", "ceiling": money.RoundUp, "floor": money.RoundDown, "halfup": money.RoundHalfUp,
	}[c.Rounding]
	require.True(t, ok, "a rounding that is not known: %s", c.Rounding)
	switch c.Operation {
	case "divide":
		return usage.Conversion{DivideBy: c.Factor, Rounding: rounding}
	case "multiply":
		return usage.Conversion{MultiplyBy: c.Factor, Rounding: rounding}
	}
	require.Fail(t, "an operation that is not known", c.Operation)
	return usage.Conversion{}
}

func checkConversion(t *testing.T, in struct {
	conversion
	Units money.Decimal
}, want struct{ Units money.Decimal }) {
	require.Zero(t, want.Units.Cmp(in.ours(t).Apply(in.Units)))
}

// without finds the one peer that charges no flat fee without usage.
func without(c peercases.Case) bool { return c.Peer == "flexprice" }

func assertsNoAmount(c peercases.Case) bool {
	var want struct {
		Amount, Minor, Total any
		Lines                []struct{ Amount, Total any }
	}
	if json.Unmarshal(c.Expected, &want) != nil || want.Amount != nil || want.Minor != nil || want.Total != nil {
		return false
	}
	return !slices.ContainsFunc(want.Lines, func(l struct{ Amount, Total any }) bool { return l.Total != nil })
}

func totalsBeyondUnits(c peercases.Case) bool {
	var in struct {
		Units  money.Decimal
		Totals []money.Decimal `json:"running_totals"`
	}
	return json.Unmarshal(c.Input, &in) == nil && len(in.Totals) > 0 && in.Units.Cmp(in.Totals[len(in.Totals)-1]) < 0
}

// peerTier is a tier as the cases have it.
type peerTier struct {
	UpTo *money.Decimal `json:"up_to"`
	Unit money.Decimal
	Flat money.Decimal
	Rate money.Decimal
}

// parameters has the parameters of all models; each case has those of its own.
type parameters struct {
	Model        string
	Price        money.Decimal
	Unit         money.Decimal
	Multiplier   money.Decimal
	Tiers        []peerTier
	PackageSize  money.Decimal `json:"package_size"`
	PackagePrice money.Decimal `json:"package_price"`
	Rounding     string        `json:"package_rounding"` // up, or not said; the rule package-down is excluded
	Free         money.Decimal `json:"free_units"`
	Minimum      money.Decimal
	Maximum      money.Decimal
	Rate         money.Decimal `json:"rate_percent"`
}

// currency is one whose minor units hold the amounts.
func currency(t *testing.T, amounts ...money.Decimal) money.Currency {
	t.Helper()
	for _, c := range []money.Currency{"EUR", "BHD", "CLF"} {
		if fits(amounts, c) {
			return c
		}
	}
	require.Fail(t, "no currency has amounts so fine", "%v", amounts)
	return ""
}

func fits(amounts []money.Decimal, c money.Currency) bool {
	for _, amount := range amounts {
		m, err := amount.Round(c)
		if err != nil || money.Units(m, c).Cmp(amount) != 0 {
			return false
		}
	}
	return true
}

// price translates the parameters to a price of ours, which must be valid.
func (in parameters) price(t *testing.T) (rating.Price, money.Currency) {
	t.Helper()
	amounts := []money.Decimal{in.Price, in.Minimum, in.Maximum}
	for _, tier := range in.Tiers {
		amounts = append(amounts, tier.Flat)
	}
	c := currency(t, amounts...)
	minor := func(d money.Decimal) money.Minor {
		m, err := d.Round(c)
		require.NoError(t, err)
		return m
	}
	p := rating.Price{Minimum: minor(in.Minimum), Maximum: minor(in.Maximum), Included: in.Free}
	switch in.Model {
	case "fixed":
		p.Model, p.Amount = rating.Flat, minor(in.Price)
	case "per_unit":
		p.Model, p.UnitPrice = rating.PerUnit, in.Unit
	case "multiplier":
		p.Model, p.UnitPrice = rating.PerUnit, in.Multiplier // of a cost of one for each unit
	case "package":
		require.Contains(t, []string{"", "up"}, in.Rounding, "a rounding that is not known")
		p.Model, p.PackageSize, p.PackagePrice = rating.Package, in.PackageSize, in.PackagePrice
	case "percentage":
		p.Model, p.Percent = rating.Percentage, in.Rate
	case "graduated", "volume", "graduated_percentage":
		p.Model = rating.Model(in.Model)
	default:
		require.Fail(t, "unknown model", in.Model)
	}
	for i, tier := range in.Tiers {
		ours := rating.Tier{UnitPrice: tier.Unit, Percent: tier.Rate, FlatAmount: minor(tier.Flat)}
		if tier.UpTo != nil && i < len(in.Tiers)-1 { // the last tier has no upper bound
			ours.UpTo = *tier.UpTo
		}
		p.Tiers = append(p.Tiers, ours)
	}
	require.NoError(t, p.Validate())
	return p, c
}

// result is an exact amount in major units, or a rounded one.
type result struct {
	Amount *money.Decimal
	Minor  *money.Minor
}

func (want result) check(t *testing.T, got rating.Rated) {
	t.Helper()
	require.False(t, want.Amount == nil && want.Minor == nil)
	if want.Amount != nil {
		require.Zero(t, want.Amount.Cmp(got.Exact), "%s, not %s: %v", got.Exact, want.Amount, got.Steps)
	}
	if want.Minor != nil {
		require.Equal(t, *want.Minor, got.Amount)
	}
}

type modelInput struct {
	parameters
	Units money.Decimal
	Tax   money.Decimal `json:"tax_rate_percent"` // the rounded result holds it
}

func checkModel(t *testing.T, in modelInput, want result) {
	price, c := in.price(t)
	if price.Model == rating.Percentage || price.Model == rating.GraduatedPercentage {
		requireMetered(t, price)
	}
	got, err := price.Rate(in.Units, c)
	require.NoError(t, err)
	if in.Tax.IsGiven() {
		got.Amount = taxed(t, got.Amount, in.Tax)
	}
	want.check(t, got)
}

type bucketsInput struct {
	parameters
	Buckets []money.Decimal
}

// checkBuckets rates each bucket separately.
func checkBuckets(t *testing.T, in bucketsInput, want result) {
	price, c := in.price(t)
	sum := rating.Rated{}
	for _, units := range in.Buckets {
		got, err := price.Rate(units, c)
		require.NoError(t, err)
		sum.Exact = sum.Exact.Add(got.Exact)
	}
	want.check(t, sum)
}

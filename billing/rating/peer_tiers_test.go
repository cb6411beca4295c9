package rating_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/rating"
)

type tierDetailInput struct {
	Model string
	Tier  struct {
		From money.Decimal
		UpTo *money.Decimal `json:"up_to"`
		Unit money.Decimal
		Rate money.Decimal `json:"rate_percent"`
		Flat money.Decimal
	}
	TotalUnits money.Decimal `json:"total_units"`
	Adjacent   bool
}

type tierDetailResult struct {
	Units  money.Decimal  `json:"tier_units"`
	Amount money.Decimal  `json:"tier_amount"`
	Total  *money.Decimal `json:"tier_total_with_flat"`
}

// checkTierDetail rates with a free tier below the one in question. The peer numbers tiers of whole units by their
// first unit, adjacent ones by the bound below.
func checkTierDetail(t *testing.T, in tierDetailInput, want tierDetailResult) {
	c := currency(t, in.Tier.Flat)
	flat, err := in.Tier.Flat.Round(c)
	require.NoError(t, err)
	below := in.Tier.From
	if !in.Adjacent && below.Sign() > 0 {
		below = below.Sub(money.Whole(1))
	}
	asked := rating.Tier{UnitPrice: in.Tier.Unit, Percent: in.Tier.Rate, FlatAmount: flat}
	free := rating.Tier{UnitPrice: money.Whole(0)}
	if asked.Percent.IsGiven() {
		free = rating.Tier{Percent: money.Whole(0)}
	}
	price, nth := rating.Price{Model: rating.Model(in.Model)}, 1
	if below.Sign() > 0 {
		free.UpTo, nth = below, 2
		price.Tiers = append(price.Tiers, free)
	}
	if in.Tier.UpTo != nil {
		asked.UpTo, free.UpTo = *in.Tier.UpTo, money.Decimal{}
		price.Tiers = append(price.Tiers, asked, free)
	} else {
		price.Tiers = append(price.Tiers, asked)
	}
	require.NoError(t, price.Validate())
	if price.Model == rating.GraduatedPercentage {
		requireMetered(t, price)
	}
	requireTier(t, price, c, in.TotalUnits, nth, want)
}

// requireTier compares the steps of one tier.
func requireTier(
	t *testing.T, price rating.Price, c money.Currency, of money.Decimal, nth int, want tierDetailResult,
) {
	t.Helper()
	got, err := price.Rate(of, c)
	require.NoError(t, err)
	units, amount, total := money.Whole(0), money.Whole(0), money.Whole(0)
	for _, s := range got.Steps {
		if s.Tier != nth {
			continue
		}
		total = total.Add(s.Amount)
		if s.Kind != rating.Fixed {
			units, amount = units.Add(s.Quantity), amount.Add(s.Amount)
		}
	}
	require.Zero(t, want.Units.Cmp(units), "%v", got.Steps)
	require.Zero(t, want.Amount.Cmp(amount), "%v", got.Steps)
	if want.Total != nil {
		require.Zero(t, want.Total.Cmp(total), "%v", got.Steps)
	}
}

type tierLookupInput struct {
	Tiers []peerTier
	Units money.Decimal
}

func checkTierLookup(t *testing.T, in tierLookupInput, want struct {
	Index int `json:"tier_index"`
}) {
	price, c := parameters{Model: "volume", Tiers: in.Tiers}.price(t)
	got, err := price.Rate(in.Units, c)
	require.NoError(t, err)
	require.NotEmpty(t, got.Steps)
	require.Equal(t, want.Index+1, got.Steps[0].Tier)
}

func checkPackageCount(t *testing.T, in struct {
	Size  money.Decimal `json:"package_size"`
	Units money.Decimal
}, want struct{ Packages int64 }) {
	price := rating.Price{Model: rating.Package, PackageSize: in.Size, PackagePrice: money.Whole(1)}
	require.NoError(t, price.Validate())
	got, err := price.Rate(in.Units, "EUR")
	require.NoError(t, err)
	require.Zero(t, got.Exact.Cmp(money.Whole(want.Packages)))
}

type usageDiscount struct {
	Units      money.Decimal
	Before     money.Decimal `json:"units_before_line"`
	Free       money.Decimal `json:"free_units"`
	Discounted money.Decimal
}

// checkUsageDiscount prices units at one each, so that amounts are units.
func checkUsageDiscount(t *testing.T, in, want usageDiscount) {
	price := rating.Price{Model: rating.PerUnit, UnitPrice: money.Whole(1), Included: in.Free}
	before, err := price.Rate(in.Before, "EUR")
	require.NoError(t, err)
	all, err := price.Rate(in.Before.Add(in.Units), "EUR")
	require.NoError(t, err)
	units := all.Exact.Sub(before.Exact)
	require.Zero(t, want.Before.Cmp(before.Exact))
	require.Zero(t, want.Units.Cmp(units))
	require.Zero(t, want.Discounted.Cmp(in.Units.Sub(units)))
}

type blockTier struct {
	Size  money.Decimal  `json:"block_size"`
	Most  *money.Decimal `json:"max_blocks"` // of this tier alone
	Price money.Decimal  `json:"block_price"`
}

// blockPrice adds up the bounds of the tiers; the last tier also covers units above its bound.
func blockPrice(t *testing.T, policy string, tiers []blockTier) rating.Price {
	t.Helper()
	price, bound := rating.Price{Model: rating.Model(policy)}, money.Whole(0)
	for i, tier := range tiers {
		ours := rating.Tier{PackageSize: tier.Size, PackagePrice: tier.Price}
		if i < len(tiers)-1 {
			require.NotNil(t, tier.Most)
			bound = bound.Add(tier.Most.Mul(tier.Size))
			ours.UpTo = bound
		}
		price.Tiers = append(price.Tiers, ours)
	}
	require.NoError(t, price.Validate())
	return price
}

func checkBlockTiers(t *testing.T, in struct {
	Model, Policy string
	Tiers         []blockTier
	Units         money.Decimal
}, want struct {
	Amounts []money.Decimal `json:"tier_amounts"`
}) {
	require.Equal(t, "block_tiers", in.Model)
	got, err := blockPrice(t, in.Policy, in.Tiers).Rate(in.Units, "EUR")
	require.NoError(t, err)
	var expected, ours []string
	for _, amount := range want.Amounts {
		expected = append(expected, amount.String())
	}
	for _, s := range got.Steps {
		ours = append(ours, s.Amount.String())
	}
	require.Equal(t, expected, ours)
}

func checkBlockTiersOfUnits(t *testing.T, in struct {
	Policy string
	Units  map[string]money.Decimal
	Tiers  map[string][]blockTier
}, want result) {
	sum := rating.Rated{}
	for unit, units := range in.Units {
		got, err := blockPrice(t, in.Policy, in.Tiers[unit]).Rate(units, "EUR")
		require.NoError(t, err)
		sum.Exact = sum.Exact.Add(got.Exact)
	}
	want.check(t, sum)
}

type capacityInput struct {
	Tiers []struct {
		Limits map[string]money.Decimal
		Price  money.Decimal
	}
	Units map[string]money.Decimal
}

// checkCapacity rates each unit by its own limits. The first tier whose limits all hold is the highest that any unit
// needs, so its price is the largest where prices rise with the tiers.
func checkCapacity(t *testing.T, in capacityInput, want result) {
	largest := rating.Rated{}
	for unit, units := range in.Units {
		price := rating.Price{Model: rating.TieredFlat}
		for i, tier := range in.Tiers {
			amount, err := tier.Price.Round("EUR")
			require.NoError(t, err)
			require.True(t, i == 0 || tier.Price.Cmp(in.Tiers[i-1].Price) >= 0, "prices rise")
			limit, limited := tier.Limits[unit]
			price.Tiers = append(price.Tiers, rating.Tier{UpTo: limit, FlatAmount: amount})
			if !limited {
				break
			}
		}
		require.NoError(t, price.Validate(), "%s of %v", unit, slices.Collect(maps.Keys(in.Units)))
		got, err := price.Rate(units, "EUR")
		require.NoError(t, err)
		if got.Exact.Cmp(largest.Exact) > 0 {
			largest = got
		}
	}
	want.check(t, largest)
}

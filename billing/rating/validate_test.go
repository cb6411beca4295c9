package rating_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/rating"
)

func TestValidate_NamesTheParameter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, price, code, param string }{
		{"flat", `{"model":"flat","amount":100}`, "", ""},
		{"free", `{"model":"flat"}`, "", ""},
		{"free unit", `{"model":"per_unit","unitPrice":"0"}`, "", ""},
		{"all of percentage", `{"model":"percentage","percent":"2.9","minimum":1,"maximum":2,"transactions":{"fee":"0.003",
			"minimum":"1","maximum":"1","free":3,"freeAmount":"10"}}`, "", ""},
		{"unknown model", `{"model":"magic"}`, "price_model_unknown", "model"},
		{"no model", `{}`, "price_model_unknown", "model"},
		{"negative amount", `{"model":"flat","amount":-1}`, "amount_negative", "amount"},
		{"amount too large", `{"model":"flat","amount":1000000000000}`, "amount_too_large", "amount"},
		{"bounds of flat", `{"model":"flat","amount":1,"minimum":2}`, "price_parameter_unexpected", "minimum"},
		{"no unit price", `{"model":"per_unit"}`, "price_parameter_missing", "unitAmount"},
		{"negative unit price", `{"model":"per_unit","unitPrice":"-0.1"}`, "amount_negative", "unitAmount"},
		{
			"amount of per_unit", `{"model":"per_unit","unitPrice":"1","amount":1}`, "price_parameter_unexpected", "amount",
		},
		{
			"tiers of per_unit", `{"model":"per_unit","unitPrice":"1","tiers":[{"unitPrice":"1"}]}`,
			"price_parameter_unexpected", "tiers",
		},
		{
			"negative included units", `{"model":"per_unit","unitPrice":"1","included":"-1"}`, "amount_negative", "included",
		},
		{
			"maximum below minimum", `{"model":"per_unit","unitPrice":"1","minimum":2,"maximum":1}`,
			"price_parameter_out_of_range", "maximum",
		},
		{
			"package of nothing", `{"model":"package","packageSize":"0","packagePrice":"1"}`, "price_parameter_out_of_range",
			"packageSize",
		},
		{"package without price", `{"model":"package","packageSize":"10"}`, "price_parameter_missing", "packageAmount"},
		{"no rate", `{"model":"percentage"}`, "price_parameter_missing", "percent"},
		{"rate of 290", `{"model":"percentage","percent":"290"}`, "price_parameter_out_of_range", "percent"},
		{
			"negative fee", `{"model":"percentage","percent":"1","transactions":{"fee":"-1"}}`, "amount_negative",
			"transactions.feeAmount",
		},
		{
			"negative number", `{"model":"percentage","percent":"1","transactions":{"free":-1}}`, "amount_negative",
			"transactions.free",
		},
		{
			"maximum of a transaction below its minimum",
			`{"model":"percentage","percent":"1","transactions":{"minimum":"2","maximum":"1.99"}}`,
			"price_parameter_out_of_range", "transactions.maximumAmount",
		},
		{
			"transactions of per_unit", `{"model":"per_unit","unitPrice":"1","transactions":{"fee":"1"}}`,
			"price_parameter_unexpected", "transactions",
		},
		{"no tiers", `{"model":"volume"}`, "price_parameter_missing", "tiers"},
		{
			"last tier ends", `{"model":"volume","tiers":[{"unitPrice":"1","upTo":"10"}]}`, "price_parameter_unexpected",
			"tiers[0].upTo",
		},
		{
			"tier without end before the last", `{"model":"volume","tiers":[{"unitPrice":"1"},{"unitPrice":"1"}]}`,
			"price_parameter_missing", "tiers[0].upTo",
		},
		{
			"tiers not ascending",
			`{"model":"graduated","tiers":[{"unitPrice":"1","upTo":"10"},{"unitPrice":"1","upTo":"10.0"},{"unitPrice":"1"}]}`,
			"tiers_not_ascending", "tiers[1].upTo",
		},
		{
			"first tier without room", `{"model":"graduated","tiers":[{"unitPrice":"1","upTo":"0"},{"unitPrice":"1"}]}`,
			"tiers_not_ascending", "tiers[0].upTo",
		},
		{
			"tier without price", `{"model":"graduated","tiers":[{"unitPrice":"1","upTo":"1"},{}]}`,
			"price_parameter_missing", "tiers[1].unitAmount",
		},
		{
			"free tier of tiered_flat", `{"model":"tiered_flat","tiers":[{"upTo":"1"},{"flatAmount":100}]}`, "", "",
		},
		{
			"unit price in tiered_flat", `{"model":"tiered_flat","tiers":[{"unitPrice":"1"}]}`,
			"price_parameter_unexpected", "tiers[0].unitAmount",
		},
		{
			"two prices of a tier", `{"model":"volume","tiers":[{"unitPrice":"1","packageSize":"2","packagePrice":"2"}]}`,
			"price_parameter_unexpected", "tiers[0].unitAmount",
		},
		{
			"half a package", `{"model":"volume","tiers":[{"packageSize":"2","flatAmount":1}]}`, "price_parameter_missing",
			"tiers[0].packageAmount",
		},
		{
			"negative flat amount", `{"model":"volume","tiers":[{"flatAmount":-1}]}`, "amount_negative",
			"tiers[0].flatAmount",
		},
		{
			"tier without rate", `{"model":"graduated_percentage","tiers":[{"flatAmount":1}]}`, "price_parameter_missing",
			"tiers[0].percent",
		},
		{
			"rate in a tier of units", `{"model":"graduated","tiers":[{"percent":"1"}]}`, "price_parameter_unexpected",
			"tiers[0].percent",
		},
	} {
		var price rating.Price
		require.NoError(t, json.Unmarshal([]byte(c.price), &price), c.name)
		err := price.Validate()
		if c.code == "" {
			require.NoError(t, err, c.name)
			continue
		}
		var f *fault.Error
		require.ErrorAs(t, err, &f, c.name)
		require.Equal(t, c.code, f.Code, "%s: %s", c.name, f.Detail)
		require.Equal(t, c.param, f.Param, c.name)
	}
}

func TestValidate_NumberOfTiers(t *testing.T) {
	t.Parallel()
	price := rating.Price{Model: rating.Graduated}
	for n := range rating.MaxTiers - 1 {
		price.Tiers = append(price.Tiers, rating.Tier{UpTo: money.Whole(int64(n + 1)), UnitPrice: dec("1")})
	}
	price.Tiers = append(price.Tiers, rating.Tier{UnitPrice: dec("1")})
	require.NoError(t, price.Validate())

	price.Tiers = append(price.Tiers[:1:1], price.Tiers...)
	require.ErrorContains(t, price.Validate(), "tiers_count_out_of_range")
}

func TestRate_UnknownModel(t *testing.T) {
	t.Parallel()
	_, err := rating.Price{Model: "magic"}.Rate(dec("1"), "EUR")
	require.ErrorContains(t, err, "price_model_unknown")
}

func TestFree(t *testing.T) {
	t.Parallel()
	for price, free := range map[string]bool{
		`{"model":"flat"}`:                                                                                true,
		`{"model":"flat","amount":1}`:                                                                     false,
		`{"model":"per_unit","unitPrice":"0"}`:                                                            true,
		`{"model":"per_unit","unitPrice":"0.000001"}`:                                                     false,
		`{"model":"per_unit","unitPrice":"0","minimum":1}`:                                                false,
		`{"model":"graduated","tiers":[{"upTo":"5","unitPrice":"0"},{"unitPrice":"1"}]}`:                  false,
		`{"model":"graduated","tiers":[{"upTo":"5","unitPrice":"0"},{"unitPrice":"0"}]}`:                  true,
		`{"model":"percentage","percent":"0","transactions":{"fee":"1"}}`:                                 false,
		`{"model":"percentage","percent":"0","transactions":{"minimum":"1"}}`:                             false,
		`{"model":"package","packageSize":"1","packagePrice":"1"}`:                                        false,
		`{"model":"tiered_flat","tiers":[{"upTo":"1"},{"flatAmount":1}]}`:                                 false,
		`{"model":"volume","tiers":[{"packageSize":"1","packagePrice":"1"}]}`:                             false,
		`{"model":"graduated_percentage","tiers":[{"upTo":"1","percent":"0"},{"percent":"0.000000001"}]}`: false,
	} {
		var p rating.Price
		require.NoError(t, json.Unmarshal([]byte(price), &p))
		require.NoError(t, p.Validate(), price)
		require.Equal(t, free, p.Free(), price)
	}
}

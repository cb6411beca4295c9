package rating_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/rating"
)

// Each price is shown in the plan's currency, with its amounts in another one, and as it is sold there.
func TestIn_ReplacesMoneyAndNothingElse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ own, amounts, sold string }{
		"flat":      {`{"model":"flat","amount":100}`, `{"amount":90}`, `{"model":"flat","amount":90}`},
		"free":      {`{"model":"flat"}`, `{}`, `{"model":"flat"}`},
		"free unit": {`{"model":"per_unit","unitPrice":"0"}`, `{"unitPrice":"0"}`, `{"model":"per_unit","unitPrice":"0"}`},
		"per unit": {
			`{"model":"per_unit","unitPrice":"1","included":"3","minimum":1,"maximum":9}`,
			`{"unitPrice":"650.5","minimum":700,"maximum":6000}`,
			`{"model":"per_unit","unitPrice":"650.5","included":"3","minimum":700,"maximum":6000}`,
		},
		"package": {
			`{"model":"package","packageSize":"10","packagePrice":"1"}`, `{"packagePrice":"2"}`,
			`{"model":"package","packageSize":"10","packagePrice":"2"}`,
		},
		"graduated": {
			`{"model":"graduated","tiers":[{"upTo":"5","unitPrice":"0","flatAmount":3},{"packageSize":"10","packagePrice":"1"}]}`,
			`{"tiers":[{"unitPrice":"0","flatAmount":4},{"packagePrice":"2"}]}`,
			`{"model":"graduated","tiers":[{"upTo":"5","unitPrice":"0","flatAmount":4},{"packageSize":"10","packagePrice":"2"}]}`,
		},
		"tiered flat": {
			`{"model":"tiered_flat","tiers":[{"upTo":"5"},{"flatAmount":3}]}`, `{"tiers":[{},{"flatAmount":4}]}`,
			`{"model":"tiered_flat","tiers":[{"upTo":"5"},{"flatAmount":4}]}`,
		},
		"percentage": {
			`{"model":"percentage","percent":"2.9","transactions":{"fee":"0.3","minimum":"1","maximum":"5","free":3,"freeAmount":"9"}}`,
			`{"transactions":{"fee":"200","minimum":"650","maximum":"3000","freeAmount":"6000"}}`,
			`{"model":"percentage","percent":"2.9","transactions":{"fee":"200","minimum":"650","maximum":"3000","free":3,"freeAmount":"6000"}}`,
		},
		"graduated percentage": { // whose tiers end with amounts
			`{"model":"graduated_percentage","tiers":[{"upTo":"100","percent":"3"},{"percent":"2","flatAmount":1}]}`,
			`{"tiers":[{"upTo":"65000"},{"flatAmount":700}]}`,
			`{"model":"graduated_percentage","tiers":[{"upTo":"65000","percent":"3"},{"percent":"2","flatAmount":700}]}`,
		},
	} {
		own := price(t, c.own)
		require.NoError(t, own.CheckAmounts(amounts(t, c.amounts)), name)
		require.Equal(t, price(t, c.sold), own.In(amounts(t, c.amounts)), name)
		require.Equal(t, price(t, c.own), own, name+": the price itself was changed")
	}
}

func TestCheckAmounts_NamesTheParameter(t *testing.T) {
	t.Parallel()
	seats := `{"model":"graduated","minimum":10,"tiers":[{"upTo":"5","unitPrice":"1"},{"unitPrice":"2","flatAmount":3}]}`
	tiers := `"tiers":[{"unitPrice":"1"},{"unitPrice":"2","flatAmount":3}]`
	for name, c := range map[string]struct{ own, amounts, code, param string }{
		"forgotten":   {`{"model":"flat","amount":1}`, `{}`, "price_parameter_missing", "amount"},
		"free in one": {`{"model":"flat"}`, `{"amount":1}`, "price_parameter_unexpected", "amount"},
		"a free unit": {
			`{"model":"per_unit","unitPrice":"1"}`, `{"unitPrice":"0"}`, "price_parameter_missing", "unitAmount",
		},
		"no word of it": {`{"model":"per_unit","unitPrice":"0"}`, `{}`, "price_parameter_missing", "unitAmount"},
		"another model's": {
			`{"model":"flat","amount":1}`, `{"amount":1,"unitPrice":"0"}`, "price_parameter_unexpected", "unitAmount",
		},
		"negative":   {`{"model":"flat","amount":1}`, `{"amount":-1}`, "amount_negative", "amount"},
		"too large":  {`{"model":"flat","amount":1}`, `{"amount":1000000000000}`, "amount_too_large", "amount"},
		"no minimum": {seats, `{` + tiers + `}`, "price_parameter_missing", "minimum"},
		"a maximum":  {seats, `{"minimum":1,"maximum":5,` + tiers + `}`, "price_parameter_unexpected", "maximum"},
		"no tiers":   {seats, `{"minimum":1}`, "tiers_count_out_of_range", "tiers"},
		"tiers of flat": {
			`{"model":"flat","amount":1}`, `{"amount":1,"tiers":[{}]}`, "tiers_count_out_of_range", "tiers",
		},
		"no price in a tier": {
			seats, `{"minimum":1,"tiers":[{},{"unitPrice":"2","flatAmount":3}]}`, "price_parameter_missing",
			"tiers[0].unitAmount",
		},
		"no flat amount": {
			seats, `{"minimum":1,"tiers":[{"unitPrice":"1"},{"unitPrice":"2"}]}`, "price_parameter_missing",
			"tiers[1].flatAmount",
		},
		"a bound": {
			seats, `{"minimum":1,"tiers":[{"unitPrice":"1","upTo":"6"},{"unitPrice":"2","flatAmount":3}]}`,
			"price_parameter_unexpected", "tiers[0].upTo",
		},
		"bounds": {
			`{"model":"per_unit","unitPrice":"1","minimum":1,"maximum":2}`, `{"unitPrice":"1","minimum":2,"maximum":1}`,
			"price_parameter_out_of_range", "maximum",
		},
		"a fee": {
			`{"model":"percentage","percent":"1"}`, `{"transactions":{"fee":"1"}}`, "price_parameter_unexpected",
			"transactions.feeAmount",
		},
		"a bound that is money": {
			`{"model":"graduated_percentage","tiers":[{"upTo":"1","percent":"1"},{"percent":"2"}]}`, `{"tiers":[{},{}]}`,
			"price_parameter_missing", "tiers[0].upTo",
		},
	} {
		own := price(t, c.own)
		require.NoError(t, own.Validate(), name)
		err := fault.From(own.CheckAmounts(amounts(t, c.amounts)))
		require.NotNil(t, err, name)
		require.Equal(t, []string{c.code, c.param}, []string{err.Code, err.Param}, name)
	}
}

func amounts(t *testing.T, text string) (a rating.Amounts) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &a), text)
	return a
}

func price(t *testing.T, text string) (p rating.Price) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &p), text)
	return p
}

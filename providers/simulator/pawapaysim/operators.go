package pawapaysim

import (
	"strings"
)

// operator is an operator that the simulated account has activated, in one currency.
type operator struct {
	country  string // ISO 3166 alpha-3
	calling  string
	code     string
	currency string
	decimals int // 0 or 2
	min, max string
	auth     string
}

// operators are some of pawaPay's: each kind of decimals and of authorisation is among them. The bounds are made up.
var operators = []operator{
	{"BEN", "229", "MTN_MOMO_BEN", "XOF", 0, "100", "2000000", providerAuth},
	{"BFA", "226", "ORANGE_BFA", "XOF", 0, "100", "2000000", "PREAUTH"},
	{"CIV", "225", "MTN_MOMO_CIV", "XOF", 0, "100", "2000000", providerAuth},
	{"CMR", "237", "MTN_MOMO_CMR", "XAF", 0, "100", "2000000", providerAuth},
	{"CMR", "237", "ORANGE_CMR", "XAF", 0, "100", "2000000", providerAuth},
	{"COD", "243", "VODACOM_MPESA_COD", "CDF", 0, "100", "5000000", providerAuth},
	{"COD", "243", "VODACOM_MPESA_COD", "USD", 2, "1", "2500", providerAuth},
	{"GAB", "241", "AIRTEL_GAB", "XAF", 2, "100", "500000", providerAuth},
	{"GHA", "233", "MTN_MOMO_GHA", "GHS", 2, "1", "5000", providerAuth},
	{"KEN", "254", "MPESA_KEN", "KES", 0, "1", "250000", providerAuth},
	{"MOZ", "258", "VODACOM_MOZ", "MZN", 2, "1", "125000", providerAuth},
	{"NGA", "234", "MTN_MOMO_NGA", "NGN", 0, "100", "5000000", providerAuth},
	{"RWA", "250", "AIRTEL_RWA", "RWF", 0, "100", "2000000", providerAuth},
	{"RWA", "250", "MTN_MOMO_RWA", "RWF", 0, "100", "2000000", providerAuth},
	{"SEN", "221", "WAVE_SEN", "XOF", 0, "100", "2000000", "REDIRECT_AUTH"},
	{"TZA", "255", "VODACOM_TZA", "TZS", 0, "100", "5000000", providerAuth},
	{"UGA", "256", "MTN_MOMO_UGA", "UGX", 2, "100", "5000000", providerAuth},
	{"ZMB", "260", "AIRTEL_OAPI_ZMB", "ZMW", 2, "1", "50000", providerAuth},
	{"ZMB", "260", "MTN_MOMO_ZMB", "ZMW", 2, "1", "50000", providerAuth},
}

const providerAuth = "PROVIDER_AUTH"

// closed is the behaviour of an operator that takes nothing for the time being.
const closed = "closed"

func operatorOf(code, currency string) (o operator, knownCode, found bool) {
	for _, o := range operators {
		if o.code != code {
			continue
		}
		if knownCode = true; o.currency == currency {
			return o, true, true
		}
	}
	return operator{}, knownCode, false
}

// activeConf is the account's configuration, of one country or of all.
func (d *Dialect) activeConf(country string) map[string]any {
	var countries []map[string]any
	for _, o := range operators {
		if country != "" && o.country != country {
			continue
		}
		if n := len(countries); n == 0 || countries[n-1]["country"] != o.country {
			countries = append(countries, map[string]any{
				"country": o.country, "prefix": o.calling, "providers": []map[string]any{},
			})
		}
		last := countries[len(countries)-1]
		last["providers"] = append(last["providers"].([]map[string]any), map[string]any{ //nolint:forcetypeassert // made above
			"provider": o.code, "displayName": strings.SplitN(o.code, "_", 2)[0],
			"currencies": []map[string]any{{"currency": o.currency, "operationTypes": map[string]any{"DEPOSIT": d.terms(o)}}},
		})
	}
	return map[string]any{"companyName": "Simulated Merchant", "countries": countries}
}

func (d *Dialect) terms(o operator) map[string]any {
	t := map[string]any{
		"authType": o.auth, "decimalsInAmount": "NONE", "minAmount": o.min, "maxAmount": o.max, "status": "OPERATIONAL",
	}
	if o.decimals > 0 {
		t["decimalsInAmount"] = "TWO_PLACES"
	}
	if d.state.scripts[o.code] == closed {
		t["status"] = "CLOSED"
	}
	return t
}

package pawapay

import (
	"slices"
	"strings"

	"perennial/billing/money"
	"perennial/providers"
)

// authType is the way in which a payer authorises a deposit, in pawaPay's words.
type authType string

const (
	// providerAuth is a prompt on the payer's telephone, which a PIN answers.
	providerAuth authType = "PROVIDER_AUTH"
	// preAuth needs a code that the payer has fetched from the operator before.
	preAuth authType = "PREAUTH"
	// redirectAuth needs the payer's browser.
	redirectAuth authType = "REDIRECT_AUTH"
)

// operator is a mobile money operator in a country.
type operator struct {
	code     string   // pawaPay's
	calling  string   // the country's calling code
	names    []string // the part after mobile_money_ in the customer's payment method
	decimals map[money.Currency]int
	auth     authType
}

// operators are pawaPay's operators, with the decimals of its documents. The account's active configuration is
// preferred; this table is used before it was read.
var operators = []operator{
	entry("MTN_MOMO_BEN", "229", "mtn", "XOF0"),
	entry("MOOV_BEN", "229", "moov", "XOF0"),
	entry("MOOV_BFA", "226", "moov", "XOF0"),
	entry("ORANGE_BFA", "226", "orange", "XOF0").with(preAuth),
	entry("MTN_MOMO_CMR", "237", "mtn", "XAF0"),
	entry("ORANGE_CMR", "237", "orange", "XAF0"),
	entry("MTN_MOMO_CIV", "225", "mtn", "XOF0"),
	entry("ORANGE_CIV", "225", "orange", "XOF0"),
	entry("WAVE_CIV", "225", "wave", "XOF0").with(redirectAuth),
	entry("VODACOM_MPESA_COD", "243", "mpesa vodacom", "CDF0 USD2"),
	entry("AIRTEL_COD", "243", "airtel", "CDF2 USD2"),
	entry("ORANGE_COD", "243", "orange", "CDF2 USD2"),
	entry("AIRTEL_COG", "242", "airtel", "XAF0"),
	entry("MTN_MOMO_COG", "242", "mtn", "XAF0"),
	entry("MPESA_ETH", "251", "mpesa", "ETB2"),
	entry("AIRTEL_GAB", "241", "airtel", "XAF2"),
	entry("MTN_MOMO_GHA", "233", "mtn", "GHS2"),
	entry("AIRTELTIGO_GHA", "233", "airteltigo", "GHS2"),
	entry("VODAFONE_GHA", "233", "vodafone", "GHS2"),
	entry("MPESA_KEN", "254", "mpesa", "KES0"),
	entry("MPESA_LSO", "266", "mpesa", "LSL2"),
	entry("AIRTEL_MWI", "265", "airtel", "MWK2"),
	entry("TNM_MWI", "265", "tnm", "MWK2"),
	entry("MOVITEL_MOZ", "258", "movitel", "MZN0"),
	entry("VODACOM_MOZ", "258", "mpesa vodacom", "MZN2"),
	entry("AIRTEL_NGA", "234", "airtel", "NGN0"),
	entry("MTN_MOMO_NGA", "234", "mtn", "NGN0"),
	entry("AIRTEL_RWA", "250", "airtel", "RWF0"),
	entry("MTN_MOMO_RWA", "250", "mtn", "RWF0"),
	entry("FREE_SEN", "221", "free", "XOF0"),
	entry("ORANGE_SEN", "221", "orange", "XOF0"),
	entry("WAVE_SEN", "221", "wave", "XOF0").with(redirectAuth),
	entry("ORANGE_SLE", "232", "orange", "SLE2"),
	entry("AIRTEL_TZA", "255", "airtel", "TZS2"),
	entry("VODACOM_TZA", "255", "mpesa vodacom", "TZS0"),
	entry("TIGO_TZA", "255", "tigo", "TZS0"),
	entry("HALOTEL_TZA", "255", "halotel", "TZS0"),
	entry("AIRTEL_OAPI_UGA", "256", "airtel", "UGX0"),
	entry("MTN_MOMO_UGA", "256", "mtn", "UGX2"),
	entry("AIRTEL_OAPI_ZMB", "260", "airtel", "ZMW2"),
	entry("MTN_MOMO_ZMB", "260", "mtn", "ZMW2"),
	entry("ZAMTEL_ZMB", "260", "zamtel", "ZMW2"),
}

// entry reads one line of the table; currencies are codes with the number of decimals behind.
func entry(code, calling, names, currencies string) operator {
	o := operator{
		code: code, calling: calling, names: strings.Fields(names),
		decimals: map[money.Currency]int{}, auth: providerAuth,
	}
	for _, c := range strings.Fields(currencies) {
		o.decimals[money.Currency(c[:3])] = int(c[3] - '0')
	}
	return o
}

func (o operator) with(auth authType) operator {
	o.auth = auth
	return o
}

// callingDigits is the length of every calling code in the table.
const callingDigits = 3

// operatorOf finds the operator that a name and a telephone number mean together.
func operatorOf(name, number string) (operator, bool) {
	for _, o := range operators {
		if strings.HasPrefix(number, o.calling) && slices.Contains(o.names, name) {
			return o, true
		}
	}
	return operator{}, false
}

// operatorsIn lists the names of a country's operators, for people.
func operatorsIn(number string) (names []string) {
	for _, o := range operators {
		if strings.HasPrefix(number, o.calling) {
			names = append(names, providers.MobileMoney+o.names[0])
		}
	}
	return names
}

// currencies lists the currencies of an operator, for people.
func (o operator) currencies() string {
	var codes []string
	for c := range o.decimals {
		codes = append(codes, string(c))
	}
	slices.Sort(codes)
	return strings.Join(codes, " or ")
}

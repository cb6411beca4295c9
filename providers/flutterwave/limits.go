package flutterwave

import (
	"strings"

	"perennial/billing/money"
	"perennial/providers"
)

// currencies are the currencies in the reference of POST /charges, without codes that ISO has withdrawn. Only the
// account knows which of them it may charge in, and from what amount.
var currencies = set(`AED AFN ALL AMD AOA ARS AUD AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BWP BZD CAD CDF CHF CLP
	CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS
	INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP
	MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG
	SEK SGD SOS SRD SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VND VUV XAF XCD XOF XPF YER ZAR
	ZMW`)

func set(codes string) map[money.Currency]bool {
	m := map[money.Currency]bool{}
	for _, c := range strings.Fields(codes) {
		m[money.Currency(c)] = true
	}
	return m
}

// Limits returns which charges in a currency Flutterwave takes, in ISO minor units. Where ISO has more than two
// decimals, the rest must be zero: nothing says that Flutterwave keeps it.
func Limits(c money.Currency) providers.Limits {
	if !currencies[c] {
		return providers.Limits{Unchargeable: true}
	}
	l := providers.Limits{Granularity: 1}
	for n := c.Decimals(); n > wireDecimals; n-- {
		l.Granularity *= 10
	}
	l.Minimum = l.Granularity
	return l
}

package load

import "strings"

// Wallet begins the token of a mobile-money wallet. The three digits that follow end its telephone number, and choose
// what the simulated providers do.
const Wallet = "wallet"

// CanaryPhone begins every telephone number of the crowd: MTN Ghana.
const CanaryPhone = "+2332478"

// savedAt is the provider whose token of a card it is.
func savedAt(token string) string {
	switch {
	case strings.HasPrefix(token, "pmd_"):
		return "flutterwave"
	case strings.HasPrefix(token, "SIM_"):
		return "adyen"
	}
	return "stripe"
}

// currencyOf is what a method pays in.
func currencyOf(token string) string {
	switch {
	case strings.HasPrefix(token, Wallet):
		return "GHS"
	case savedAt(token) == "flutterwave":
		return "NGN"
	case savedAt(token) == "adyen":
		return "USD"
	}
	return "EUR"
}

package load

import "strings"

// Wallet is the prefix of the token of a mobile-money wallet. The three digits after it end its telephone number, and
// choose the behaviour of the simulated providers.
const Wallet = "wallet"

// CanaryPhone begins every telephone number of the crowd: MTN Ghana.
const CanaryPhone = "+2332478"

// Everywhere are lives of customers who pay at all four providers, which any eight that follow each other do.
// Payments with a wallet go to pawaPay, and to Flutterwave where pawaPay surely did not take them: it never takes those
// whose telephone numbers end with 911.
func Everywhere() []Script {
	return []Script{
		PaysWith("pm_card_visa"), PaysWith("SIM_OK"), PaysWith("pmd_card_visa"), PaysWith(Wallet + "789"),
		PaysWith(Wallet + "911"), RefundsWith("pm_card_visa"), RefundsWith("pmd_card_visa"), RefundsWith(Wallet + "789"),

		PaysWith("pm_sim_slow_800"), PaysWith("SIM_SLOW_800"), PaysWith("pmd_sim_slow_800"), PaysWith(Wallet + "789"),
		PaysWith(Wallet + "911"), PaysWith("pm_sim_pending_1s_succeed"), PaysWith("pmd_sim_pending_1s_succeed"),
		RefundsWith(Wallet + "911"),

		PaysWith("pm_sim_pending_2s_fail"), PaysWith("SIM_REFUSE_2"), PaysWith("pmd_card_insufficient_funds"),
		PaysWith(Wallet + "049"), PaysWith("pm_card_visa_chargeDeclinedInsufficientFunds"), PaysWith("SIM_OK"),
		RefundsWith("pmd_sim_slow_800"), PaysWith(Wallet + "911"),
	}
}

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

// currencyOf returns the currency of a method.
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

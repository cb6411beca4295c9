package stripesim

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// behaviour is the provider's reaction to a payment method. The zero value captures at once.
type behaviour struct {
	decline     *failure
	needsAction bool          // the customer would have to authenticate
	pending     bool          // processing at first
	settleAfter time.Duration // of a pending charge; with settleTo
	settleTo    string        // succeeded, failed; empty waits for the admin API
	delay       time.Duration
	refuse      bool // 429, surely not processed
	dropped     bool // the failure below strikes before anything is done
	hang        bool
	fail500     bool
	refunds     string // how refunds of it go: "", pending, fail
	unattached  bool   // cannot be attached to a customer
}

func declines(code, declineCode, message string) behaviour {
	return behaviour{
		decline:    &failure{Type: "card_error", Code: code, DeclineCode: declineCode, Message: message},
		unattached: true,
	}
}

// behaviours are Stripe's own test payment methods under Stripe's names, and ours under pm_sim_.
var behaviours = map[string]behaviour{
	"pm_card_visa":       {},
	"pm_card_mastercard": {},
	"pm_card_amex":       {},

	"pm_card_visa_chargeDeclined": declines("card_declined", "generic_decline",
		"Your card was declined."),
	"pm_card_visa_chargeDeclinedInsufficientFunds": declines("card_declined", "insufficient_funds",
		"Your card has insufficient funds."),
	"pm_card_visa_chargeDeclinedLostCard": declines("card_declined", "lost_card", "Your card was declined."),
	"pm_card_visa_chargeDeclinedStolenCard": declines("card_declined", "stolen_card",
		"Your card was declined."),
	"pm_card_visa_chargeDeclinedVelocityLimitExceeded": declines("card_declined", "card_velocity_exceeded",
		"Your card was declined for making repeated attempts too frequently or exceeding its amount limit."),
	"pm_card_chargeDeclinedExpiredCard": declines("expired_card", "expired_card", "Your card has expired."),
	"pm_card_chargeDeclinedIncorrectCvc": declines("incorrect_cvc", "incorrect_cvc",
		"Your card's security code is incorrect."),
	"pm_card_chargeDeclinedProcessingError": declines("processing_error", "processing_error",
		"An error occurred while processing your card. Try again in a little bit."),
	"pm_card_chargeCustomerFail": attachable(declines("card_declined",
		"generic_decline", "Your card was declined.")),
	"pm_card_authenticationRequired": attachable(declines("authentication_required",
		"authentication_required", "Your card was declined. This transaction requires authentication.")),

	"pm_card_pendingRefund": {refunds: "pending"},
	"pm_card_refundFail":    {refunds: "fail"},

	"pm_sim_pending":         {pending: true},
	"pm_sim_requires_action": {needsAction: true},
	"pm_sim_hang":            {hang: true},
	"pm_sim_hang_dropped":    {hang: true, dropped: true},
	"pm_sim_500_captured":    {fail500: true},
	"pm_sim_500_dropped":     {fail500: true, dropped: true},
	"pm_sim_refuse":          {refuse: true},
}

func attachable(b behaviour) behaviour {
	b.unattached = false
	return b
}

var (
	slowName    = regexp.MustCompile(`^pm_sim_slow_([0-9]{1,6})$`)
	pendingName = regexp.MustCompile(`^pm_sim_pending_([0-9]{1,6})s_(succeed|fail)$`)
)

// behaviourNamed returns the behaviour of the fixed names and of the two families with a number.
func behaviourNamed(name string) (behaviour, bool) {
	if b, known := behaviours[name]; known {
		return b, true
	}
	if m := slowName.FindStringSubmatch(name); m != nil {
		ms, _ := strconv.Atoi(m[1]) // the pattern admits digits only
		return behaviour{delay: time.Duration(ms) * time.Millisecond}, true
	}
	if m := pendingName.FindStringSubmatch(name); m != nil {
		sec, _ := strconv.Atoi(m[1])
		to := map[string]string{"succeed": succeeded, "fail": failed}[m[2]]
		return behaviour{pending: true, settleAfter: time.Duration(sec) * time.Second, settleTo: to}, true
	}
	return behaviour{}, false
}

// behaviourNames is for the message that refuses an unknown one.
func behaviourNames() []string {
	return append(slices.Sorted(maps.Keys(behaviours)),
		"pm_sim_slow_<ms>", "pm_sim_pending_<n>s_succeed", "pm_sim_pending_<n>s_fail")
}

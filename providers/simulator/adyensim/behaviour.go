package adyensim

import (
	"regexp"
	"strconv"
	"time"

	"perennial/providers/simulator/core"
)

// behaviour is the provider's reaction to a stored card. The zero value authorises at once.
type behaviour struct {
	result      string // a resultCode other than Authorised
	refusal     string // refusalReasonCode, of Refused
	settleAfter time.Duration
	settleTo    core.Settlement // of Pending: automatically; empty waits for a control
	delay       time.Duration
	overloaded  bool // 429, surely not carried out
	dropped     bool // the failure below strikes before anything is done
	hang        bool
	fail500     bool
	refunds     string // "", pending, refused, returned
	missing     bool
	asks        bool // the bank wants the payer there: a payment in the payer's absence is refused with 38
}

// behaviours are stored cards by name. SIM_ is ours: a stored card of Adyen's has no trigger in its name.
var behaviours = map[string]behaviour{
	"SIM_OK":              {},
	"SIM_PENDING":         {result: resultPending},
	"SIM_RECEIVED":        {result: "Received"},
	"SIM_ERROR":           {result: resultError, refusal: "4"},
	"SIM_CANCELLED":       {result: resultCancelled, refusal: "15"},
	"SIM_PARTIAL":         {result: resultPartial},
	"SIM_REDIRECT":        {result: resultRedirect},
	"SIM_AUTHENTICATE":    {asks: true},
	"SIM_CHALLENGE":       {result: "ChallengeShopper"},
	"SIM_HANG":            {hang: true},
	"SIM_HANG_DROPPED":    {hang: true, dropped: true},
	"SIM_500_BOOKED":      {fail500: true},
	"SIM_500_DROPPED":     {fail500: true, dropped: true},
	"SIM_429":             {overloaded: true},
	"SIM_REFUND_PENDING":  {refunds: "pending"},
	"SIM_REFUND_REFUSED":  {refunds: "refused"},
	"SIM_REFUND_RETURNED": {refunds: "returned"},
	"SIM_MISSING":         {missing: true},
}

// holders are Adyen's test values of paymentMethod.holderName.
var holders = map[string]string{
	"DECLINED": "2", "BLOCK_CARD": "5", "CARD_EXPIRED": "6", "NOT_ENOUGH_BALANCE": "12",
}

// reasons are Adyen's texts of the refusals that tests use.
var reasons = map[string]string{
	"2": "Refused", "4": "Acquirer Error", "5": "Blocked Card", "6": "Expired Card", "8": "Invalid Card Number",
	"9": "Issuer Unavailable", "10": "Not supported", "11": "3D Not Authenticated", "12": "Not enough balance",
	"15": "Cancelled", "20": "FRAUD",
	"24": "CVC Declined", "25": "Restricted Card", "26": "Revocation Of Auth", "28": "Withdrawal amount exceeded",
	"29": "Withdrawal count exceeded", "38": "Authentication required",
}

func reasonOf(code string) string {
	if text, known := reasons[code]; known {
		return text
	}
	return "Declined Non Generic"
}

var (
	storedID    = regexp.MustCompile(`^[A-Z0-9]{16}$`)
	refuseName  = regexp.MustCompile(`^SIM_REFUSE_([0-9]{1,3})$`)
	slowName    = regexp.MustCompile(`^SIM_SLOW_([0-9]{1,6})$`)
	pendingName = regexp.MustCompile(`^SIM_PENDING_([0-9]{1,6})S_(SUCCEED|FAIL)$`)
)

// behaviourNamed returns the behaviour of the fixed names, of the families with a number, and of every well-formed
// stored card.
func behaviourNamed(name string) (behaviour, bool) {
	if b, known := behaviours[name]; known {
		return b, true
	}
	if m := refuseName.FindStringSubmatch(name); m != nil {
		return behaviour{result: resultRefused, refusal: m[1]}, true
	}
	if m := slowName.FindStringSubmatch(name); m != nil {
		ms, _ := strconv.Atoi(m[1]) // the pattern admits digits only
		return behaviour{delay: time.Duration(ms) * time.Millisecond}, true
	}
	if m := pendingName.FindStringSubmatch(name); m != nil {
		sec, _ := strconv.Atoi(m[1])
		to := map[string]core.Settlement{"SUCCEED": core.Succeed, "FAIL": core.Fail}[m[2]]
		return behaviour{result: resultPending, settleAfter: time.Duration(sec) * time.Second, settleTo: to}, true
	}
	return behaviour{}, storedID.MatchString(name)
}

// behaviourOf returns the script of the card for this shopper, of the shopper or of the card, or else the behaviour of
// the card's name; a card without any of these does not exist. Adyen's own test values win.
func (d *Dialect) behaviourOf(in *paymentRequest) behaviour {
	name := in.PaymentMethod.StoredPaymentMethodID
	for _, script := range []string{in.ShopperReference + " " + name, in.ShopperReference, name} {
		if b, scripted := d.state.scripts[script]; scripted {
			name = b
			break
		}
	}
	b, known := behaviourNamed(name)
	b.missing = b.missing || !known
	switch {
	case b.asks && in.authenticates():
		b.result = resultRedirect
	case b.asks:
		b.result, b.refusal = resultRefused, authenticationRequired
	}
	code := holders[in.PaymentMethod.HolderName]
	if asked := in.AdditionalData["RequestedTestAcquirerResponseCode"]; asked != "" {
		code = asked
	}
	if code != "" {
		b = behaviour{result: resultRefused, refusal: code}
	}
	if in.PaymentMethod.HolderName == "ERROR" {
		b = behaviour{result: resultError, refusal: "4"}
	}
	return b
}

func (d *Dialect) bankDelay(c *core.Call) time.Duration {
	in := input[paymentRequest](c)
	if in == nil || in.PaymentMethod == nil {
		return 0
	}
	return d.behaviourOf(in).delay
}

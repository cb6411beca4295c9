package flutterwavesim

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// behaviour is the provider's reaction to a payment method. The zero value captures: a card at once, a prompt when its
// payer confirms it.
type behaviour struct {
	declined string        // type of the processor's response
	next     string        // the payer's next action
	pending  bool          // until it is settled
	after    time.Duration // of a pending charge, with to
	to       string        // succeeded, failed
	delay    time.Duration
	refuse   bool // 429, surely not processed
	dropped  bool // the failure below strikes before anything is done
	hang     bool
	fail500  bool
	refunds  string // how refunds of it go: "", pending
}

// processorTypes are the refusals that Flutterwave's test cards can have, with the codes of ISO 8583.
var processorTypes = map[string]string{
	"blocked_first_use": "78", "do_not_honor": "05", "exceeds_approval_amount_limit": "61",
	"exceeds_withdrawal_limit": "65", "expired_card": "54", "insufficient_funds": "51", "invalid_account_number": "14",
	"invalid_cvv": "N7", "lost_card_pick_up": "41", "negative_cvv_result": "N7", "no_checking_account": "52",
	"no_savings_account": "53", "no_such_issuer": "15", "pick_up_card_no_fraud": "04", "pick_up_card_special": "07",
	"pin_entry_tries_exceeded": "75", "security_violation": "63", "stolen_card_pick_up": "43",
	"suspected_fraud": "59", "system_error": "96", "unable_to_locate_record_in_file": "25",
}

// The names of saved cards begin so; refusals of the processor follow the first.
const (
	cardName = "pmd_card_"
	simName  = "pmd_sim_"
)

var behaviours = map[string]behaviour{
	"pmd_card_visa":       {},
	"pmd_card_mastercard": {},

	"pmd_sim_pending":                    {pending: true},
	"pmd_sim_requires_pin":               {pending: true, next: "requires_pin"},
	"pmd_sim_requires_otp":               {pending: true, next: "requires_otp"},
	"pmd_sim_requires_additional_fields": {pending: true, next: "requires_additional_fields"},
	"pmd_sim_redirect_url":               {pending: true, next: "redirect_url"},
	"pmd_sim_hang":                       {hang: true},
	"pmd_sim_hang_dropped":               {hang: true, dropped: true},
	"pmd_sim_500_captured":               {fail500: true},
	"pmd_sim_500_dropped":                {fail500: true, dropped: true},
	"pmd_sim_refuse":                     {refuse: true},
	"pmd_sim_refund_pending":             {refunds: "pending"},
}

// suffixes are the last three digits of phone numbers that do not confirm. They are those of pawaPay's sandbox, so that
// one customer fits both providers; Flutterwave documents none.
var suffixes = map[string]behaviour{
	"019": {declined: "exceeds_withdrawal_limit"},
	"029": {declined: "unable_to_locate_record_in_file"},
	"039": {declined: "do_not_honor"},
	"049": {declined: "insufficient_funds"},
	"059": {pending: true},
	"069": {declined: "system_error"},
	"129": {pending: true},
}

var (
	slowName    = regexp.MustCompile(`^pmd_sim_slow_([0-9]{1,6})$`)
	pendingName = regexp.MustCompile(`^pmd_sim_pending_([0-9]{1,6})s_(succeed|fail)$`)
)

// behaviourNamed returns the behaviour of the fixed names and the families.
func behaviourNamed(name string) (behaviour, bool) {
	if b, known := behaviours[name]; known {
		return b, true
	}
	if kind, isCard := strings.CutPrefix(name, cardName); isCard && processorTypes[kind] != "" {
		return behaviour{declined: kind}, true
	}
	if m := slowName.FindStringSubmatch(name); m != nil {
		ms, _ := strconv.Atoi(m[1]) // the pattern admits digits only
		return behaviour{delay: time.Duration(ms) * time.Millisecond}, true
	}
	if m := pendingName.FindStringSubmatch(name); m != nil {
		sec, _ := strconv.Atoi(m[1])
		to := map[string]string{"succeed": succeeded, "fail": statusFailed}[m[2]]
		return behaviour{pending: true, after: time.Duration(sec) * time.Second, to: to}, true
	}
	return behaviour{}, false
}

// behaviourNames is for the message that refuses an unknown one.
func behaviourNames() []string {
	return append(slices.Sorted(maps.Keys(behaviours)),
		"pmd_card_<processor type>", "pmd_sim_slow_<ms>", "pmd_sim_pending_<n>s_succeed", "pmd_sim_pending_<n>s_fail")
}

// scenarios are the values of the sandbox's X-Scenario-Key: the action that a card requires of its owner.
var scenarios = map[string]string{
	"auth_pin": "requires_pin", "auth_pin_3ds": "requires_pin", "auth_3ds": "redirect_url",
	"auth_avs": "requires_additional_fields", "auth_redirect": "redirect_url",
}

// withScenario reads `scenario:auth_pin&issuer:insufficient_funds`, either part of which may be absent.
func (b behaviour) withScenario(header string) behaviour {
	for part := range strings.SplitSeq(header, "&") {
		name, value, _ := strings.Cut(part, ":")
		switch {
		case name == "scenario" && scenarios[value] != "":
			b = behaviour{pending: true, next: scenarios[value]}
		case name == "issuer" && processorTypes[value] != "" && b.next == "":
			b.declined = value
		}
	}
	return b
}

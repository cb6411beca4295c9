package pawapaysim

import (
	"maps"
	"slices"
)

// behaviour is the operator's reaction to a payer's number. The zero value leaves the prompt to the control API.
type behaviour struct {
	settle  string // completed, or the code of a failure, after the operator's latency
	status  string // of a deposit that never ends automatically
	refuse  string // REJECTED with the code
	unknown bool   // 500 UNKNOWN_ERROR
	dropped bool   // nothing is booked
	refunds string // how refunds go: "" completed, held, failed
}

// behaviours has the behaviours by the last three digits of a telephone number: those of pawaPay's sandbox, and ours
// from 900 on.
var behaviours = map[string]behaviour{
	"019": {settle: "PAYER_LIMIT_REACHED"},
	"029": {settle: "PAYER_NOT_FOUND"},
	"039": {settle: "PAYMENT_NOT_APPROVED"},
	"049": {settle: "INSUFFICIENT_BALANCE"},
	"059": {status: inReconciliation},
	"069": {settle: "UNSPECIFIED_FAILURE"},
	"129": {status: processing},
	"789": {settle: completed},

	"901":    {settle: completed, refunds: "held"},
	"902":    {settle: completed, refunds: "failed"},
	"911":    {refuse: "PROVIDER_TEMPORARILY_UNAVAILABLE"},
	"912":    {settle: completed, unknown: true},
	"913":    {unknown: true, dropped: true},
	"prompt": {},
}

// behaviour returns the behaviour of a number: its script's, or else that of its last digits.
func (d *Dialect) behaviour(suffix string) behaviour {
	if named, has := d.state.scripts[suffix]; has {
		return behaviours[named]
	}
	return behaviours[suffix]
}

func behaviourNames() []string { return slices.Sorted(maps.Keys(behaviours)) }

// messages explain the failures. The first quotes a telephone number, so that redaction has something to find.
var messages = map[string]string{
	"INSUFFICIENT_BALANCE": "The wallet +250 788 000 049 has too little money.",
	"PAYER_LIMIT_REACHED":  "The payer has reached a limit of the wallet.",
	"PAYER_NOT_FOUND":      "There is no such wallet at the operator.",
	"PAYMENT_NOT_APPROVED": "The payer did not approve the payment.",
	"UNSPECIFIED_FAILURE":  "The operator gave no reason.",
}

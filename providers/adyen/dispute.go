package adyen

import (
	"time"

	"perennial/providers"
)

// stage is where a dispute stands after an event, and whether the bank then has the money. Whatever else Adyen says of
// it (disputeStatus) is not signed.
type stage struct {
	order int
	state providers.DisputeState
	taken bool
}

// stages are the events of a dispute, by the order in which the card schemes let them happen. That a lost
// pre-arbitration takes the money of a chargeback that was defended is unverified. A closed dispute may be overturned.
var stages = map[string]stage{
	"REQUEST_FOR_INFORMATION":           {1, providers.DisputeOpen, false},
	"NOTIFICATION_OF_CHARGEBACK":        {2, providers.DisputeOpen, false},
	"CHARGEBACK":                        {3, providers.DisputeOpen, true},
	"CHARGEBACK_REVERSED":               {4, providers.DisputeWon, false},
	"ISSUER_RESPONSE_TIMEFRAME_EXPIRED": {5, providers.DisputeWon, false},
	"SECOND_CHARGEBACK":                 {6, providers.DisputeLost, true},
	"PREARBITRATION_ISSUER_WITHDRAWN":   {7, providers.DisputeWon, false},
	"PREARBITRATION_WON":                {7, providers.DisputeWon, false},
	"PREARBITRATION_LOST":               {7, providers.DisputeLost, true},
	"SCHEME_ARBITRATION_WON":            {8, providers.DisputeWon, false},
	"SCHEME_ARBITRATION_LOST":           {8, providers.DisputeLost, true},
}

// dispute is about a charge that was captured. Its reference is the dispute's own, which all its events carry.
func (s statement) dispute(at stage) (providers.Kind, *providers.Result) {
	if s.op != opCharge || !s.done() {
		return providers.KindUnknown, nil
	}
	d := providers.Dispute{
		Ref: s.PSPReference, State: at.state, Amount: s.amount, Currency: s.currency, Stage: at.order,
	}
	if at.taken {
		d.Withdrawn = s.amount
	}
	if due, err := time.Parse(time.RFC3339, s.AdditionalData.DefensePeriodEndsAt); err == nil {
		d.EvidenceDueAt = due.UTC() // not signed: it reminds a person, no more
	}
	return providers.KindDisputed, &providers.Result{
		Outcome: providers.Succeeded, Ref: s.OriginalReference, Disputes: []providers.Dispute{d},
	}
}

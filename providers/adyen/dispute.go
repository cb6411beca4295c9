package adyen

import (
	"time"

	"perennial/providers"
)

// step is the state of a dispute after an event, and whether the bank then has the money. Adyen's other statements
// about it (disputeStatus) are not signed.
type step struct {
	order int
	stage providers.DisputeStage
	state providers.DisputeState
	taken bool
}

// steps are the events of a dispute, by the order in which the card schemes let them happen. That a lost
// pre-arbitration takes the money of a chargeback that was defended is unverified. A closed dispute may be overturned.
var steps = map[string]step{
	"REQUEST_FOR_INFORMATION":           {1, providers.StageInquiry, providers.DisputeOpen, false},
	"NOTIFICATION_OF_CHARGEBACK":        {2, providers.StageChargeback, providers.DisputeOpen, false},
	"CHARGEBACK":                        {3, providers.StageChargeback, providers.DisputeOpen, true},
	"CHARGEBACK_REVERSED":               {4, providers.StageChargeback, providers.DisputeWon, false},
	"ISSUER_RESPONSE_TIMEFRAME_EXPIRED": {5, providers.StageChargeback, providers.DisputeWon, false},
	"SECOND_CHARGEBACK":                 {6, providers.StageArbitration, providers.DisputeLost, true},
	"PREARBITRATION_ISSUER_WITHDRAWN":   {7, providers.StageArbitration, providers.DisputeWon, false},
	"PREARBITRATION_WON":                {7, providers.StageArbitration, providers.DisputeWon, false},
	"PREARBITRATION_LOST":               {7, providers.StageArbitration, providers.DisputeLost, true},
	"SCHEME_ARBITRATION_WON":            {8, providers.StageArbitration, providers.DisputeWon, false},
	"SCHEME_ARBITRATION_LOST":           {8, providers.StageArbitration, providers.DisputeLost, true},
}

// dispute is about a charge that was captured. Its reference is the dispute's own, which all its events carry. Nothing
// signs the reason and the time to answer by: they inform a person, no more.
func (s statement) dispute(at step) (providers.Kind, *providers.Result) {
	if s.op != opCharge || !s.done() {
		return providers.KindUnknown, nil
	}
	d := providers.Dispute{
		Ref: s.PSPReference, State: at.state, Stage: at.stage, Amount: s.amount, Currency: s.currency, Order: at.order,
		Reason: s.AdditionalData.ChargebackReasonCode,
	}
	if at.taken {
		d.Withdrawn = s.amount
	}
	if due, err := time.Parse(time.RFC3339, s.AdditionalData.DefensePeriodEndsAt); err == nil {
		d.EvidenceDueAt = due.UTC()
	}
	return providers.KindDisputed, &providers.Result{
		Outcome: providers.Succeeded, Ref: s.OriginalReference, Disputes: []providers.Dispute{d},
	}
}

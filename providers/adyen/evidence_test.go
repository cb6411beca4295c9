package adyen

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/providers"
)

// Every event, for every operation that our reference may name.
func TestEvidence(t *testing.T) {
	t.Parallel()
	a := open(t, providers.Account{})
	result := func(outcome providers.Outcome, ref string) *providers.Result {
		return &providers.Result{Outcome: outcome, Ref: ref, Amount: 1999, Currency: "EUR"}
	}
	declined := func(outcome providers.Outcome, ref, reason string) *providers.Result {
		r := result(outcome, ref)
		r.FailureCode, r.FailureReason = providers.DeclinedCode, reason
		return r
	}
	failedRefund := func(reason string) *providers.Result {
		r := result(providers.Failed, "PSP1")
		r.FailureReason = reason
		return r
	}
	elsewhere := func(failed bool) *providers.Result {
		return &providers.Result{Outcome: providers.Succeeded, Ref: "O1", Refunds: []providers.SeenRefund{
			{Ref: "PSP1", Amount: 1999, Failed: failed},
		}}
	}
	undecided := elsewhere(true) // it does not say whether the charge was captured
	undecided.Outcome = providers.Pending
	for name, tc := range map[string]struct {
		event, success string
		op             operation
		reason         string
		kind           providers.Kind
		want           *providers.Result
	}{
		"paid": {
			"AUTHORISATION", "true", opCharge, "", providers.KindSucceeded,
			result(providers.Succeeded, "PSP1"),
		},
		"refused": {
			"AUTHORISATION", "false", opCharge, "Not enough balance", providers.KindFailed,
			declined(providers.Failed, "PSP1", "Not enough balance"),
		},
		"refused, spoken": {
			"AUTHORISATION", "false", opCharge, "Casey Holder", providers.KindFailed,
			declined(providers.Failed, "PSP1", "the payment was refused"),
		},
		"paid, nobody asked": {
			"AUTHORISATION", "true", opUnattended, "", providers.KindSucceeded,
			result(providers.Succeeded, "PSP1"),
		},
		"refused, perhaps asked then": {
			"AUTHORISATION", "false", opUnattended, "Authentication required", providers.KindFailed,
			declined(providers.Failed, "PSP1", "Authentication required"),
		},
		"not a charge":  {"AUTHORISATION", "true", opCancel, "", "", nil},
		"not a boolean": {"AUTHORISATION", "yes", opCharge, "", "", nil},

		"canceled":       {"CANCELLATION", "true", opCancel, "", providers.KindFailed, result(providers.Canceled, "O1")},
		"by a person":    {"CANCELLATION", "true", opCharge, "", providers.KindFailed, result(providers.Canceled, "O1")},
		"cancel refused": {"CANCELLATION", "false", opCancel, "", "", nil},
		"by reference": {
			"TECHNICAL_CANCEL", "true", opCharge, "", providers.KindFailed,
			result(providers.Canceled, "O1"),
		},
		"refused as well": {"TECHNICAL_CANCEL", "false", opCharge, "", "", nil},

		"part given back": {
			"CANCEL_OR_REFUND", "true", opReversal, "", providers.KindFailed,
			&providers.Result{
				Outcome: providers.Declined, Ref: "O1",
				FailureCode: providers.InsufficientFunds, FailureReason: "only a part of the amount was authorised",
			},
		},
		"part kept": {
			"CANCEL_OR_REFUND", "false", opReversal, "", providers.KindSucceeded,
			result(providers.Succeeded, "O1"),
		},
		"reversed": {
			"CANCEL_OR_REFUND", "true", opCharge, "", providers.KindRefunded,
			&providers.Result{
				Outcome: providers.Canceled, Ref: "O1",
				Refunds: []providers.SeenRefund{{Ref: "PSP1", Amount: 1999}},
			},
		},
		"not reversed": {"CANCEL_OR_REFUND", "false", opCharge, "", "", nil},

		"capture failed": {
			"CAPTURE_FAILED", "true", opCharge, "", providers.KindFailed,
			declined(providers.Failed, "O1", "the capture failed at the card scheme"),
		},
		"expired": {
			"EXPIRE", "true", opCharge, "", providers.KindFailed,
			declined(providers.Failed, "O1", "the authorisation expired before it was captured"),
		},

		"refunded": {
			"REFUND", "true", opRefund, "", providers.KindSucceeded,
			result(providers.Succeeded, "PSP1"),
		},
		"refund refused": {
			"REFUND", "false", opRefund, "", providers.KindFailed,
			failedRefund("Adyen refused the refund"),
		},
		"refund came back": {
			"REFUND_FAILED", "true", opRefund, "", providers.KindFailed,
			failedRefund("the refund came back"),
		},
		"refund reversed": {
			"REFUNDED_REVERSED", "true", opRefund, "", providers.KindFailed,
			failedRefund("the refund came back"),
		},
		"did not come back": {"REFUND_FAILED", "false", opRefund, "", "", nil},
		"cancel of refund":  {"CANCELLATION", "true", opRefund, "", "", nil},
		"at the dashboard":  {"REFUND", "true", opCharge, "", providers.KindRefunded, elsewhere(false)},
		"refused there":     {"REFUND", "false", opCharge, "", providers.KindRefunded, undecided},
		"came back there":   {"REFUND_FAILED", "true", opCharge, "", providers.KindRefunded, elsewhere(true)},
		"nothing there":     {"REFUND_FAILED", "false", opCharge, "", "", nil},

		"report": {"REPORT_AVAILABLE", "true", opCharge, "", "", nil},
		"token":  {"RECURRING_CONTRACT", "true", opCharge, "", "", nil},
	} {
		f := about(tc.event, fields{
			"originalReference": "O1", "success": tc.success, "reason": tc.reason,
			"merchantReference": sampleReference(tc.op),
		})
		all, err := parse(t, a, message(t, "false", signed(t, f)))
		require.NoError(t, err)
		cb := all[0]
		if tc.want == nil {
			require.Equal(t, providers.Callback{EventID: cb.EventID, Type: tc.event}, cb, name)
			continue
		}
		require.Equal(t, [3]any{"txn_42", tc.kind, tc.want.Ref}, [3]any{cb.TransactionID, cb.Kind, cb.Ref}, name)
		require.NotContains(t, string(cb.Evidence.Response), "Casey", name)
		require.Contains(t, string(cb.Evidence.Response), `"pspReference":"PSP1"`, name)
		cb.Evidence.Response = nil
		require.Equal(t, tc.want, cb.Evidence, name)
		perhapsAsked := tc.op == opUnattended && tc.event == "AUTHORISATION" && tc.success == "false"
		require.Equal(t, perhapsAsked, cb.NeedsRef, name)
	}
}

func TestEvidence_Disputes(t *testing.T) {
	t.Parallel()
	a := open(t, providers.Account{})
	dispute := func(event string) providers.Dispute {
		f := about(event, fields{"pspReference": "DISP1", "originalReference": "PSP1", "additionalData": fields{
			"defensePeriodEndsAt": "2026-12-31T03:03:07+02:00", "disputeStatus": "Won",
			"chargebackReasonCode": "10.4",
		}})
		all, err := parse(t, a, message(t, "false", signed(t, f)))
		require.NoError(t, err)
		cb := all[0]
		require.Equal(t, [3]any{providers.KindDisputed, "txn_42", "PSP1"}, [3]any{cb.Kind, cb.TransactionID, cb.Ref}, event)
		require.Equal(t, providers.Succeeded, cb.Evidence.Outcome, "what is disputed was captured")
		require.Zero(t, cb.Evidence.Amount, "of the charge the message says nothing")
		require.Len(t, cb.Evidence.Disputes, 1)
		return cb.Evidence.Disputes[0]
	}
	require.Equal(t, providers.Dispute{
		Ref: "DISP1", State: providers.DisputeOpen, Amount: 1999, Currency: "EUR", Withdrawn: 1999, Order: 3,
		Stage: providers.StageChargeback, Reason: "10.4",
		EvidenceDueAt: time.Date(2026, 12, 31, 1, 3, 7, 0, time.UTC),
	}, dispute("CHARGEBACK"))
	for event, want := range map[string]struct {
		state providers.DisputeState
		taken bool
	}{
		"REQUEST_FOR_INFORMATION":           {providers.DisputeOpen, false},
		"NOTIFICATION_OF_CHARGEBACK":        {providers.DisputeOpen, false},
		"CHARGEBACK_REVERSED":               {providers.DisputeWon, false},
		"ISSUER_RESPONSE_TIMEFRAME_EXPIRED": {providers.DisputeWon, false},
		"SECOND_CHARGEBACK":                 {providers.DisputeLost, true},
		"PREARBITRATION_WON":                {providers.DisputeWon, false},
		"PREARBITRATION_LOST":               {providers.DisputeLost, true},
		"PREARBITRATION_ISSUER_WITHDRAWN":   {providers.DisputeWon, false},
		"SCHEME_ARBITRATION_WON":            {providers.DisputeWon, false},
		"SCHEME_ARBITRATION_LOST":           {providers.DisputeLost, true},
	} {
		d := dispute(event)
		require.Equal(t, want.state, d.State, event)
		require.Equal(t, want.taken, d.Withdrawn == d.Amount, event)
		require.Positive(t, d.Order, event)
	}
	require.Less(t, dispute("CHARGEBACK").Order, dispute("CHARGEBACK_REVERSED").Order)
	require.Less(t, dispute("CHARGEBACK_REVERSED").Order, dispute("SECOND_CHARGEBACK").Order)
}

// An unreadable amount needs review: nothing is booked with a guessed amount.
func TestEvidence_UnreadableAmount(t *testing.T) {
	t.Parallel()
	a := open(t, providers.Account{})
	for _, amount := range []fields{
		{"value": 1050, "currency": "ISK"}, {"value": 1, "currency": "QQQQ"}, {"value": 10.5, "currency": "EUR"},
		{"value": 700, "currency": "BIF"}, {"value": 700, "currency": "CLF"}, {"value": 700, "currency": "UYW"},
	} {
		all, err := parse(t, a, message(t, "false", signed(t, about("AUTHORISATION", fields{"amount": amount}))))
		require.NoError(t, err)
		require.Equal(t, [4]any{"AUTHORISATION", "txn_42", "PSP1", providers.KindUnknown},
			[4]any{all[0].Type, all[0].TransactionID, all[0].Ref, all[0].Kind})
		e := all[0].Evidence
		require.Equal(t, [4]any{providers.Succeeded, "PSP1", providers.UnreadableAmount, money.Currency("")},
			[4]any{e.Outcome, e.Ref, e.Amount, e.Currency})
		require.NotEmpty(t, e.Response)
	}
	all, err := parse(t, a, message(t, "false", signed(t, about("AUTHORISATION", fields{
		"amount": fields{"value": 10000, "currency": "ISK"},
	}))))
	require.NoError(t, err)
	require.EqualValues(t, 100, all[0].Evidence.Amount, "ISK 100 is 10000 at Adyen")
}

func TestParseCallback_OtherMerchantAccount(t *testing.T) {
	t.Parallel()
	a := open(t, providers.Account{})
	all, err := parse(t, a, message(t, "false",
		signed(t, about("AUTHORISATION", fields{"merchantAccountCode": "AcmePOS"}))))
	require.NoError(t, err)
	require.Equal(t, providers.Callback{EventID: "AUTHORISATION:PSP1:true", Type: "AUTHORISATION"}, all[0])
}

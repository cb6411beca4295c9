package adyen_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers"
	"perennial/providers/adyen"
	"perennial/providers/conformance"
	"perennial/providers/simulator/adyensim"
	"perennial/providers/simulator/core"
)

// simulated is an adapter with its simulated Adyen.
type simulated struct {
	providers.Provider
	rig *conformance.Rig
}

func simulate(t *testing.T) simulated {
	t.Helper()
	rig := conformance.NewRig(t, time.Now, adyensim.New(adyensim.Config{}), conformanceHMAC)
	p, err := adyen.Factory{}.Open(providers.Account{BaseURL: rig.URL, Credentials: map[string]string{
		adyen.FieldAPIKey: conformanceKey, adyen.FieldMerchantAccount: "AcmeECOM", adyen.FieldWebhookSecret: conformanceHMAC,
	}})
	require.NoError(t, err)
	return simulated{Provider: p, rig: rig}
}

const chargeKey = "8f1c5e1e-6a39-5d0c-9d27-1f6f8f6c0b11"

func (s simulated) charge(t *testing.T, token string) providers.Result {
	t.Helper()
	res, err := s.Charge(t.Context(), providers.ChargeRequest{
		TransactionID: "txn_1", Key: chargeKey, Amount: 1999, Currency: "EUR", Method: card(token),
	})
	require.NoError(t, err)
	return res
}

// heard parses the message that arrived next.
func (s simulated) heard(t *testing.T) []providers.Callback {
	t.Helper()
	said, ack, err := s.ParseCallback(t.Context(), s.rig.NextCallback(t), time.Now())
	require.NoError(t, err)
	require.Equal(t, "[accepted]", ack.Body)
	return said
}

// only returns what a message of one item proves about the charge.
func (s simulated) only(t *testing.T, kind providers.Kind) providers.Result {
	t.Helper()
	said := s.heard(t)
	require.Len(t, said, 1)
	require.Equal(t, [2]any{kind, "txn_1"}, [2]any{said[0].Kind, said[0].TransactionID})
	require.NotNil(t, said[0].Evidence)
	return *said[0].Evidence
}

func TestSimulated_Disputes(t *testing.T) {
	t.Parallel()
	for _, end := range []struct {
		status    string
		state     providers.DisputeState
		withdrawn int64
		returned  int
	}{{"won", providers.DisputeWon, 0, 1}, {"lost", providers.DisputeLost, 1999, 0}} {
		s := simulate(t)
		charge := s.charge(t, "M5N7TQ4TG5PFWR50")
		s.rig.Dispute(t, charge.Ref, false)
		said := s.heard(t)
		require.Len(t, said, 2, "chargeback and its notification arrive together, in any order")
		opened := said[0].Evidence.Disputes[0]
		require.EqualValues(t, 1999, opened.Withdrawn)
		require.Equal(t, providers.DisputeOpen, opened.State)
		require.False(t, opened.EvidenceDueAt.IsZero())
		noticed := said[1].Evidence.Disputes[0]
		require.Equal(t, opened.Ref, noticed.Ref)
		require.Less(t, noticed.Order, opened.Order)
		require.NotEqual(t, said[0].EventID, said[1].EventID)
		require.Len(t, s.rig.Movements(t, core.DisputeWithdrawn), 1)

		s.rig.CloseDispute(t, opened.Ref, end.status)
		closed := s.only(t, providers.KindDisputed)
		require.Equal(t, charge.Ref, closed.Ref)
		require.Equal(t, end.state, closed.Disputes[0].State)
		require.EqualValues(t, end.withdrawn, closed.Disputes[0].Withdrawn)
		require.Greater(t, closed.Disputes[0].Order, opened.Order)
		require.Len(t, s.rig.Movements(t, core.DisputeReturned), end.returned)
	}
}

func TestSimulated_InquiryMovesNoMoney(t *testing.T) {
	t.Parallel()
	s := simulate(t)
	s.rig.Dispute(t, s.charge(t, "M5N7TQ4TG5PFWR50").Ref, true)
	opened := s.only(t, providers.KindDisputed).Disputes[0]
	require.Equal(t, [2]any{providers.DisputeOpen, true}, [2]any{opened.State, opened.Withdrawn == 0})
	s.rig.CloseDispute(t, opened.Ref, "won")
	require.Equal(t, providers.DisputeWon, s.only(t, providers.KindDisputed).Disputes[0].State)
	require.Empty(t, s.rig.Movements(t, core.DisputeWithdrawn))
}

func TestSimulated_RefundAtTheDashboard(t *testing.T) {
	t.Parallel()
	s := simulate(t)
	charge := s.charge(t, "M5N7TQ4TG5PFWR50")
	s.rig.RefundElsewhere(t, charge.Ref)
	made := s.only(t, providers.KindRefunded)
	require.Equal(t, [2]any{providers.Succeeded, charge.Ref}, [2]any{made.Outcome, made.Ref})
	require.Len(t, made.Refunds, 1)
	refund := made.Refunds[0]
	require.Equal(t, providers.SeenRefund{Ref: refund.Ref, Amount: 1999}, refund)
	s.rig.SettleRefund(t, refund.Ref, "failed")
	returned := s.only(t, providers.KindRefunded)
	require.Equal(t, []providers.SeenRefund{{Ref: refund.Ref, Amount: 1999, Failed: true}}, returned.Refunds)
	require.Len(t, s.rig.Movements(t, core.RefundReturned), 1)
}

func TestSimulated_CancelByEitherReference(t *testing.T) {
	t.Parallel()
	for _, known := range []bool{true, false} {
		s := simulate(t)
		charge := s.charge(t, "SIM_PENDING")
		in := providers.LookupRequest{TransactionID: "txn_1", Key: chargeKey}
		if known {
			in.Ref = charge.Ref
		}
		res, err := s.CancelCharge(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, providers.Pending, res.Outcome)
		proof := s.only(t, providers.KindFailed)
		require.Equal(t, [2]any{providers.Canceled, charge.Ref}, [2]any{proof.Outcome, proof.Ref})
		require.Len(t, s.rig.Movements(t, core.Canceled), 1)

		_, err = s.CancelCharge(t.Context(), in)
		require.NoError(t, err)
		said := s.heard(t)
		require.Nil(t, said[0].Evidence, "a refused cancel proves nothing")
		require.Empty(t, said[0].TransactionID)
	}
}

func TestSimulated_PartialAuthorisation(t *testing.T) {
	t.Parallel()
	s := simulate(t)
	res := s.charge(t, "SIM_PARTIAL")
	require.Equal(t, providers.Declined, res.Outcome)
	taken, back := s.rig.Movements(t, core.Capture), s.rig.Movements(t, core.Refunded)
	require.Len(t, taken, 1)
	require.Len(t, back, 1)
	require.Equal(t, taken[0].Amount, back[0].Amount)
	proof := s.only(t, providers.KindFailed)
	require.Equal(t, providers.Declined, proof.Outcome, "the reversal leaves the charge declined")
	require.Equal(t, res.Outcome, s.charge(t, "SIM_PARTIAL").Outcome)
	require.Len(t, s.rig.Movements(t, core.Refunded), 1, "a repeat gives nothing back twice")
}

// The reversal did not get through: the charge is neither declined nor forgotten, and a repeat gives the part back.
func TestSimulated_PartialAuthorisationReversedByRepeat(t *testing.T) {
	t.Parallel()
	s := simulate(t)
	s.rig.Fault(t, "503", "POST /v71/payments/")
	require.Equal(t, providers.Unknown, s.charge(t, "SIM_PARTIAL").Outcome)
	s.rig.EndFaults(t)
	require.Equal(t, providers.Declined, s.charge(t, "SIM_PARTIAL").Outcome)
	require.Len(t, s.rig.Movements(t, core.Capture), 1)
	require.Len(t, s.rig.Movements(t, core.Refunded), 1)
}

// A charge whose payer was asked is canceled without the provider's reference: of its two payments, the one that asks.
func TestSimulated_CancelsAChargeThatAsks(t *testing.T) {
	t.Parallel()
	s := simulate(t)
	asked, err := s.Charge(t.Context(), providers.ChargeRequest{
		TransactionID: "txn_1", Key: chargeKey, Amount: 1999, Currency: "EUR", Method: card("SIM_AUTHENTICATE"),
		ReturnURL: "https://billing.example/confirm/TOKEN/return", AskedApart: true,
	})
	require.NoError(t, err)
	require.Equal(t, providers.Pending, asked.Outcome)

	canceled, err := s.CancelCharge(t.Context(), providers.LookupRequest{
		TransactionID: "txn_1", Key: chargeKey, AskedApart: true,
	})
	require.NoError(t, err)
	require.Equal(t, providers.Pending, canceled.Outcome)
	for range 2 { // in any order
		if c := s.heard(t)[0]; c.Evidence != nil {
			require.Equal(t, [3]any{providers.Canceled, asked.Ref, false}, [3]any{c.Evidence.Outcome, c.Ref, c.NeedsRef})
			return
		}
	}
	require.Fail(t, "the payment that asked was not canceled")
}

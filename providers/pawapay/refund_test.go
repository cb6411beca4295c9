package pawapay

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/providers"
)

const (
	refundKey  = "5d0f5b3a-93f5-5c49-8a64-0a3f3c2f9d11"
	refundID   = "5d0f5b3a-93f5-4c49-8a64-0a3f3c2f9d11"
	refundPost = "POST /v2/refunds"
	refundRead = "GET /v2/refunds/" + refundID
)

func sampleRefund() providers.RefundRequest {
	return providers.RefundRequest{
		TransactionID: "txn_43", Key: refundKey, ChargeRef: depositID, Amount: 1550, Currency: "ZMW",
	}
}

func foundRefund(status, more string) string {
	return `200 {"status":"FOUND","data":{"refundId":"` + refundID + `","status":"` + status + `","amount":"15.50",` +
		`"currency":"ZMW","recipient":{"type":"MMO","accountDetails":{"phoneNumber":"` + number + `"}},` +
		`"metadata":{"txnId":"txn_43"}` + more + `}}`
}

func TestRefund_OnTheWire(t *testing.T) {
	t.Parallel()
	p, f := answering(t, map[string]string{refundPost: `200 {"refundId":"` + refundID + `","status":"ACCEPTED"}`})
	res, err := p.Refund(t.Context(), sampleRefund())
	require.NoError(t, err)
	require.Equal(t, [2]any{providers.Pending, refundID}, [2]any{clean(t, res).Outcome, res.Ref})
	require.JSONEq(t, `{"refundId":"`+refundID+`","depositId":"`+depositID+`","amount":"15.5","currency":"ZMW",
		"clientReferenceId":"txn_43","metadata":[{"txnId":"txn_43"}]}`, f.bodies[0])
}

// pawaPay's documents spell a refusal in two ways.
func TestRefund_RefusalInBothSpellings(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]providers.Outcome{
		"REFUND_IN_PROGRESS": providers.NotSent, "AMOUNT_TOO_LARGE": providers.Failed,
		"DEPOSIT_ALREADY_REFUNDED": providers.Failed, "INVALID_STATE": providers.Failed,
		"PROVIDER_TEMPORARILY_UNAVAILABLE": providers.NotSent,
	} {
		for _, spelling := range []string{
			`"failureReason":{"failureCode":"` + code + `","failureMessage":"so it is"}`,
			`"rejectionReason":{"rejectionCode":"` + code + `","rejectionMessage":"so it is"}`,
		} {
			p, _ := answering(t, map[string]string{
				refundPost: `200 {"refundId":"` + refundID + `","status":"REJECTED",` + spelling + `}`, refundRead: absent,
			})
			res, err := p.Refund(t.Context(), sampleRefund())
			require.NoError(t, err)
			require.Equal(t, want, clean(t, res).Outcome, code)
			require.Equal(t, code+": so it is", res.FailureReason)
			require.Contains(t, string(res.Response), code)
			if code == "REFUND_IN_PROGRESS" {
				require.Equal(t, time.Minute, res.RetryAfter)
			}
		}
	}
}

func TestLookupRefund_StatusToOutcome(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]providers.Outcome{
		foundRefund("ACCEPTED", ""): providers.Pending, foundRefund("ENQUEUED", ""): providers.Pending,
		foundRefund("PROCESSING", ""): providers.Pending, foundRefund("COMPLETED", ""): providers.Succeeded,
		foundRefund("FAILED", `,"failureReason":{"failureCode":"RECIPIENT_NOT_FOUND"}`): providers.Failed,
		absent: providers.NotFound, "500 ": providers.Unknown,
	} {
		p, _ := answering(t, map[string]string{refundRead: answer})
		for _, in := range []providers.LookupRequest{
			{TransactionID: "txn_43", Key: refundKey, ChargeRef: depositID}, {TransactionID: "txn_43", Ref: refundID},
		} {
			res, err := p.LookupRefund(t.Context(), in)
			require.NoError(t, err)
			require.Equal(t, want, clean(t, res).Outcome, answer)
			if want == providers.Succeeded {
				require.Equal(t, [2]any{money.Minor(1550), refundID}, [2]any{res.Amount, res.Ref})
			}
		}
	}
}

func TestRefund_RepeatIsLookedUp(t *testing.T) {
	t.Parallel()
	p, f := answering(t, map[string]string{
		refundPost: `200 {"refundId":"` + refundID + `","status":"DUPLICATE_IGNORED"}`,
		refundRead: foundRefund("COMPLETED", ""),
	})
	res, err := p.Refund(t.Context(), sampleRefund())
	require.NoError(t, err)
	require.Equal(t, providers.Succeeded, res.Outcome)
	require.Equal(t, []string{refundPost, refundRead}, f.asked)
}

func TestRefund_ImpossibleRequests(t *testing.T) {
	t.Parallel()
	p, _ := answering(t, nil)
	for name, spoil := range map[string]func(*providers.RefundRequest){
		"no charge": func(in *providers.RefundRequest) { in.ChargeRef = "" },
		"no key":    func(in *providers.RefundRequest) { in.Key = "" },
		"no amount": func(in *providers.RefundRequest) { in.Amount = 0 },
		"too fine":  func(in *providers.RefundRequest) { in.Amount, in.Currency = 1235, "KWD" },
	} {
		in := sampleRefund()
		spoil(&in)
		_, err := p.Refund(t.Context(), in)
		require.Equal(t, fault.Invalid, fault.From(err).Kind, name)
	}
}

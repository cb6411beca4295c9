package flutterwave

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/providers"
)

func refundWith(status, txn string) string {
	return `{"id":"rfd_1","amount_refunded":5,"charge_id":"chg_1","status":"` + status + `",` +
		`"meta":{"txn_id":"` + txn + `"}}`
}

func TestRefund_OnTheWire(t *testing.T) {
	t.Parallel()
	f := against(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		expect(t, "POST /refunds", r.Method+" "+r.URL.Path)
		expect(t, ourRef, r.Header.Get("X-Idempotency-Key"))
		expect(t, `{"amount":5,"charge_id":"chg_1","meta":{"txn_id":"txn_43"},"reason":"requested_by_customer"}`,
			string(body))
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"message":"Refund Initiated","data":`+refundWith("new", "txn_43")+`}`)
	})
	res, err := f.Refund(t.Context(), sampleRefund())
	require.NoError(t, err)
	require.Equal(t, [4]any{providers.Pending, "rfd_1", sampleRefund().Amount, sampleRefund().Currency},
		[4]any{res.Outcome, res.Ref, res.Amount, res.Currency})
	require.Contains(t, string(res.Response), "txn_43")
}

func TestRefund_Statuses(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]providers.Outcome{
		"new": providers.Pending, "pending": providers.Pending, "requires_action": providers.Pending,
		"odd": providers.Pending, "succeeded": providers.Succeeded, "completed": providers.Succeeded,
		"failed": providers.Failed, "cancelled": providers.Failed,
	} {
		f := answering(t, 200, `{"status":"success","data":`+refundWith(status, "txn_43")+`}`)
		res, err := f.Refund(t.Context(), sampleRefund())
		require.NoError(t, err)
		require.Equal(t, want, res.Outcome, status)
		require.Equal(t, want == providers.Failed, res.FailureReason != "", status)
		found, err := f.LookupRefund(t.Context(), providers.LookupRequest{TransactionID: "txn_43", Ref: "rfd_1"})
		require.NoError(t, err)
		require.Equal(t, want, found.Outcome, status)
		require.Empty(t, found.Currency, "the charge that would name it cannot be read")
	}
}

// A refund names no currency, so its charge is read for it.
func TestLookupRefund_Amount(t *testing.T) {
	t.Parallel()
	f := against(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/refunds/rfd_1":
			_, _ = io.WriteString(w, `{"data":`+refundWith("completed", "txn_43")+`}`)
		case "/charges/chg_1":
			_, _ = io.WriteString(w, succeededCharge)
		}
	})
	res, err := f.LookupRefund(t.Context(), providers.LookupRequest{TransactionID: "txn_43", Ref: "rfd_1"})
	require.NoError(t, err)
	require.Equal(t, [3]any{providers.Succeeded, sampleRefund().Amount, sampleRefund().Currency},
		[3]any{res.Outcome, res.Amount, res.Currency})
	require.Contains(t, string(res.Response), "rfd_1", "the answer about the refund is what is stored")
}

func TestRefund_KeyOfAnotherRequest(t *testing.T) {
	t.Parallel()
	f := against(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Idempotency-Cache-Hit", "true")
		_, _ = io.WriteString(w, `{"data":`+refundWith("new", "txn_43")+`}`)
	})
	_, err := f.Refund(t.Context(), sampleRefund())
	require.NoError(t, err)
	for name, spoil := range map[string]func(*providers.RefundRequest){
		"amount": func(in *providers.RefundRequest) { in.Amount++ },
		"charge": func(in *providers.RefundRequest) { in.ChargeRef = "chg_2" },
	} {
		in := sampleRefund()
		spoil(&in)
		_, err := f.Refund(t.Context(), in)
		require.Equal(t, "provider_key_reused", fault.From(err).Code, name)
	}
}

func TestRefund_UnreadableAmountIsUnknown(t *testing.T) {
	t.Parallel()
	f := answering(t, 200, `{"data":{"id":"rfd_1","amount_refunded":5.001,"charge_id":"chg_1","status":"completed"}}`)
	res, err := f.Refund(t.Context(), sampleRefund())
	require.NoError(t, err)
	require.Equal(t, providers.Unknown, res.Outcome)
}

// A refund of the same charge without any reference of ours may still be ours.
func TestLookupRefund_WithoutItsReference(t *testing.T) {
	t.Parallel()
	const nameless = `{"id":"rfd_2","amount_refunded":5,"charge_id":"chg_1","status":"new","meta":{}}`
	for name, c := range map[string]struct {
		list    string
		charge  string
		outcome providers.Outcome
	}{
		"found":                {nameless + "," + refundWith("completed", "txn_43"), "chg_1", providers.Succeeded},
		"found by no charge":   {refundWith("completed", "txn_43"), "", providers.Succeeded},
		"none":                 {"", "chg_1", providers.NotFound},
		"another of ours":      {refundWith("completed", "txn_1"), "chg_1", providers.NotFound},
		"one of other charges": {nameless, "chg_7", providers.NotFound},
		"one without a name":   {nameless, "chg_1", providers.Unknown},
		"the same, any charge": {nameless, "", providers.Unknown},
	} {
		f := answering(t, 200, listed(c.list))
		res, err := f.LookupRefund(t.Context(), providers.LookupRequest{TransactionID: "txn_43", ChargeRef: c.charge})
		require.NoError(t, err, name)
		require.Equal(t, c.outcome, res.Outcome, name)
	}
}

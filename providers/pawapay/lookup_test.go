package pawapay

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/providers"
)

func TestLookupCharge_StatusToOutcome(t *testing.T) {
	t.Parallel()
	failed := func(code string) string {
		return found("FAILED", `,"failureReason":{"failureCode":"`+code+`","failureMessage":"of +250 783 456 789"}`)
	}
	for name, c := range map[string]struct {
		answer  string
		outcome providers.Outcome
		code    providers.FailureCode
	}{
		"completed":         {found("COMPLETED", ""), providers.Succeeded, ""},
		"accepted":          {found("ACCEPTED", ""), providers.Pending, ""},
		"submitted":         {found("SUBMITTED", ""), providers.Pending, ""},
		"processing":        {found("PROCESSING", ""), providers.Pending, ""},
		"in reconciliation": {found("IN_RECONCILIATION", ""), providers.Pending, ""},
		"a new status":      {found("SOMEWHERE", ""), providers.Pending, ""},
		"balance":           {failed("INSUFFICIENT_BALANCE"), providers.Failed, providers.InsufficientFunds},
		"wallet limit":      {failed("WALLET_LIMIT_REACHED"), providers.Failed, providers.DailyLimit},
		"payer limit":       {failed("PAYER_LIMIT_REACHED"), providers.Failed, providers.DailyLimit},
		"payer unknown":     {failed("PAYER_NOT_FOUND"), providers.Failed, providers.InvalidAccount},
		"not approved":      {failed("PAYMENT_NOT_APPROVED"), providers.Failed, providers.DeclinedCode},
		"old prompt":        {failed("PAYMENT_IN_PROGRESS"), providers.Failed, providers.DeclinedCode},
		"unspecified":       {failed("UNSPECIFIED_FAILURE"), providers.Failed, providers.DeclinedCode},
		"no reason":         {found("FAILED", ""), providers.Failed, providers.DeclinedCode},
		"not found":         {absent, providers.NotFound, ""},
		"401":               {"401 ", providers.Unknown, ""},
		"404":               {"404 {}", providers.Unknown, ""},
		"429":               {"429 ", providers.Unknown, ""},
		"503":               {"503 ", providers.Unknown, ""},
		"unknown error":     {`500 {"failureReason":{"failureCode":"UNKNOWN_ERROR"}}`, providers.Unknown, ""},
		"no JSON":           {"200 <html>", providers.Unknown, ""},
		"an empty object":   {"200 {}", providers.Unknown, ""},
		"another deposit": {
			`200 {"status":"FOUND","data":{"depositId":"` + key + `","status":"COMPLETED"}}`, providers.Unknown, "",
		},
		"a deposit without an envelope": {
			`200 {"depositId":"` + depositID + `","status":"COMPLETED"}`, providers.Unknown, "",
		},
		"an amount that is none": {
			`200 {"status":"FOUND","data":{"depositId":"` + depositID + `","status":"COMPLETED",` +
				`"amount":"1.5","currency":"RWF"}}`,
			providers.Unknown, "",
		},
	} {
		p, _ := answering(t, map[string]string{read: c.answer})
		for _, in := range []providers.LookupRequest{
			{TransactionID: "txn_42", Key: key}, {TransactionID: "txn_42", Ref: depositID},
			{TransactionID: "txn_42", Ref: depositID, Key: key, Since: true},
		} {
			res, err := p.LookupCharge(t.Context(), in)
			require.NoError(t, err, name)
			require.Equal(t, [2]any{c.outcome, c.code}, [2]any{clean(t, res).Outcome, res.FailureCode}, name)
			if res.Outcome.Final() || res.Outcome == providers.Pending {
				require.Equal(t, [3]any{depositID, money.Minor(5000), money.Currency("RWF")},
					[3]any{res.Ref, res.Amount, res.Currency}, name)
			}
			canceled, err := p.CancelCharge(t.Context(), in)
			require.NoError(t, err)
			require.Equal(t, res, canceled, "nothing can be canceled: %s", name)
		}
	}
}

func TestLookup_WithoutNameIsUnknown(t *testing.T) {
	t.Parallel()
	p, _ := answering(t, nil)
	for _, in := range []providers.LookupRequest{{}, {TransactionID: "txn_42"}, {TransactionID: "txn_42", Key: "key-1"}} {
		res, err := p.LookupCharge(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, providers.Unknown, res.Outcome)
		require.NotEmpty(t, res.FailureReason)
	}
}

func TestLookup_AnotherTransactionsReference(t *testing.T) {
	t.Parallel()
	p, _ := answering(t, map[string]string{read: found("COMPLETED", "")})
	_, err := p.LookupCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_43", Ref: depositID})
	require.Equal(t, fault.Conflict, fault.From(err).Kind)
	require.Equal(t, "provider_reference_mismatch", fault.From(err).Code)
}

func TestRedact_KeepsWhatIsAllowed(t *testing.T) {
	t.Parallel()
	p, _ := answering(t, map[string]string{read: found("FAILED",
		`,"customerMessage":"Casey Holder","customerName":"Casey Holder","providerTransactionId":"ABC123",`+
			`"failureReason":{"failureCode":"X","failureMessage":"`+token+` of 0783456789"},"new":{"status":"hidden"}`)})
	res, err := p.LookupCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_42", Key: key})
	require.NoError(t, err)
	require.JSONEq(t, `{"status":"FOUND","data":{"depositId":"`+depositID+`","status":"FAILED","amount":"5000.00",
		"currency":"RWF","country":"RWA","payer":{"accountDetails":{"provider":"MTN_MOMO_RWA"}},
		"metadata":{"txnId":"txn_42"},"providerTransactionId":"ABC123",
		"failureReason":{"failureCode":"X","failureMessage":"[redacted] of [redacted]"}}}`, string(res.Response))
	require.Equal(t, "X: [redacted] of [redacted]", res.FailureReason)
}

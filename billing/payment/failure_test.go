package payment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
)

func TestFailure_HasReason(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ                  payment.Type
		to                   payment.Status
		code, reason         string
		wantCode, wantReason string
	}{
		"as the provider said": {payment.Charge, payment.Declined, "DAILY_LIMIT", "too much", "DAILY_LIMIT", "too much"},
		"a reason and no code": {payment.Charge, payment.Failed, "", "too small", "DECLINED", "too small"},
		"a code and no reason": {payment.Charge, payment.Declined, "INVALID_ACCOUNT", "", "INVALID_ACCOUNT",
			"The provider gave no reason."},
		"a refund, not a word":  {payment.Refund, payment.Failed, "", "", "DECLINED", "The provider gave no reason."},
		"canceled has no code":  {payment.Charge, payment.Canceled, "", "", "", ""},
		"a success has neither": {payment.Charge, payment.Success, "DECLINED", "not today", "", ""},
	} {
		got, err := payment.Transaction{
			Type: c.typ, Status: payment.Pending, FailureCode: c.code, FailureReason: c.reason,
		}.Close(c.to, t0)
		require.NoError(t, err, name)
		require.Equal(t, []string{c.wantCode, c.wantReason}, []string{got.FailureCode, got.FailureReason}, name)
	}
}

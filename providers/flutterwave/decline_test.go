package flutterwave

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

func TestFailureCode(t *testing.T) {
	t.Parallel()
	for code, types := range map[providers.FailureCode]string{
		providers.InsufficientFunds: "insufficient_funds",
		providers.DailyLimit:        "exceeds_withdrawal_limit exceeds_approval_amount_limit",
		providers.InvalidAccount: "invalid_account_number expired_card no_such_issuer no_checking_account " +
			"no_savings_account unable_to_locate_record_in_file invalid_cvv negative_cvv_result",
		providers.AccountBlocked: "lost_card_pick_up stolen_card_pick_up pick_up_card_no_fraud pick_up_card_special " +
			"security_violation suspected_fraud blocked_first_use pin_entry_tries_exceeded",
		providers.DeclinedCode: "do_not_honor system_error something_new approved",
	} {
		for kind := range strings.FieldsSeq(types) {
			require.Equal(t, code, failureCode(processor{Type: kind}), kind)
			require.NotContains(t, declineReason(processor{Type: kind}), "_")
		}
	}
	require.Equal(t, providers.DeclinedCode, failureCode(processor{}))
	require.NotEmpty(t, declineReason(processor{}))
}

package stripe

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

func TestFailureCodes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		code, decline string
		want          providers.FailureCode
	}{
		{"card_declined", "insufficient_funds", providers.InsufficientFunds},
		{"card_declined", "card_velocity_exceeded", providers.DailyLimit},
		{"card_declined", "pickup_card", providers.AccountBlocked},
		{"card_declined", "generic_decline", providers.DeclinedCode},
		{"card_declined", "a_code_of_tomorrow", providers.DeclinedCode},
		{"expired_card", "", providers.InvalidAccount},
		{"expired_card", "generic_decline", providers.InvalidAccount},
		{"incorrect_cvc", "incorrect_cvc", providers.InvalidAccount},
		{"authentication_required", "authentication_required", providers.DeclinedCode},
		{"", "", providers.DeclinedCode},
	} {
		require.Equal(t, tc.want, failureCode(&apiError{Code: tc.code, DeclineCode: tc.decline}), "%s/%s", tc.code,
			tc.decline)
	}
	require.Equal(t, providers.DeclinedCode, failureCode(nil))
}

func TestDecline_HasReason(t *testing.T) {
	t.Parallel()
	for _, e := range []*apiError{nil, {}, {Code: "c"}, {DeclineCode: "d"}, {Message: "m"}} {
		require.NotEmpty(t, reason(e))
	}
	require.Equal(t, "m", reason(&apiError{Message: "m", Code: "c"}))
}

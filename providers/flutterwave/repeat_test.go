package flutterwave

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

// A refusal is about the present request. That a repeat is refused proves nothing about its first send, whose answer
// was lost: the card may have been deleted since.
func TestSend_RefusedRepeatProvesNothing(t *testing.T) {
	t.Parallel()
	for code, outcome := range map[string]providers.Outcome{
		"10400": providers.Failed, "10404": providers.Declined, "10422": providers.Failed,
	} {
		f := answering(t, 400, `{"status":"failed","error":{"type":"REQUEST_NOT_VALID","code":"`+code+`","message":"no"}}`)
		in := sampleCharge()
		res, err := f.Charge(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, outcome, res.Outcome, code)
		in.Repeat = true
		res, err = f.Charge(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, [2]any{providers.Unknown, providers.FailureCode("")}, [2]any{res.Outcome, res.FailureCode}, code)
		require.NotEmpty(t, res.FailureReason, code)

		refund := sampleRefund()
		refund.Repeat = true
		res, err = f.Refund(t.Context(), refund)
		require.NoError(t, err)
		require.Equal(t, providers.Unknown, res.Outcome, code)
	}
}

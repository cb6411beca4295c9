package contract_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/contract"
)

func TestARefusalIsTheSameFaultOnTheOtherSide(t *testing.T) {
	t.Parallel()
	for _, f := range []*fault.Error{
		fault.New(fault.Conflict, "nothing_to_pay", "100 %% of it is paid"),
		fault.InvalidParam("amount", "amount_mismatch", "the amount due is another one"),
		fault.New(fault.Conflict, "payment_in_progress", "wait until it has ended").After(5 * time.Second),
	} {
		stored, err := json.Marshal(contract.CommandResult{Refusal: contract.RefusalOf(f)})
		require.NoError(t, err)
		var result contract.CommandResult
		require.NoError(t, json.Unmarshal(stored, &result))
		require.Equal(t, f, result.Refusal.Err())
	}
	require.Nil(t, contract.RefusalOf(nil))
	require.NoError(t, contract.CommandResult{}.Refusal.Err())
}

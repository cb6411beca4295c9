package charging_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/charging"
	"perennial/billing/payment"
)

// An account that is asked by our key before a late first send must be asked by the key that the send will have: a
// restored database may have lost just that one.
func TestKeyNumber_BeforeASendIsThatOfTheSend(t *testing.T) {
	t.Parallel()
	for _, sent := range []int{0, 1} {
		asks := charging.Step{
			Move: payment.MoveLookup, Subject: charging.Subject{Number: sent},
			Transaction: payment.Transaction{ID: "txn_1", Type: payment.Charge, SendNumber: sent},
		}
		sends := asks
		sends.Move = payment.MoveSend
		require.Equal(t, sent+1, asks.KeyNumber())
		require.Equal(t, sent+1, sends.Begun("", time.Unix(1, 0)).KeyNumber())
		asks.Earlier, asks.Number = &payment.Send{Number: 1}, 1
		require.Equal(t, 1, asks.KeyNumber(), "an earlier send has its own")
	}
}

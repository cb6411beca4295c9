package activities

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
)

// Who is asked by our key before a late first send must hear the key that the send will have: a restored database may
// have lost just that one.
func TestKey_BeforeASendIsThatOfTheSend(t *testing.T) {
	t.Parallel()
	for _, sent := range []int{0, 1} {
		asking := exchange{txn: payment.Transaction{ID: "txn_1", SendNumber: sent}, number: sent}
		sending := asking
		sending.txn = sending.txn.Sending(payment.Protocol{}, time.Unix(1, 0))
		sending.number = sending.txn.SendNumber
		require.Equal(t, sending.key(), asking.key())
		asking.earlier = &payment.Send{Number: 1}
		asking.number = 1
		require.Equal(t, exchange{txn: payment.Transaction{ID: "txn_1", FirstSentAt: time.Unix(1, 0)}, number: 1}.key(),
			asking.key(), "an earlier send has its own")
	}
}

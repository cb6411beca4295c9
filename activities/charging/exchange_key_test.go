package charging

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/charging"
	"perennial/billing/payment"
)

// Keys must not change with restores or builds: a request is repeated under the key under which it was sent first.
func TestKey_OfATransactionAndSendNeverChanges(t *testing.T) {
	t.Parallel()
	x := exchange{Step: charging.Step{
		Move: payment.MoveReplay, Subject: charging.Subject{Number: 2},
		Transaction: payment.Transaction{ID: "txn_1", FirstSentAt: time.Unix(1, 0)},
	}}
	require.Equal(t, "7f17c75b-6c5e-5808-88d6-139a5a34e81e", x.sentKey())
}

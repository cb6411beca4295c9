package payment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
)

func TestTransaction_KeyReused(t *testing.T) {
	t.Parallel()
	sent := payment.Transaction{
		Type: payment.Charge, Status: payment.Pending, FirstSentAt: t0, Method: payment.Method{Type: "card"},
	}
	for name, c := range map[string]struct {
		change func(*payment.Transaction)
		at     time.Time
		looks  bool
		next   time.Time
	}{
		"first send": {func(*payment.Transaction) {}, t0, true, t0},
		"a replay": {func(x *payment.Transaction) {
			x.Checks = 1
		}, t0.Add(time.Minute), true, t0.Add(time.Minute)},
		"a look-up found nothing": {func(x *payment.Transaction) {
			x.NotFoundAt, x.Checks = t0, 3
		}, t0.Add(time.Minute), true, t0.Add(3 * time.Minute)},
		"nothing found in an hour": {func(x *payment.Transaction) {
			x.NotFoundAt = t0
		}, t0.Add(time.Hour), false, time.Time{}},
		"in review":                  {func(x *payment.Transaction) { x.ParkedAt = t0 }, t0, false, time.Time{}},
		"closed":                     {func(x *payment.Transaction) { x.Status = payment.Success }, t0, false, time.Time{}},
		"never sent, so not refused": {func(x *payment.Transaction) { x.FirstSentAt = time.Time{} }, t0, false, time.Time{}},
	} {
		txn := sent
		c.change(&txn)
		after, looks := protocol.KeyReused(txn, c.at)
		require.Equal(t, c.looks, looks, name)
		if looks {
			require.Equal(t, c.next, after.NextCheckAt, name)
			require.Equal(t, payment.MoveLookup, protocol.Next(after, false, c.at), name)
		}
	}
}

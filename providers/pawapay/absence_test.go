package pawapay

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
)

// A deposit that pawaPay does not know is proven absent a quarter of an hour after its last repeat, not before.
func TestCapabilities_AbsenceIsProvenLongAfterTheLastRepeat(t *testing.T) {
	t.Parallel()
	p, _ := answering(t, nil)
	can := p.Capabilities()
	protocol := payment.Protocol{
		Window: can.ReplayWindow, LookupByKey: can.LookupByKey, LookupByRef: can.LookupByRef,
		AbsenceAfter: can.AbsenceAfter, AbsenceGap: can.AbsenceGap, Checks: can.Checks, Expiry: can.Expiry,
	}
	sent := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	txn := payment.Transaction{Type: payment.Charge, Status: payment.Pending, Method: payment.Method{Type: "x"}}
	txn, last := protocol.Sending(txn, sent), sent
	for now, proven := sent, false; !proven; {
		now = now.Add(time.Minute)
		switch move := protocol.Next(txn, false, now); move {
		case payment.MoveReplay:
			txn, last = protocol.Waiting(txn, 0, now), now
		case payment.MoveLookup:
			if txn, proven = protocol.Absent(txn, now); proven {
				require.GreaterOrEqual(t, now.Sub(last), 15*time.Minute, "since the last repeat")
			}
		default:
			require.Fail(t, "unexpected move", move)
		}
	}
	require.Greater(t, last, sent)
}

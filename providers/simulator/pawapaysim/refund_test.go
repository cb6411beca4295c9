package pawapaysim

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers/simulator/core"
	"perennial/providers/simulator/simtest"
)

func TestRefund_OneAtATimeAndNoMoreThanCaptured(t *testing.T) {
	t.Parallel()
	r := paid(t)
	code := func(id, of, amount string) string {
		return r.refund(t, id, of, amount).Text("rejectionReason", "rejectionCode")
	}
	require.Equal(t, "NOT_FOUND", code(id2, id3, "1"))
	require.Equal(t, "AMOUNT_TOO_LARGE", code(id2, id1, "5001"))
	require.Empty(t, code(id2, id1, "2000"))
	require.Equal(t, "REFUND_IN_PROGRESS", code(id3, id1, "2000"))
	require.Equal(t, "DUPLICATE_IGNORED", r.refund(t, id2, id1, "2000").Text("status"))
	r.later()
	status, _ := r.status(t, "/v2/refunds/"+id2)
	require.Equal(t, completed, status)
	require.Equal(t, "AMOUNT_TOO_LARGE", code(id3, id1, "3001"))
	require.Empty(t, code(id3, id1, "3000"))
	r.later()
	require.Equal(t, "DEPOSIT_ALREADY_REFUNDED", code(id1, id1, "1"))
	moved := r.Moved(core.Refunded)
	require.Len(t, moved, 2)
	require.Equal(t, [4]any{"txn_2", id1, id2, int64(2000)},
		[4]any{moved[0].TransactionID, moved[0].Charge, moved[0].Refund, moved[0].Amount})
}

func TestRefund_OfPendingDeposit(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	r.deposit(t, id1, "111")
	require.Equal(t, "INVALID_STATE", r.refund(t, id2, id1, "1").Text("rejectionReason", "rejectionCode"))
}

func TestRefund_HeldAndFailed(t *testing.T) {
	t.Parallel()
	for suffix, want := range map[string]string{"901": accepted, "902": failed} {
		r := fresh(t)
		r.deposit(t, id1, suffix)
		r.later()
		require.Equal(t, accepted, r.refund(t, id2, id1, "5000").Text("status"))
		r.later()
		status, _ := r.status(t, "/v2/refunds/"+id2)
		require.Equal(t, want, status)
		require.Empty(t, r.Moved(core.Refunded))
		if want == failed { // nothing went back, so it can be tried again
			require.Equal(t, accepted, r.refund(t, id3, id1, "5000").Text("status"))
			continue
		}
		require.Equal(t, 200, r.Control(t, http.MethodPost, "refunds/"+id2+"/settle", `{"status":"succeeded"}`).Status)
		require.Len(t, r.Moved(core.Refunded), 1)
	}
}

func TestRefund_AtTheDashboard(t *testing.T) {
	t.Parallel()
	r := paid(t)
	require.Equal(t, 200, r.Control(t, http.MethodPost, "payments/"+id1+"/refund", `{"amount":2000}`).Status)
	require.Equal(t, 409, r.Control(t, http.MethodPost, "payments/"+id1+"/refund", `{"amount":3001}`).Status)
	require.Equal(t, 200, r.Control(t, http.MethodPost, "payments/"+id1+"/refund", `{}`).Status)
	moved := r.Moved(core.Refunded)
	require.Len(t, moved, 2)
	require.Equal(t, int64(3000), moved[1].Amount)
	require.Empty(t, moved[1].TransactionID)
	require.Equal(t, 404, r.Control(t, http.MethodPost, "payments/"+id1+"/dispute", `{}`).Status)
}

// Booked and scheduled operations survive a restart.
func TestLedger_Restart(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/ledger.jsonl"
	first := rig{simtest.Start(t, path, New(Config{}), nil)}
	first.deposit(t, id1, "789")
	first.later()
	first.refund(t, id3, id1, "1000")
	first.deposit(t, id2, "789")
	before := first.Ledger()
	first.Stop()

	second := rig{simtest.Start(t, path, New(Config{}), nil)}
	second.later()
	second.later()
	require.Equal(t, before, second.Ledger()[:len(before)])
	require.Len(t, second.Moved(core.Capture), 2)
	require.Len(t, second.Moved(core.Refunded), 1)
	require.Equal(t, "DUPLICATE_IGNORED", second.deposit(t, id1, "789").Text("status"))
}

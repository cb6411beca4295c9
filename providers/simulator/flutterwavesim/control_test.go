package flutterwavesim

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers/simulator/core"
)

func TestSettle(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]string{"succeeded": succeeded, "failed": statusFailed, "expired": statusFailed} {
		r := fresh(t)
		inbox := r.Inbox(t, "hash", 0, "")
		id := r.prompt(t, "241234129", "key000000001").Text("data", "id")
		got := r.Control(t, http.MethodPost, "payments/txn_2/settle", `{"status":"`+to+`"}`)
		require.Equal(t, http.StatusOK, got.Status, got.Raw)
		require.Equal(t, want, r.charge(t, id).Text("data", "status"))
		m := <-inbox
		require.Equal(t, Sign(m.Body, "hash"), m.Header.Get("Flutterwave-Signature"))
		var w struct {
			ID        string `json:"webhook_id"`
			Timestamp int64  `json:"timestamp"`
			Type      string `json:"type"`
			Data      struct{ ID, Status string }
		}
		require.NoError(t, json.Unmarshal(m.Body, &w))
		require.Equal(t, "charge.completed", w.Type)
		require.Equal(t, [2]string{id, want}, [2]string{w.Data.ID, w.Data.Status})
		require.Equal(t, r.Clock.Now().UnixMilli(), w.Timestamp)
		require.Equal(t, http.StatusConflict,
			r.Control(t, http.MethodPost, "payments/"+id+"/settle", `{"status":"failed"}`).Status)
	}
}

func TestSign_PlainHash(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir()+"/ledger.jsonl", Config{PlainHash: true})
	inbox := r.Inbox(t, "hash", 0, "")
	r.prompt(t, "241234129", "key000000001")
	for fault, want := range map[string]string{"": "hash", "forged": "hash-forged"} {
		got := r.Control(t, http.MethodPost, "callbacks", `{"object":"txn_2","fault":"`+fault+`"}`)
		require.Equal(t, http.StatusOK, got.Status, got.Raw)
		require.Equal(t, want, (<-inbox).Header.Get("Flutterwave-Signature"))
	}
}

func TestRefunds(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	id := r.card(t, "pmd_card_visa", "key000000001").Text("data", "id")
	got := r.refund(t, id, "5", "key000000002")
	require.Equal(t, http.StatusCreated, got.Status, got.Raw)
	require.Equal(t, refundNew, got.Text("data", "status"))
	require.Empty(t, r.Moved(core.Refunded))
	r.Clock.Advance(time.Second)
	require.Equal(t, succeeded, r.do(t, http.MethodGet, "/refunds/"+got.Text("data", "id"), "", "").Text("data", "status"))
	m := r.Moved(core.Refunded)[0]
	require.Equal(t, [4]any{"txn_3", id, int64(500), "5"}, [4]any{m.TransactionID, m.Charge, m.Amount, m.WireAmount})
	require.Equal(t, http.StatusBadRequest, r.refund(t, id, "15", "key000000003").Status, "more than is left")
	require.Equal(t, http.StatusNotFound, r.refund(t, "chg_none", "1", "key000000004").Status)
	back := r.Control(t, http.MethodPost, "refunds/"+got.Text("data", "id")+"/settle", `{"status":"failed"}`)
	require.Equal(t, http.StatusOK, back.Status)
	require.Len(t, r.Moved(core.RefundReturned), 1)
	require.Equal(t, http.StatusOK, r.Control(t, http.MethodPost, "payments/"+id+"/refund", `{}`).Status)
	require.Len(t, r.Moved(core.Refunded), 2)
	list := r.do(t, http.MethodGet, "/refunds?size=1&page=2", "", "")
	require.Contains(t, list.Raw, `"total_pages":2`)
	require.Contains(t, list.Raw, got.Text("data", "id"))
}

func TestChargebacks(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	id := r.card(t, "pmd_card_visa", "key000000001").Text("data", "id")
	d := r.Control(t, http.MethodPost, "payments/"+id+"/dispute", `{"amount":500}`)
	require.Equal(t, http.StatusOK, d.Status, d.Raw)
	require.Contains(t, r.charge(t, id).Raw, `"disputed":true`)
	require.Contains(t, r.do(t, http.MethodGet, "/chargebacks", "", "").Raw, `"amount":5,`)
	closed := r.Control(t, http.MethodPost, "disputes/"+d.Text("id")+"/close", `{"status":"won"}`)
	require.Equal(t, http.StatusOK, closed.Status)
	require.Len(t, r.Moved(core.DisputeWithdrawn), 1)
	require.Len(t, r.Moved(core.DisputeReturned), 1)
	require.Equal(t, http.StatusBadRequest,
		r.Control(t, http.MethodPost, "payments/"+id+"/dispute", `{"inquiry":true}`).Status)
}

func TestScript(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	put := func(token, behaviour string) int {
		return r.Control(t, http.MethodPut, "cards/"+token, `{"behaviour":"`+behaviour+`"}`).Status
	}
	require.Equal(t, http.StatusOK, put("pmd_mine", "pmd_card_expired_card"))
	require.Equal(t, "expired_card", r.card(t, "pmd_mine", "key000000001").Text("data", "processor_response", "type"))
	require.Equal(t, http.StatusOK, put("pmd_mine", ""))
	require.Equal(t, http.StatusNotFound, r.card(t, "pmd_mine", "key000000002").Status)
	require.Equal(t, http.StatusOK, put("233241234567", "pmd_card_insufficient_funds"))
	id := r.prompt(t, "241234567", "key000000003").Text("data", "id")
	r.Clock.Advance(2 * time.Second)
	require.Equal(t, "insufficient_funds", r.charge(t, id).Text("data", "processor_response", "type"))
	require.Equal(t, http.StatusBadRequest, put("pm_1", "pmd_card_visa"))
	require.Equal(t, http.StatusBadRequest, put("pmd_mine", "nonsense"))
}

// The ledger is no place for the payer.
func TestLedger_KeepsNobody(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/ledger.jsonl"
	r := start(t, path, Config{})
	r.prompt(t, "241234789", "key000000001")
	ledger, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(ledger), "txn_2")
	for _, s := range []string{"241234789", "a@example.com"} {
		require.NotContains(t, string(ledger), s)
	}
}

func TestFalsify(t *testing.T) {
	t.Parallel()
	body := []byte(`{"webhook_id":"wbk_1","type":"x","data":{"id":"chg_1","amount":19.99,"meta":{"txn_id":"t"}}}`)
	wrong, err := (&Dialect{}).Falsify(body, core.WrongAmount)
	require.NoError(t, err)
	require.Contains(t, string(wrong), `"amount":119.99`)
	unknown, err := (&Dialect{}).Falsify(body, core.UnknownReference)
	require.NoError(t, err)
	require.Contains(t, string(unknown), `"id":"chg_unknown"`)
	require.NotContains(t, string(unknown), "meta")
	_, err = (&Dialect{}).Falsify([]byte(`{}`), core.WrongAmount)
	require.Error(t, err)
}

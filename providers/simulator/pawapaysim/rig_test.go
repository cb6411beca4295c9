package pawapaysim

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers/simulator/simtest"
)

const (
	id1 = "6f6c0f0e-5d7b-4f2e-9a3e-0c1d2e3f4a5b"
	id2 = "7f6c0f0e-5d7b-4f2e-9a3e-0c1d2e3f4a5b"
	id3 = "8f6c0f0e-5d7b-4f2e-9a3e-0c1d2e3f4a5b"
)

// rig is a simulated pawaPay whose clock the test moves.
type rig struct{ *simtest.Sim }

func fresh(t *testing.T) rig {
	t.Helper()
	return rig{simtest.Fresh(t, New(Config{}))}
}

func (r rig) do(t *testing.T, method, path, body string) simtest.Reply {
	t.Helper()
	return simtest.Do(t, method, r.URL+path, body, "Authorization", "Bearer token_1")
}

// deposit asks a number that ends so for 5,000 RWF.
func (r rig) deposit(t *testing.T, id, suffix string, change ...string) simtest.Reply {
	t.Helper()
	body := `{"depositId":"` + id + `","amount":"5000","currency":"RWF","payer":{"type":"MMO","accountDetails":` +
		`{"phoneNumber":"250783456` + suffix + `","provider":"MTN_MOMO_RWA"}},"clientReferenceId":"txn_1",` +
		`"customerMessage":"ACME plan","metadata":[{"txnId":"txn_1"},{"description":"Invoice in_7"}]}`
	return r.do(t, http.MethodPost, "/v2/deposits", strings.NewReplacer(change...).Replace(body))
}

func (r rig) refund(t *testing.T, id, of, amount string) simtest.Reply {
	t.Helper()
	return r.do(t, http.MethodPost, "/v2/refunds", `{"refundId":"`+id+`","depositId":"`+of+`","amount":"`+amount+
		`","currency":"RWF","metadata":[{"txnId":"txn_2"}]}`)
}

// later lets the operator do its part.
func (r rig) later() { r.Clock.Advance(2 * time.Second) }

// status of an operation as a look-up tells it, and why it failed.
func (r rig) status(t *testing.T, path string) (status, code string) {
	t.Helper()
	got := r.do(t, http.MethodGet, path, "")
	require.Equal(t, http.StatusOK, got.Status)
	if got.Text("status") != "FOUND" {
		return got.Text("status"), ""
	}
	return got.Text("data", "status"), got.Text("data", "failureReason", "failureCode")
}

func paid(t *testing.T) rig {
	t.Helper()
	r := fresh(t)
	require.Equal(t, accepted, r.deposit(t, id1, "789").Text("status"))
	r.later()
	return r
}

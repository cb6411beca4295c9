package pawapaysim_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers"
	"perennial/providers/pawapay"
	"perennial/providers/simulator/pawapaysim"
	"perennial/providers/simulator/simtest"
)

const (
	depositID = "6f6c0f0e-5d7b-4f2e-9a3e-0c1d2e3f4a5b"
	pathTail  = "tail_0123456789abcdef"
)

func send(t *testing.T, sim *simtest.Sim) {
	t.Helper()
	got := simtest.Do(t, http.MethodPost, sim.URL+"/v2/deposits", `{"depositId":"`+depositID+`","amount":"5000",`+
		`"currency":"RWF","payer":{"type":"MMO","accountDetails":{"phoneNumber":"250783456789","provider":"MTN_MOMO_RWA"}},`+
		`"metadata":[{"txnId":"txn_1"}]}`, "Authorization", "Bearer token")
	require.Equal(t, "ACCEPTED", got.Text("status"), got.Raw)
	sim.Clock.Advance(2 * time.Second)
	sim.Ledger()
}

func parse(p *pawapay.PawaPay, t *testing.T, m simtest.Message, at time.Time) ([]providers.Callback, error) {
	t.Helper()
	said, _, err := p.ParseCallback(t.Context(), providers.CallbackRequest{
		Method: m.Method, Host: m.Host, Path: m.Path, Header: m.Header, Body: m.Body,
	}, at)
	return said, err
}

// The message is pawaPay's: flat, signed, and sent again on request.
func TestCallback_SignedAndResent(t *testing.T) {
	t.Parallel()
	sim := simtest.Fresh(t, pawapaysim.New(pawapaysim.Config{}))
	inbox := sim.Inbox(t, "", 0, "")
	send(t, sim)
	p, err := pawapay.New(pawapay.Config{APIToken: "token", BaseURL: sim.URL})
	require.NoError(t, err)
	var first providers.Callback
	for i := range 2 {
		m := <-inbox
		said, err := parse(p, t, m, sim.Clock.Now())
		require.NoError(t, err)
		if i == 0 {
			first = said[0]
			require.Equal(t, [3]string{"txn_1", depositID, "deposit.completed"},
				[3]string{first.TransactionID, first.Ref, first.Type})
			got := simtest.Do(t, http.MethodPost, sim.URL+"/v2/deposits/resend-callback/"+depositID, "",
				"Authorization", "Bearer token")
			require.Equal(t, "ACCEPTED", got.Text("status"))
		}
		require.Equal(t, first, said[0])
		var body map[string]any
		require.NoError(t, json.Unmarshal(m.Body, &body))
		require.Equal(t, [2]any{"5000.00", "COMPLETED"}, [2]any{body["amount"], body["status"]})
	}
}

func TestCallback_Unsigned(t *testing.T) {
	t.Parallel()
	sim := simtest.Fresh(t, pawapaysim.New(pawapaysim.Config{Unsigned: true}))
	inbox := sim.Inbox(t, "", 0, "")
	send(t, sim)
	m := <-inbox
	require.Empty(t, m.Header.Get("Signature"))
	p, err := pawapay.New(pawapay.Config{APIToken: "token", BaseURL: sim.URL, WebhookSecret: pathTail})
	require.NoError(t, err)
	_, err = parse(p, t, m, sim.Clock.Now())
	require.Error(t, err)
	m.Path = "/callbacks/pawapay/pp_1/" + pathTail
	_, err = parse(p, t, m, sim.Clock.Now())
	require.NoError(t, err)
}

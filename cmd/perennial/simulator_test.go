package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/cmd/perennial/cli"
	"perennial/internal/devstack"
	"perennial/internal/testkit/wait"
)

// Each setting of the simulator has its effect.
func TestSimulator_FollowsSettings(t *testing.T) {
	t.Parallel()
	signatures := make(chan string, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		signatures <- r.Header.Get("Stripe-Signature")
	}))
	t.Cleanup(receiver.Close)
	port, err := devstack.FreePort(0)
	require.NoError(t, err)
	address := fmt.Sprintf("127.0.0.1:%d", port)
	env := map[string]string{
		"SIMULATOR_ADDRESS": address, "SIMULATOR_LEDGER": filepath.Join(t.TempDir(), "ledger.jsonl"),
		"SIMULATOR_KEY_WINDOW": "1ms", "SIMULATOR_HANG": "10ms",
		"SIMULATOR_CALLBACK_URL": receiver.URL, "SIMULATOR_CALLBACK_SECRET": "whsec_abc",
	}
	maps.Copy(env, otherSimulatorPorts)
	simulator := start(t, env, "simulator")
	eventually(t, "the simulator answers", func() bool {
		return perennial(t, nil, "healthcheck", "--url", "http://"+address+"/_simulator/health").code == cli.ExitDone
	})

	_, err = charge(t, address, "pm_sim_hang", "hung")
	require.ErrorIs(t, err, io.EOF, "the connection is cut long before a client would give up")

	first, err := charge(t, address, "pm_sim_pending_1s_succeed", "again")
	require.NoError(t, err)
	eventually(t, "the key is forgotten", func() bool {
		second, err := charge(t, address, "pm_sim_pending_1s_succeed", "again")
		return err == nil && second != first
	})
	select {
	case signature := <-signatures:
		require.Contains(t, signature, "v1=")
	case <-time.After(wait.Patience):
		t.Fatal("no callback came")
	}
	receiver.Close()
	out := simulator.stop()
	require.Equal(t, cli.ExitDone, out.code, out.stderr)
}

// otherSimulatorPorts has free ports for the providers that a test does not use.
var otherSimulatorPorts = map[string]string{
	"SIMULATOR_ADYEN_ADDRESS": "127.0.0.1:0", "SIMULATOR_PAWAPAY_ADDRESS": "127.0.0.1:0",
	"SIMULATOR_FLUTTERWAVE_ADDRESS": "127.0.0.1:0", "SIMULATOR_CONTROL_ADDRESS": "127.0.0.1:0",
}

// charge asks the simulator for money, as Stripe's API is asked, and answers the payment intent's ID.
func charge(t *testing.T, address, card, key string) (string, error) {
	t.Helper()
	form := url.Values{
		"amount": {
			"1000"}, "currency": {
			"eur"}, "confirm": {"true"}, "customer": {"cus_1"}, "payment_method": {card}, "off_session": {"true"},
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/v1/payment_intents",
		strings.NewReader(form.Encode()))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer sk_test_abc")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Idempotency-Key", key)
	client := &http.Client{Timeout: 20 * time.Second}
	answer, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer func() { require.NoError(t, answer.Body.Close()) }()
	var intent struct{ ID string }
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&intent))
	require.Equal(t, http.StatusOK, answer.StatusCode)
	return intent.ID, nil
}

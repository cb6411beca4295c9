package simulator

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers/all"
	"perennial/providers/simulator/core"
	"perennial/providers/simulator/simtest"
)

func started(t *testing.T, ledger string) (*Simulator, string) {
	t.Helper()
	s, err := New(Config{Ledger: ledger, Now: time.Now})
	require.NoError(t, err)
	web := httptest.NewServer(s.Control())
	t.Cleanup(func() {
		web.Close()
		require.NoError(t, s.Close())
	})
	return s, web.URL + "/_simulator/"
}

func TestSimulator_SpeaksForEveryProvider(t *testing.T) {
	t.Parallel()
	s, _ := started(t, filepath.Join(t.TempDir(), "ledger.jsonl"))
	var names []string
	for _, p := range s.Providers() {
		names = append(names, p.Name())
	}
	require.ElementsMatch(t, all.Registry.Names(), names, "a provider without a dialect, or a dialect without a provider")
}

// The common control port reaches a provider's control API, also while the provider's own port is closed.
func TestControl_OneProvider(t *testing.T) {
	t.Parallel()
	s, control := started(t, filepath.Join(t.TempDir(), "ledger.jsonl"))
	stripe := s.Providers()[0]
	listener, err := stripe.Listen("127.0.0.1:0")
	require.NoError(t, err)
	web := &httptest.Server{
		Listener: listener, Config: &http.Server{Handler: stripe.Handler(), ReadHeaderTimeout: time.Second},
	}
	web.Start()
	t.Cleanup(web.Close)
	form := url.Values{
		"amount": {"1999"}, "currency": {"usd"}, "payment_method": {"pm_card_visa"}, "confirm": {"true"},
		"metadata[txn_id]": {"txn_1"},
	}
	paid := simtest.Do(t, http.MethodPost, web.URL+"/v1/payment_intents", form.Encode(), "Authorization",
		"Bearer sk_test_1", "Content-Type", "application/x-www-form-urlencoded")
	require.Equal(t, 200, paid.Status, paid.Raw)

	got := simtest.Do(t, http.MethodPut, control+"stripe/outage", `{"mode":"refuse","for":"1h"}`)
	require.Equal(t, 200, got.Status, got.Raw)
	got = simtest.Do(t, http.MethodPost, control+"stripe/payments/txn_1/refund", `{"amount":500}`)
	require.Equal(t, 200, got.Status, got.Raw)
	got = simtest.Do(t, http.MethodPut, control+"stripe/outage", `{"mode":""}`)
	require.Equal(t, 200, got.Status, got.Raw)
	require.Eventually(t, func() bool {
		res, err := http.Get(web.URL + "/_simulator/health")
		return err == nil && res.Body.Close() == nil
	}, 30*time.Second, 5*time.Millisecond, "the port is open before its time")

	var moved []core.Movement
	require.NoError(t, json.Unmarshal([]byte(simtest.Do(t, http.MethodGet, control+"ledger", "").Raw), &moved))
	require.Len(t, moved, 2)
	require.Equal(t, [3]any{"stripe", "refund", int64(500)}, [3]any{moved[1].Provider, moved[1].Kind, moved[1].Amount})
	require.Equal(t, 404, simtest.Do(t, http.MethodGet, control+"paypal/ledger", "").Status)
	require.Contains(t, simtest.Do(t, http.MethodGet, control+"health", "").Raw, `"stripe"`)
}

func TestLedgers_LieBesideEachOther(t *testing.T) {
	t.Parallel()
	c := Config{Ledger: "/state/ledger.jsonl"}
	require.Equal(t, "/state/ledger.jsonl", c.path("stripe"))
	require.Equal(t, "/state/ledger.pawapay.jsonl", c.path("pawapay"))
	_, err := New(Config{Ledger: "", Now: time.Now})
	require.Error(t, err)
}

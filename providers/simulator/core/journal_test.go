package core_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/providers/simulator/core"
	"perennial/providers/simulator/simtest"
	"perennial/providers/simulator/stripesim"
)

func TestJournal_SurvivesRestart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	first := start(t, path, nil)
	paid := first.charge(t, "pm_card_visa", "key-1")
	pending := first.charge(t, "pm_sim_pending_60s_succeed", "key-2")
	refund := first.do(t, http.MethodPost, "/v1/refunds", "key-3",
		"payment_intent="+paid.id()+"&amount=500&metadata[txn_id]=txn_r")
	customer := first.do(t, http.MethodPost, "/v1/customers", "", "email=a@example.com")
	first.do(t, http.MethodPut, "/_simulator/cards/cus_1", "", `{"behaviour":"pm_card_visa_chargeDeclined"}`)
	before := first.Ledger()
	first.Stop()

	second := start(t, path, nil)
	require.Equal(t, before, second.Ledger())
	again := second.charge(t, "pm_card_visa", "key-1")
	require.Equal(t, paid.Raw, again.Raw, "the key is remembered")
	require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
	require.Equal(t, refund.Raw, second.do(t, http.MethodGet, "/v1/refunds/"+refund.id(), "", "").Raw)
	require.Equal(t, customer.Raw, second.do(t, http.MethodGet, "/v1/customers/"+customer.id(), "", "").Raw)
	require.Equal(t, "card_declined", second.charge(t, "pm_card_visa", "key-4").code(), "the script is remembered")
	second.Clock.Advance(time.Minute)
	require.Equal(t, "succeeded", second.do(t, http.MethodGet, "/v1/payment_intents/"+pending.id(), "", "").state())
}

func TestJournal_OnDiskBeforeAnswer(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	r := start(t, path, nil)
	for range 50 {
		paid := r.charge(t, "pm_card_visa", "")
		file, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(file), paid.id())
	}
}

func TestJournal_CutsTornLastLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	first := start(t, path, nil)
	first.charge(t, "pm_card_visa", "key-1")
	first.Stop()
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(whole, bytes.Repeat([]byte("torn"), 1<<16)...), 0o600))

	second := start(t, path, nil)
	require.Equal(t, 1, second.captures())
	second.charge(t, "pm_card_visa", "key-2")
	second.Stop()
	require.Equal(t, 2, start(t, path, nil).captures(), "what was written after the cut can be read")
	clean, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(clean), "torn")
}

func TestJournal_RefusesBrokenLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("{\"kind\":\n{}\n"), 0o600))
	_, err := core.New(core.Config{LedgerPath: path, Now: time.Now}, stripesim.New(stripesim.Config{}))
	require.Equal(t, "ledger_corrupt", fault.From(err).Code)
	_, err = core.New(core.Config{Now: time.Now}, stripesim.New(stripesim.Config{}))
	require.Equal(t, "ledger_missing", fault.From(err).Code)
	_, err = core.New(core.Config{LedgerPath: path}, stripesim.New(stripesim.Config{}))
	require.Equal(t, "clock_missing", fault.From(err).Code)
}

func TestJournal_OneProcessPerLedger(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	start(t, path, nil)
	_, err := core.New(core.Config{LedgerPath: path, Now: time.Now}, stripesim.New(stripesim.Config{}))
	require.Equal(t, "ledger_in_use", fault.From(err).Code)
}

// The process that this test binary becomes on request: a simulator that is never closed.
func TestMain(m *testing.M) {
	path := os.Getenv("SIMULATOR_TEST_LEDGER")
	if path == "" {
		os.Exit(m.Run())
	}
	sim, err := core.New(core.Config{LedgerPath: path, Now: time.Now}, stripesim.New(stripesim.Config{}))
	if err != nil {
		panic(err)
	}
	listener, err := sim.Listen("127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	_, _ = fmt.Fprintln(os.Stdout, "http://"+listener.Addr().String())
	panic(http.Serve(listener, sim.Handler())) //nolint:gosec // a test's child, killed within seconds
}

// Every charge that was answered before a SIGKILL is in the ledger afterwards.
func TestJournal_SurvivesKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	answered := map[string]bool{}
	for round := range 3 {
		child := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // ourselves
		child.Env = append(os.Environ(), "SIMULATOR_TEST_LEDGER="+path)
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		var base string
		_, err = fmt.Fscanln(out, &base)
		require.NoError(t, err)
		r := rig{&simtest.Sim{URL: base}}
		for i := range 20 {
			answered[r.charge(t, "pm_card_visa", fmt.Sprintf("key-%d-%d", round, i)).id()] = true
		}
		hanging := make(chan struct{})
		go func() { // one more is under way when the power goes
			defer close(hanging)
			res, err := http.Post(base+"/v1/payment_intents", "application/x-www-form-urlencoded",
				strings.NewReader(chargeForm("pm_sim_slow_60000").Encode()))
			if err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
			}
		}()
		require.NoError(t, child.Process.Kill())
		_ = child.Wait() // it says "killed", as expected
		<-hanging
	}
	final := start(t, path, nil)
	found := map[string]bool{}
	for _, m := range final.Ledger() {
		found[m.Charge] = true
	}
	require.Len(t, answered, 60)
	require.Equal(t, answered, found)
}

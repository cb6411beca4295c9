package world

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers/simulator/core"
)

// Simulator steers the providers. Its commands are for Stripe unless they name another.
type Simulator struct {
	url                         string // Stripe's port
	adyen, pawapay, flutterwave string
	control                     string
}

func newSimulator(t testing.TB) *Simulator {
	t.Helper()
	s := &Simulator{}
	for _, url := range []*string{&s.url, &s.adyen, &s.pawapay, &s.flutterwave, &s.control} {
		*url = "http://" + address(t)
	}
	return s
}

// ports are the settings of the simulator's process.
func (s *Simulator) ports(ledger string) []string {
	return []string{
		"SIMULATOR_LEDGER=" + ledger, "SIMULATOR_ADDRESS=" + host(s.url), "SIMULATOR_ADYEN_ADDRESS=" + host(s.adyen),
		"SIMULATOR_PAWAPAY_ADDRESS=" + host(s.pawapay), "SIMULATOR_FLUTTERWAVE_ADDRESS=" + host(s.flutterwave),
		"SIMULATOR_CONTROL_ADDRESS=" + host(s.control),
	}
}

// addresses are the settings of a process that uses the providers.
func (s *Simulator) addresses() []string {
	return []string{
		"STRIPE_API_URL=" + s.url, "ADYEN_API_URL=" + s.adyen, "PAWAPAY_API_URL=" + s.pawapay,
		"FLUTTERWAVE_API_URL=" + s.flutterwave,
	}
}

// URL returns the address of the simulated Stripe.
func (s *Simulator) URL() string { return s.url }

// Of steers another provider (adyen, pawapay or flutterwave) and reads its ledger alone.
func (s *Simulator) Of(provider string) *Simulator {
	url := map[string]string{
		"stripe": s.url, "adyen": s.adyen, "pawapay": s.pawapay, "flutterwave": s.flutterwave,
	}[provider]
	return &Simulator{url: url, control: url}
}

// Script makes a card, or all cards of a customer (cus_…), behave like another; "" ends it.
func (s *Simulator) Script(t testing.TB, token, behaviour string) {
	t.Helper()
	require.NoError(t, s.send(http.MethodPut, "cards/"+token, map[string]any{"behaviour": behaviour}))
}

// Outage breaks the whole provider for a while; mode is refuse, 500, 429 or hang.
func (s *Simulator) Outage(t testing.TB, mode string, lasts time.Duration) {
	t.Helper()
	require.NoError(t, s.send(http.MethodPut, "outage", map[string]any{"mode": mode, "for": lasts.String()}))
}

// EndOutage ends the outage of a provider, also where its own port is shut.
func (s *Simulator) EndOutage(t testing.TB, provider string) {
	t.Helper()
	control := &Simulator{url: s.control}
	require.NoError(t, control.send(http.MethodPut, provider+"/outage", map[string]any{"mode": ""}))
}

// Fault has the next count requests of a path go wrong; the simulator's README lists the kinds.
func (s *Simulator) Fault(t testing.TB, kind, path string, count int) {
	t.Helper()
	require.NoError(t, s.send(http.MethodPost, "faults", map[string]any{"kind": kind, "path": path, "count": count}))
}

// EndFaults ends all faults of requests and callbacks.
func (s *Simulator) EndFaults(t testing.TB) {
	t.Helper()
	require.NoError(t, s.send(http.MethodDelete, "faults", nil))
}

// Settle ends a pending intent: succeeded or failed.
func (s *Simulator) Settle(t testing.TB, intent, status string) {
	t.Helper()
	require.NoError(t, s.send(http.MethodPost, "payments/"+intent+"/settle", map[string]any{"status": status}))
}

// Refund refunds amount of a captured intent at the provider's dashboard.
func (s *Simulator) Refund(t testing.TB, intent string, amount int64) {
	t.Helper()
	require.NoError(t, s.send(http.MethodPost, "payments/"+intent+"/refund", map[string]any{"amount": amount}))
}

// Dispute has the payer's bank object to a captured intent and withdraw amount.
func (s *Simulator) Dispute(t testing.TB, intent string, amount int64) {
	t.Helper()
	require.NoError(t, s.send(http.MethodPost, "payments/"+intent+"/dispute", map[string]any{"amount": amount}))
}

// CloseDispute has the bank decide: won or lost.
func (s *Simulator) CloseDispute(t testing.TB, dispute, status string) {
	t.Helper()
	require.NoError(t, s.send(http.MethodPost, "disputes/"+dispute+"/close", map[string]any{"status": status}))
}

// Callbacks configures where signed events go: all that Stripe sends, each twice.
func (s *Simulator) Callbacks(t testing.TB, url, secret string) {
	t.Helper()
	require.NoError(t, s.send(http.MethodPut, "callbacks",
		map[string]any{"url": url, "secret": secret, "copies": 2, "synchronous": true}))
}

// ForgetKeys makes the provider forget every idempotency key, as it does when its window is over.
func (s *Simulator) ForgetKeys(t testing.TB) {
	t.Helper()
	require.NoError(t, s.send(http.MethodDelete, "idempotency_keys", nil))
}

// Ledger returns the movements of money at all providers.
func (s *Simulator) Ledger(t testing.TB) []core.Movement {
	t.Helper()
	out, err := s.ledger(context.WithoutCancel(t.Context()))
	require.NoError(t, err)
	return out
}

func (s *Simulator) ledger(ctx context.Context) (out []core.Movement, err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.control+"/_simulator/ledger", nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, res.Body.Close()) }()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("simulator: the ledger: %s", res.Status)
	}
	err = json.NewDecoder(res.Body).Decode(&out)
	return out, err
}

// takenTwice lists the transactions whose money was taken more than once. It returns nothing if the simulator does not
// answer.
func (s *Simulator) takenTwice() string {
	ledger, err := s.ledger(context.Background())
	if twice := CapturedTwice(ledger); err == nil && len(twice) > 0 {
		return "money was taken more than once for " + strings.Join(twice, ", ")
	}
	return ""
}

// CapturedTwice are the transactions whose money the provider took more than once, under whatever key.
func CapturedTwice(ledger []core.Movement) []string {
	times := map[string]int{}
	for _, m := range ledger {
		if m.Kind == "capture" {
			times[m.TransactionID]++
		}
	}
	var twice []string
	for id, n := range times {
		if n > 1 {
			twice = append(twice, id)
		}
	}
	slices.Sort(twice)
	return twice
}

// send insists: the port may be shut by an outage of its own.
func (s *Simulator) send(method, path string, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	for range 100 {
		if err = s.once(method, path, raw); err == nil {
			return nil
		}
		<-time.After(100 * time.Millisecond)
	}
	return err
}

func (s *Simulator) once(method, path string, raw []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, s.url+"/_simulator/"+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	if err := res.Body.Close(); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("simulator: %s %s: %s", method, path, res.Status)
	}
	return nil
}

package e2e

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/devstack"
	"perennial/test/e2e/world"
)

// TestDev_Story: one command starts everything, plays the story and ends without an error; a second start finds the
// data of the first; a provider that deviates from the story makes it fail.
func TestDev_Story(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	t.Cleanup(func() { require.NoError(t, devstack.Forget(dir)) })
	env := append(os.Environ(), "NO_COLOR=1", "DATABASE_URL=", "TEMPORAL_ADDRESS=")

	out, errs, err := dev(t, env, dir)
	require.NoError(t, err, "%s\n%s", out, errs)
	require.Contains(t, out, "steps passed")
	require.Contains(t, out, "→ subscription.canceled", "each step's webhooks are printed below it")
	require.Regexp(t, `12.00 EUR open +pending +http://127.0.0.1:\d+/confirm/[A-Z2-7]{26}\n`, out)
	require.Contains(t, out, "1 invoice paid, and Stripe's own books agree: 1 capture, 12.00 EUR.")
	require.Contains(t, out, "1 invoice paid, and pawaPay's own books agree: 1 capture, 5000 XAF.")
	require.Regexp(t, "send 2: flutterwave .*succeeded +backup", out)

	out, errs, err = dev(t, env, dir)
	require.NoError(t, err, "%s\n%s", out, errs)
	require.Contains(t, out, "subscriptions of earlier starts: 3")

	deviate(t, filepath.Join(dir, "simulator", "ledger.jsonl"))
	out, _, err = dev(t, env, dir)
	require.Error(t, err, "a story that deviates is a failure\n%s", out)
	require.Contains(t, out, "✗")
	require.Contains(t, out, "declined, attempt 1")
}

func dev(t *testing.T, env []string, dir string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	return world.RunContext(ctx, t, env, "dev", "--once", "--dir", dir)
}

// deviate makes the good card a bad one, in the ledger that the next start reads.
func deviate(t *testing.T, ledger string) {
	t.Helper()
	_, err := os.Stat(ledger)
	require.NoError(t, err)
	world.SimulatorOn(t, ledger, func(s *world.Simulator) { s.Script(t, "pm_card_visa", "pm_card_chargeCustomerFail") })
}

package conformance

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers/simulator/core"
)

type body = map[string]any

// Movements reads the provider's ledger over HTTP, as an outsider would.
func (r *Rig) Movements(t *testing.T, kind string) []core.Movement {
	t.Helper()
	var all, some []core.Movement
	require.NoError(t, json.Unmarshal(r.control(t, http.MethodGet, "ledger", nil), &all))
	for _, m := range all {
		require.Equal(t, r.dialect.Name(), m.Provider)
		if m.Kind == kind {
			some = append(some, m)
		}
	}
	return some
}

// Captures returns the captures of one transaction.
func (r *Rig) Captures(t *testing.T, transaction string) (some []core.Movement) {
	t.Helper()
	for _, m := range r.Movements(t, core.Capture) {
		if m.TransactionID == transaction {
			some = append(some, m)
		}
	}
	return some
}

// Settle ends a pending charge: succeeded, failed or expired.
func (r *Rig) Settle(t *testing.T, ref, status string) {
	t.Helper()
	r.control(t, http.MethodPost, "payments/"+url.PathEscape(ref)+"/settle", body{"status": status})
}

// SettleRefund ends a pending refund, or returns one that succeeded.
func (r *Rig) SettleRefund(t *testing.T, ref, status string) {
	t.Helper()
	r.control(t, http.MethodPost, "refunds/"+url.PathEscape(ref)+"/settle", body{"status": status})
}

// RefundElsewhere gives all of a charge back at the provider's dashboard.
func (r *Rig) RefundElsewhere(t *testing.T, ref string) {
	t.Helper()
	r.control(t, http.MethodPost, "payments/"+url.PathEscape(ref)+"/refund", body{})
}

// Dispute has the payer's bank object to a charge.
func (r *Rig) Dispute(t *testing.T, ref string, inquiry bool) {
	t.Helper()
	r.control(t, http.MethodPost, "payments/"+url.PathEscape(ref)+"/dispute", body{"inquiry": inquiry})
}

// CloseDispute has the bank decide: won or lost.
func (r *Rig) CloseDispute(t *testing.T, ref, status string) {
	t.Helper()
	r.control(t, http.MethodPost, "disputes/"+url.PathEscape(ref)+"/close", body{"status": status})
}

// ForgetKeys is the end of the provider's idempotency window.
func (r *Rig) ForgetKeys(t *testing.T) {
	t.Helper()
	r.control(t, http.MethodDelete, "idempotency_keys", nil)
}

// Resend sends one more message about an object, with a fault.
func (r *Rig) Resend(t *testing.T, ref, fault string) {
	t.Helper()
	r.control(t, http.MethodPost, "callbacks", body{"object": ref, "fault": fault})
}

// Fault strikes every request of a path until EndFaults. Delays are short.
func (r *Rig) Fault(t *testing.T, kind, path string) {
	t.Helper()
	r.control(t, http.MethodPost, "faults",
		body{"kind": kind, "path": path, "count": 1000, "delay": "50ms", "retry_after": 7})
}

// EndFaults ends them.
func (r *Rig) EndFaults(t *testing.T) {
	t.Helper()
	r.control(t, http.MethodDelete, "faults", nil)
}

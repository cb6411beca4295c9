package api

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/internal/testkit/mailserver"
)

// A mail that asked to pay is not sent again once its invoice is paid.
func TestEmails_ResendAsksOnlyForWhatIsOpen(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := mailserver.Start(t, mailserver.Options{Plain: true})
	require.Equal(t, 200, b.ask(t, b.test, "PUT", "/api/email-settings", mailForm(s, `,"kinds":[]`)).Status)
	_, in := b.overdue(t, b.clock().Add(time.Hour))
	asked := as[Email](t, 201, b.ask(t, b.test, "POST", "/api/invoices/"+in+"/send", nil))
	require.Equal(t, 200, b.ask(t, b.test, "POST", "/api/invoices/"+in+"/mark-paid", map[string]any{"method": "cash"}).Status)
	paid := as[httpkit.List[Payment]](t, 200, b.ask(t, b.test, "GET", "/v1/payments?invoiceId="+in, nil)).Data
	require.Len(t, paid, 1)
	for kind, code := range map[string]string{
		"payment_failed": "invoice_not_open", "confirmation_needed": "payment_not_waiting", "receipt": "",
	} {
		_, err := b.pool.Exec(t.Context(), `update emails set kind = $1, object_id = $2, status = 'sent', next_attempt_at = null
			where id = $3`, kind, paid[0].ID, asked.ID)
		require.NoError(t, err)
		got := b.ask(t, b.test, "POST", "/api/emails/"+asked.ID+"/resend", nil)
		if code == "" {
			require.Equal(t, 201, got.Status, kind)
			continue
		}
		problem(t, 409, code, "", got)
	}
}

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
	failed := as[httpkit.List[Payment]](t, 200, b.ask(t, b.test, "GET", "/v1/payments?invoiceId="+in, nil)).Data
	require.NotEmpty(t, failed)
	_, err := b.pool.Exec(t.Context(), `update emails set kind = 'payment_failed', object_id = $1, status = 'sent', next_attempt_at = null
		where id = $2`, failed[0].ID, asked.ID)
	require.NoError(t, err)
	again := as[Email](t, 201, b.ask(t, b.test, "POST", "/api/emails/"+asked.ID+"/resend", nil))
	require.Equal(t, "payment_failed", string(again.Kind))

	require.Equal(t, 200, b.ask(t, b.test, "POST", "/api/invoices/"+in+"/mark-paid", map[string]any{"method": "cash"}).Status)
	problem(t, 409, "invoice_not_open", "", b.ask(t, b.test, "POST", "/api/emails/"+asked.ID+"/resend", nil))
}

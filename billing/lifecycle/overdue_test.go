package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/subscription"
	"perennial/billing/terms"
)

// A payment that began in time is no payment that did not come.
func TestOverdue_WaitsForThePaymentUnderWay(t *testing.T) {
	t.Parallel()
	for answer, want := range map[payment.Outcome]subscription.Status{
		payment.AnswerSucceeded: subscription.Active, payment.AnswerDeclined: subscription.PastDue,
	} {
		l := begun(t, settings)
		l.result(payment.AnswerSucceeded)
		send := terms.Send
		l.must(lifecycle.SetTerms{Method: &send, NetDays: new(int)})
		l.until(l.sub().CurrentPeriod.End)
		require.Equal(t, subscription.ActionInvoiceOverdue, l.sub().NextAction)
		due := l.sub().NextActionAt
		l.must(lifecycle.Pay{InvoiceID: l.open()[0].ID})
		l.until(due.Add(time.Hour))
		require.Equal(t, subscription.Active, l.sub().Status)
		l.result(answer)
		l.until(due.Add(2 * time.Hour))
		require.Equal(t, want, l.sub().Status)
	}
}

package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/lifecycle"
	"perennial/billing/subscription"
	"perennial/billing/terms"
)

// A scheduled change comes after actions of an older period at the same instant; an instant earlier it comes first.
func TestNext_ChangeAtTheInstantOfSomethingElse(t *testing.T) {
	t.Parallel()
	sent := func(t *testing.T) *life { // its renewal of 28 February is due on 14 March, and the next one comes on 31 March
		t.Helper()
		l := begun(t, settings)
		l.result(answer.Succeeded)
		send, days := terms.Send, 14
		l.must(lifecycle.SetTerms{Method: &send, NetDays: &days})
		l.until(l.sub().CurrentPeriod.End)
		return l
	}
	retried := func(t *testing.T) *life { // its first attempt failed on 31 January, and the next one is a day later
		t.Helper()
		l := begun(t, settings)
		l.result(answer.Declined)
		return l
	}
	drafted := func(t *testing.T) *life {
		t.Helper()
		return graced(t, team, pro)
	}
	for name, c := range map[string]struct {
		begin func(*testing.T) *life
		other subscription.Action
	}{
		"a retry":              {retried, subscription.ActionPaymentRetry},
		"the end of a term":    {sent, subscription.ActionInvoiceOverdue},
		"the end of the grace": {drafted, subscription.ActionFinalize},
	} {
		for offset, want := range map[time.Duration]subscription.Action{
			0: c.other, time.Second: c.other, -time.Second: subscription.ActionScheduledChange,
		} {
			l := c.begin(t)
			require.Equal(t, c.other, l.sub().NextAction, name)
			on := l.sub().NextActionAt.Add(offset)
			l.must(lifecycle.ChangePlan{Plan: &pro, On: on})
			require.Equal(t, want, l.sub().NextAction, "%s, %s", name, offset)
			if want == subscription.ActionScheduledChange {
				require.Equal(t, on, l.sub().NextActionAt, name)
			}
		}
	}
}

// At the instant of a renewal it comes first: it may change the invoice.
func TestNext_ChangeAtTheRenewal(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.must(lifecycle.ChangePlan{Plan: &pro, On: l.sub().CurrentPeriod.End})
	require.Equal(t, subscription.ActionScheduledChange, l.sub().NextAction)
}

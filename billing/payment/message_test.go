package payment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
)

func TestTransaction_Notice(t *testing.T) {
	t.Parallel()
	sent := protocol.Sending(payment.Transaction{Type: payment.Charge, Status: payment.Pending}, t0)
	answered := protocol.Waiting(sent, 0, t0)
	answered.ProviderRef = "pi_1"
	unnamed := protocol.Waiting(sent, 0, t0)
	closed := func(typ payment.Type, status payment.Status) payment.Transaction {
		return payment.Transaction{Type: typ, Status: status, ProviderRef: "pi_1", Amount: 1000, FirstSentAt: t0}
	}
	abandoned := payment.Transaction{Type: payment.Charge, Status: payment.Canceled}
	refunded := closed(payment.Charge, payment.Success)
	refunded.AmountRefunded = 900 // 500 of it are on their way
	none, await, look := payment.NoticeNone, payment.NoticeAwait, payment.NoticeLook
	kinds := []payment.MessageKind{
		payment.MessageCreated, payment.MessageProcessing, payment.MessageSucceeded, payment.MessageFailed,
		payment.MessageRefunded, payment.MessageDisputed, payment.MessageUnknown,
	}
	for name, c := range map[string]struct {
		txn  payment.Transaction
		at   time.Time
		want []payment.Notice // of kinds
	}{
		"in flight": {sent, t0.Add(time.Second),
			[]payment.Notice{await, await, await, await, look, look, look}},
		"no answer for 10 s": {sent, t0.Add(10 * time.Second),
			[]payment.Notice{look, look, look, look, look, look, look}},
		"pending": {answered, t0.Add(time.Second),
			[]payment.Notice{none, none, look, look, look, look, look}},
		"pending, no reference": {unnamed, t0.Add(time.Second), []payment.Notice{look, look, look, look, look, look, look}},
		"pending, needs review": {answered.Park(t0), t0, []payment.Notice{look, look, look, look, look, look, look}},
		"success": {closed(payment.Charge, payment.Success), t0,
			[]payment.Notice{none, none, none, look, look, look, look}},
		"success, needs review": {closed(payment.Charge, payment.Success).Park(t0), t0,
			[]payment.Notice{look, look, look, look, look, look, look}},
		"declined": {closed(payment.Charge, payment.Declined), t0,
			[]payment.Notice{none, none, look, none, look, look, look}},
		"failed": {closed(payment.Charge, payment.Failed), t0,
			[]payment.Notice{none, none, look, none, look, look, look}},
		"canceled": {closed(payment.Charge, payment.Canceled), t0,
			[]payment.Notice{none, none, look, none, look, look, look}},
		"canceled and never sent": {abandoned, t0, []payment.Notice{look, look, look, look, look, look, look}},
		"refund, refunded": {closed(payment.Refund, payment.Refunded), t0,
			[]payment.Notice{none, none, none, look, look, look, look}},
		"refund, failed": {closed(payment.Refund, payment.Failed), t0,
			[]payment.Notice{none, none, look, none, look, look, look}},
	} {
		for i, kind := range kinds {
			got := c.txn.Notice(payment.Message{Kind: kind, Ref: "pi_1"}, 0, c.at)
			require.Equal(t, c.want[i], got, "%s: %q", name, kind)
			if c.want[i] == none {
				other := c.txn.Notice(payment.Message{Kind: kind, Ref: "pi_2"}, 0, c.at)
				require.Equal(t, look, other, "%s: %q of another operation", name, kind)
			}
		}
	}
	for name, c := range map[string]struct {
		message payment.Message
		want    payment.Notice
	}{
		"our own refund":        {payment.Message{Kind: payment.MessageRefunded, Ref: "pi_1", AmountRefunded: 400}, none},
		"more than we refunded": {payment.Message{Kind: payment.MessageRefunded, Ref: "pi_1", AmountRefunded: 401}, look},
		"more, in another message": {payment.Message{Kind: payment.MessageSucceeded, Ref: "pi_1", AmountRefunded: 401},
			look},
		"an amount that is unknown": {payment.Message{Kind: payment.MessageRefunded, Ref: "pi_1"}, look},
	} {
		require.Equal(t, c.want, refunded.Notice(c.message, 400, t0), name)
	}
}

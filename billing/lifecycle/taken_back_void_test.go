package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/creditnote"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
)

// An unpaid invoice of 100 calls, of which the next invoice takes 20 back, is not voided: those 20 would be given back
// twice, and the documents of the month would say so. It can be given up, and the rest of it can be credited.
func TestVoidInvoice_OfUsageThatALaterInvoiceCorrects(t *testing.T) {
	t.Parallel()
	for name, exit := range map[string]func(l *life, id string){
		"uncollectible": func(l *life, id string) {
			l.must(lifecycle.MarkUncollectible{InvoiceID: id})
			require.Equal(t, invoice.Uncollectible, l.store.invoice(id).Status)
		},
		"credited": func(l *life, id string) {
			inv := *l.store.invoice(id)
			l.noted = true
			l.must(lifecycle.CreditInvoice{
				Invoice: inv, Given: l.given(inv), Request: creditnote.Request{ID: "cn_1", Reason: creditnote.OrderChange},
			})
			require.Equal(t, money.Minor(2200-60), l.store.invoice(id).Credited.Total, "each call once")
		},
	} {
		l := calling(t, 1)
		february := l.sub().CurrentPeriod
		l.until(february.End)
		l.call(february.End.Add(-time.Second), 100)
		first := *l.issue()
		l.result(answer.Declined)
		require.False(t, l.given(first).TakenBack(first), name)
		l.store.records = append(l.store.records, record{at: february.End.Add(-time.Second), metric: "calls", quantity: -20})
		l.store.settings.Dunning.Retry.Base = 60 * 24 * time.Hour
		for l.sub().PeriodIndex == 2 {
			l.toNext(0)
			l.result(answer.Declined)
		}
		second := l.issue()
		require.Equal(t, money.Minor(1900-60), second.Total, name)
		require.Equal(t, invoice.Open, l.store.invoice(first.ID).Status, name)
		l.writtenOff = true

		_, err := l.apply(l.voids(*l.store.invoice(first.ID)))

		require.ErrorIs(t, err, lifecycle.ErrTakenBack, name)
		exit(l, first.ID)
	}
}

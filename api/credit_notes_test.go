package api

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/billing/creditnote"
	"perennial/db"
	"perennial/internal/id"
)

// paidInvoice returns an invoice that a charge of 1900 has paid.
func (b *bench) paidInvoice(t *testing.T) (subscriptionID, invoiceID, charge string) {
	t.Helper()
	sub, in := b.overdue(t, b.clock().Add(time.Hour))
	made := as[Payment](t, 201, b.ask(t, b.test, "POST", "/api/invoices/"+in+"/retry", nil))
	b.succeed(t, made.ID)
	return sub, in, made.ID
}

// newCreditNote gives one minor unit of an invoice back, behind the API.
func (b *bench) newCreditNote(t testing.TB, e opened, invoiceID string) string {
	t.Helper()
	inv, err := b.store.Invoices.Get(t.Context(), e.environmentID, invoiceID)
	require.NoError(t, err)
	note := creditnote.Note{
		ID: id.New(id.CreditNote, b.clock()), InvoiceID: inv.ID, CustomerID: inv.CustomerID,
		SubscriptionID: inv.SubscriptionID,
		Currency:       inv.Currency, Reason: creditnote.Other, Subtotal: 1, Total: 1, Due: 1, CreatedAt: b.clock(),
		Lines: []creditnote.Line{{InvoiceLineID: inv.Lines[0].ID, Amount: 1}},
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) error {
		return tx.Invoices.InsertCreditNote(ctx, e.environmentID, &note)
	})
	return note.ID
}

func TestCreditNotes_BalanceThenMoney(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub, in, charge := b.paidInvoice(t)
	path := "/api/invoices/" + in + "/credit-notes"
	form := map[string]any{"amount": 400, "reason": "goodwill", "memo": "Sorry"}
	first := as[CreditNote](t, 201, b.ask(t, b.test, "POST", path, form, "Idempotency-Key", "k"))
	require.Equal(t, first, as[CreditNote](t, 201, b.ask(t, b.test, "POST", path, form, "Idempotency-Key", "k")))
	require.Equal(t, [4]int64{1, 400, 400, 0},
		[4]int64{first.Number, first.Total, first.BalanceCredited, first.RefundAmount})
	rest := as[CreditNote](t, 201, b.ask(t, b.test, "POST", path, `{"reason":"other","to":"refund","refundAmount":1000}`))
	require.Equal(t, [4]int64{2, 1500, 500, 1000},
		[4]int64{rest.Number, rest.Total, rest.BalanceCredited, rest.RefundAmount})
	problem(t, 409, "invoice_nothing_to_credit", "", b.ask(t, b.test, "POST", path, `{"reason":"other"}`))

	refund := as[Payment](t, 200, b.ask(t, b.test, "GET", "/api/payments/"+rest.RefundID, nil))
	require.Equal(t, [3]any{"refund", int64(1000), charge}, [3]any{refund.Type, refund.Amount, refund.ChargeID})
	inv := as[Invoice](t, 200, b.ask(t, b.test, "GET", "/api/invoices/"+in, nil))
	require.Equal(t, [4]any{"paid", int64(1900), int64(0), int64(1900)},
		[4]any{inv.Status, inv.Credited, inv.CreditedDue, inv.Lines[0].Credited})
	require.Equal(t, 900, b.count(t, "select sum(balance)::int from credit_balances"))
	require.Equal(t, rest, as[CreditNote](t, 200, b.ask(t, b.test, "GET", "/v1/credit-notes/"+rest.ID, nil)))
	for query, want := range map[string]int{"": 2, "?invoiceId=" + in: 2, "?customerId=" + inv.CustomerID: 2,
		"?customerId=" + absent(b.clock()).customer: 0} {
		list := as[httpkit.List[CreditNote]](t, 200, b.ask(t, b.test, "GET", "/api/credit-notes"+query, nil))
		require.Len(t, list.Data, want, query)
	}
	require.Equal(t, "active", as[Subscription](t, 200, b.ask(t, b.test, "GET", "/api/subscriptions/"+sub, nil)).Status)
}

func TestCreditNotes_OfAnOpenInvoice(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, in := b.overdue(t, b.clock().Add(time.Hour))
	path := "/api/invoices/" + in + "/credit-notes"
	problem(t, 422, "credit_of_open_invoice", "to", b.ask(t, b.test, "POST", path, `{"reason":"other","to":"refund"}`))
	line := as[Invoice](t, 200, b.ask(t, b.test, "GET", "/api/invoices/"+in, nil)).Lines[0].ID
	part := as[CreditNote](t, 201, b.ask(t, b.test, "POST", path,
		map[string]any{"reason": "other", "lines": []any{map[string]any{"invoiceLineId": line, "amount": 900}}}))
	require.Equal(t, [2]int64{900, 0}, [2]int64{part.DueReduced, part.BalanceCredited})
	require.EqualValues(t, 1000, as[Invoice](t, 200, b.ask(t, b.test, "GET", "/api/invoices/"+in, nil)).AmountDue)
	problem(t, 409, "invoice_has_credit_notes", "", b.ask(t, b.test, "POST", "/api/invoices/"+in+"/void", nil))

	attempt := as[Payment](t, 201, b.ask(t, b.test, "POST", "/api/invoices/"+in+"/retry", nil))
	require.EqualValues(t, 1000, attempt.Amount)
	problem(t, 409, "payment_in_progress", "", b.ask(t, b.test, "POST", path, `{"reason":"other"}`))
	b.decline(t, attempt.ID)
	as[CreditNote](t, 201, b.ask(t, b.test, "POST", path, `{"reason":"other"}`))
	got := as[Invoice](t, 200, b.ask(t, b.test, "GET", "/api/invoices/"+in, nil))
	require.Equal(t, [4]any{"paid", int64(0), int64(0), int64(1900)},
		[4]any{got.Status, got.AmountDue, got.AmountPaid, got.CreditedDue})
}

func TestCreditNotes_Refuses(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, in, _ := b.paidInvoice(t)
	for body, want := range map[string][2]string{
		`{"reason":"other","amount":1901}`: {"credit_exceeds_invoice", "amount"},
		`{"reason":"other","refundAmount":1}`: {
			"refund_amount_without_refund", "refundAmount",
		},
		`{"reason":"other","amount":5,"to":"refund","refundAmount":6}`: {
			"refund_exceeds_credit_note", "refundAmount",
		},
		`{"reason":"other","amount":5,"lines":[{"invoiceLineId":"il","amount":1}]}`: {"credit_note_ambiguous", "amount"},
		`{"reason":"other","lines":[{"invoiceLineId":"il","amount":1}]}`:            {"credit_line_unknown", "lines"},
		`{"reason":"other","memo":" "}`:                                             {"text_blank", "memo"},
	} {
		problem(t, 422, want[0], want[1], b.ask(t, b.test, "POST", "/api/invoices/"+in+"/credit-notes", body))
	}
}

// Sixteen at once give back what there is, and nothing more; their numbers have no gap.
func TestCreditNotes_SixteenAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, in, _ := b.paidInvoice(t)
	made := 0
	requests := make([]*http.Request, 16)
	for i := range requests {
		requests[i] = b.request(t, "POST", "/api/invoices/"+in+"/credit-notes",
			`{"reason":"other","amount":300,"to":"refund"}`,
			"Authorization", "Bearer "+b.test.key)
	}
	for _, got := range b.together(requests) {
		if got.Status == 201 {
			made++
		}
	}
	require.Positive(t, made)
	require.LessOrEqual(t, made, 6)
	require.Equal(t, 300*made, b.count(t, "select coalesce(sum(total), 0)::int from credit_notes"))
	require.Equal(t, 300*made, b.count(t, "select sum(amount_refunded)::int from transactions where type = 'charge'"))
	require.Equal(t, made, b.count(t, "select max(number)::int from credit_notes"))
}

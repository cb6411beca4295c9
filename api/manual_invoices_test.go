package api

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/billing/answer"
)

func draftOf(customerID string, more map[string]any) map[string]any {
	form := map[string]any{
		"customerId": customerID, "currency": "USD",
		"lines": []any{map[string]any{"description": "Consulting", "quantity": "1.5", "unitAmount": "1001"}},
	}
	for field, value := range more {
		form[field] = value
	}
	return form
}

// A draft is written, changed and finalized, fails to be charged, and is paid by POST /payments. Its credit is used
// once.
func TestManualInvoice_FromDraftToPaid(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.newCustomer(t, b.test)
	ledger := "/api/customers/" + c.ID + "/balance"
	given := as[BalanceEntry](t, 201, b.ask(t, b.test, "POST", ledger+"/entries",
		map[string]any{"currency": "USD", "amount": 200, "note": "Sorry"}))
	require.Equal(t, [3]any{"adjusted", int64(200), "Sorry"}, [3]any{given.Reason, given.BalanceAfter, given.Note})

	draft := as[Invoice](t, 201, b.ask(t, b.test, "POST", "/api/invoices", draftOf(c.ID, nil)))
	path := "/api/invoices/" + draft.ID
	require.Equal(t, [5]any{"draft", "manual", "", int64(0), int64(1502)},
		[5]any{draft.Status, draft.Reason, draft.SubscriptionID, draft.Number, draft.AmountDue})
	for _, command := range []string{"pay", "void", "mark-uncollectible"} {
		problem(t, 409, "invoice_is_draft", "", b.ask(t, b.test, "POST", path+"/"+command, nil))
	}
	problem(t, 422, "line_price_ambiguous", "lines", b.ask(t, b.test, "PATCH", path,
		map[string]any{"lines": []any{map[string]any{"description": "x", "amount": 1, "unitAmount": "1"}}}))
	old := as[Invoice](t, 200, b.ask(t, b.test, "PATCH", path,
		map[string]any{"lines": []any{map[string]any{"description": "x", "quantity": "3", "unitPrice": "0.335"}}}))
	require.Equal(t, [3]any{int64(101), "33.5", "0.335"},
		[3]any{old.Total, old.Lines[0].UnitAmount, old.Lines[0].UnitPrice})
	require.Equal(t, "lines[0].unitPrice", old.Warnings[0].Param)
	changed := as[Invoice](t, 200, b.ask(t, b.test, "PATCH", path,
		map[string]any{"lines": []any{map[string]any{"description": "Setup", "amount": 1000}}}))
	require.Equal(t, [2]any{int64(1000), "Setup"}, [2]any{changed.Total, changed.Lines[0].Description})
	problem(t, 422, "text_blank", "memo", b.ask(t, b.test, "PATCH", path, `{"memo":" "}`))
	said := as[Invoice](t, 200, b.ask(t, b.test, "PATCH", path, `{"memo":"Order 4711","metadata":{"order":4711}}`))
	require.Equal(t, int64(1000), said.Total)

	final := as[Invoice](t, 200, b.ask(t, b.test, "POST", path+"/finalize", nil, "Idempotency-Key", "f"))
	require.Equal(t, [4]any{"open", int64(200), int64(800), c.Email},
		[4]any{final.Status, final.CreditApplied, final.AmountDue, final.Buyer.Email})
	require.NotZero(t, final.Number)
	require.Equal(t, "Order 4711", final.Memo)
	require.Equal(t, said.Metadata, final.Metadata)
	require.Contains(t, final.Metadata, "order")
	require.Equal(t, final, as[Invoice](t, 200, b.ask(t, b.test, "GET", path, nil)))
	require.Equal(t, final, as[Invoice](t, 200, b.ask(t, b.test, "POST", path+"/finalize", nil, "Idempotency-Key", "f")))
	problem(t, 409, "invoice_not_draft", "", b.ask(t, b.test, "POST", path+"/finalize", nil))
	problem(t, 409, "invoice_not_draft", "", b.ask(t, b.test, "PATCH", path, map[string]any{"netDays": 1}))
	problem(t, 409, "invoice_not_draft", "", b.ask(t, b.test, "DELETE", path, nil))
	problem(t, 409, "payment_in_progress", "", b.ask(t, b.test, "POST", path+"/pay", nil))

	attempts := as[httpkit.List[Payment]](t, 200, b.ask(t, b.test, "GET", "/api/payments?invoiceId="+draft.ID, nil)).Data
	require.Len(t, attempts, 1)
	b.answered(t, attempts[0].ID, answer.Answer{Outcome: answer.Declined})
	problem(t, 422, "amount_mismatch", "amount", b.ask(t, b.test, "POST", "/api/payments",
		map[string]any{"invoiceId": draft.ID, "amount": 1000}))
	again := as[Payment](
		t, 201, b.ask(t, b.test, "POST", "/api/payments", map[string]any{"invoiceId": draft.ID, "amount": 800}),
	)
	b.succeed(t, again.ID)
	paid := as[Invoice](t, 200, b.ask(t, b.test, "GET", path, nil))
	require.Equal(t, [3]any{"paid", int64(800), 2}, [3]any{paid.Status, paid.AmountPaid, paid.AttemptCount})
	require.Equal(t, 1, b.count(t, "select count(*) from settlements where invoice_id = $1", draft.ID))

	entries := as[httpkit.List[BalanceEntry]](t, 200, b.ask(t, b.test, "GET", ledger+"/entries?limit=1", nil))
	require.True(t, entries.HasMore)
	require.Equal(t, [3]any{"applied", int64(-200), draft.ID},
		[3]any{entries.Data[0].Reason, entries.Data[0].Amount, entries.Data[0].InvoiceID})
	older := as[httpkit.List[BalanceEntry]](t, 200,
		b.ask(t, b.test, "GET", ledger+"/entries?startingAfter="+entries.Data[0].ID, nil))
	require.Equal(t, []BalanceEntry{given}, older.Data)
	require.Empty(t, as[Balance](t, 200, b.ask(t, b.test, "GET", ledger, nil)).Balances)

	note := as[CreditNote](t, 201, b.ask(t, b.test, "POST", path+"/credit-notes",
		map[string]any{"reason": "goodwill", "amount": 100}))
	require.Equal(t, int64(100), note.BalanceCredited)
	require.Equal(t, []Credit{{Currency: "USD", Amount: 100, Plain: 100}},
		as[Balance](t, 200, b.ask(t, b.test, "GET", ledger, nil)).Balances)
}

// A sent invoice is not charged; voiding it gives its credit back; a deleted draft leaves no gap in the numbers.
func TestManualInvoice_SentVoidedAndDeleted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.newCustomer(t, b.test)
	sent := map[string]any{"collectionMethod": "send_invoice", "netDays": 14}
	gone := as[Invoice](t, 201, b.ask(t, b.test, "POST", "/api/invoices", draftOf(c.ID, nil)))
	draft := as[Invoice](t, 201, b.ask(t, b.test, "POST", "/api/invoices", draftOf(c.ID, sent)))
	drafts := as[httpkit.List[Invoice]](t, 200,
		b.ask(t, b.test, "GET", "/api/invoices?status=draft&customerId="+c.ID, nil))
	require.Equal(t, []Invoice{draft, gone}, drafts.Data)
	require.Equal(t, Deleted{ID: gone.ID, Deleted: true},
		as[Deleted](t, 200, b.ask(t, b.test, "DELETE", "/api/invoices/"+gone.ID, nil)))
	problem(t, 404, "invoice_not_found", "", b.ask(t, b.test, "GET", "/api/invoices/"+gone.ID, nil))

	path := "/api/invoices/" + draft.ID
	open := as[Invoice](t, 200, b.ask(t, b.test, "POST", path+"/finalize", nil))
	require.Equal(t, [3]any{"open", "send_invoice", 14}, [3]any{open.Status, open.CollectionMethod, open.NetDays})
	require.WithinDuration(t, b.clock().AddDate(0, 0, 15), time.Unix(open.DueAt, 0), 24*time.Hour)
	require.Zero(t, open.AttemptCount)
	void := as[Invoice](t, 200, b.ask(t, b.test, "POST", path+"/void", nil))
	require.Equal(t, "void", void.Status)
	problem(t, 409, "invoice_not_open", "", b.ask(t, b.test, "POST", path+"/pay", nil))

	another := as[Invoice](t, 201, b.ask(t, b.test, "POST", "/api/invoices", draftOf(c.ID, sent)))
	next := as[Invoice](t, 200, b.ask(t, b.test, "POST", "/api/invoices/"+another.ID+"/finalize", nil))
	require.Equal(t, open.Number+1, next.Number)
	paid := as[Invoice](t, 200, b.ask(t, b.test, "POST", "/api/invoices/"+another.ID+"/mark-paid",
		map[string]any{"method": "bank_transfer"}))
	require.Equal(t, [2]any{"paid", paid.AmountDue}, [2]any{paid.Status, paid.AmountPaid})
}

package mailing_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/email"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/db"
	"perennial/internal/id"
)

// billed writes an invoice of the payer, and announces it.
func (o *office) billed(t *testing.T, status invoice.Status) invoice.Invoice {
	t.Helper()
	now := o.Clock.Now()
	inv := invoice.Invoice{
		ID: id.New(id.Invoice, now), CustomerID: o.payer.ID, Status: invoice.Open, Reason: invoice.Manual, Currency: "USD",
		Total: 1900, CreditApplied: 400, AmountDue: 1500, IssuedAt: now,
		DueAt: now.AddDate(0, 0, 7),
	}
	inv.Status, inv.Collection.Phase = status, collection.Closed
	switch status {
	case invoice.Open:
		inv.Collection.Phase = collection.Waiting
	case invoice.Paid:
		inv.AmountPaid, inv.PaidAt, inv.Collection.Phase = inv.AmountDue, now, collection.Settled
	case invoice.Void:
		inv.VoidedAt = now
	case invoice.Uncollectible:
		inv.UncollectibleAt = now
	default:
		require.Fail(t, "no status of an issued invoice")
	}
	o.InTx(t, func(tx *db.Tx) error { return tx.Invoices.Insert(t.Context(), o.Env, inv) })
	return inv
}

// A letter asks for what is to pay, and only while it is.
func TestSendDue_AsksOnlyForWhatIsOpen(t *testing.T) {
	t.Parallel()
	for _, status := range []invoice.Status{invoice.Open, invoice.Paid, invoice.Void, invoice.Uncollectible} {
		t.Run(string(status), func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			inv := o.billed(t, status)
			now := o.Clock.Now()
			o.InTx(t, func(tx *db.Tx) error {
				return tx.Emails.Insert(t.Context(), o.Env, db.Email{
					ID: id.New(id.Email, now), Kind: email.InvoiceIssued, ObjectID: inv.ID, CustomerID: o.payer.ID,
					Recipient: "canary@example.com",
				})
			})
			for n := range 2 {
				paid := event.Payment{
					ID: id.New(id.Transaction, now), CustomerID: o.payer.ID, Amount: 1500, Currency: "USD", InvoiceID: inv.ID,
				}
				if n == 0 {
					o.emit(t, event.PaymentFailed{Payment: paid})
				} else {
					o.emit(t, event.PaymentActionRequired{
						Payment: paid, ConfirmURL: "https://x.example/", ConfirmBy: now.Add(time.Hour).Unix(),
					})
				}
			}
			o.send(t)
			for _, m := range o.all(t) {
				switch {
				case m.Kind == email.InvoiceIssued && status == invoice.Open:
					require.Contains(t, m.Text, "$15.00")
					require.Contains(t, m.Text, "Please pay it by")
				case m.Kind == email.InvoiceIssued:
					require.Equal(t, email.Sent, m.Status, m.Log)
					require.NotContains(t, m.Text, "Please pay")
				case status == invoice.Open:
					require.Equal(t, email.Sent, m.Status, m.Log)
				default:
					require.Equal(t, email.Suppressed, m.Status, m.Log)
					require.Equal(t, email.InvoiceNotOpen, m.Reason)
				}
			}
		})
	}
}

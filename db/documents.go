package db

import (
	"context"

	"perennial/billing/creditnote"
	"perennial/billing/document"
	"perennial/billing/invoice"
	"perennial/billing/payment"
)

// ReceiptDocument reads what the receipt of a charge says. A charge without an invoice has the present seller and
// customer: nothing froze them. Fault: receipt_unavailable.
func ReceiptDocument(
	ctx context.Context, r Reader, environmentID string, t payment.Transaction,
) (document.Document, error) {
	of, err := paidFor(ctx, r, environmentID, t)
	if err != nil {
		return document.Document{}, err
	}
	methods, err := r.Customers.AllPaymentMethods(ctx, environmentID, t.CustomerID)
	if err != nil {
		return document.Document{}, err
	}
	return document.OfPayment(t, of, document.PaidWith(t, methods))
}

// paidFor reads the invoice of a charge; of one without, its seller and buyer.
func paidFor(ctx context.Context, r Reader, environmentID string, t payment.Transaction) (invoice.Invoice, error) {
	if t.InvoiceID != "" {
		return r.Invoices.Get(ctx, environmentID, t.InvoiceID)
	}
	of, err := r.Customers.Get(ctx, environmentID, t.CustomerID)
	if err != nil {
		return invoice.Invoice{}, err
	}
	e, err := r.Tenancy.Environment(ctx, environmentID)
	return invoice.Invoice{Seller: e.Settings.Seller, Buyer: document.BuyerOf(of)}, err
}

// CreditNoteDocument reads what a credit note says, of its invoice.
func CreditNoteDocument(
	ctx context.Context, r Reader, environmentID string, n creditnote.Note,
) (document.Document, error) {
	of, err := r.Invoices.Get(ctx, environmentID, n.InvoiceID)
	return document.OfCreditNote(n, of), err
}

package invoices

import (
	"context"

	"perennial/api/httpkit"
	"perennial/billing/document"
	"perennial/billing/invoice"
	"perennial/billing/payment"
)

// receiptDocument reads what the payment paid for. A charge without an invoice has the present seller and customer:
// nothing froze them.
func (h *Handler) receiptDocument(ctx context.Context, c *httpkit.Call) (document.Document, error) {
	t := httpkit.Resource[payment.Transaction](c)
	var of invoice.Invoice
	var err error
	if t.InvoiceID != "" {
		of, err = h.store.Invoices.Get(ctx, c.EnvironmentID, t.InvoiceID)
	} else {
		of, err = h.parties(ctx, c.EnvironmentID, t.CustomerID)
	}
	if err != nil {
		return document.Document{}, err
	}
	methods, err := h.store.Customers.AllPaymentMethods(ctx, c.EnvironmentID, t.CustomerID)
	if err != nil {
		return document.Document{}, err
	}
	return document.OfPayment(t, of, document.PaidWith(t, methods))
}

func (h *Handler) parties(ctx context.Context, environmentID, customerID string) (invoice.Invoice, error) {
	of, err := h.store.Customers.Get(ctx, environmentID, customerID)
	if err != nil {
		return invoice.Invoice{}, err
	}
	e, err := h.store.Tenancy.Environment(ctx, environmentID)
	return invoice.Invoice{Seller: e.Settings.Seller, Buyer: document.BuyerOf(of)}, err
}

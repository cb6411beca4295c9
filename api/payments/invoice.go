package payments

import (
	"context"
	"errors"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/db"
	"perennial/internal/id"
)

// payInvoice pays the invoice that the form names, a subscription's or a manual one.
func (h *Handler) payInvoice(ctx context.Context, c *httpkit.Call, f PaymentForm) (*httpkit.Reply[Payment], error) {
	if f.Description != "" {
		return nil, fault.InvalidParam("description", "fields_exclusive",
			"`description` cannot be combined with `invoiceId`: the invoice describes the payment. Omit `description`.")
	}
	inv, err := h.invoiceToPay(ctx, c, f)
	if err != nil {
		return nil, err
	}
	return h.StartAttempt(ctx, c, h.gate.AdmitInvoice(inv), func(around usecase.Around[usecase.Performed]) error {
		return h.invoices.PayInvoice(ctx, usecase.Caller(c), lifecycle.Pay{
			InvoiceID: inv.ID, Amount: (*money.Minor)(f.Amount), MethodID: f.PaymentMethodID,
		}, around)
	})
}

// invoiceToPay reads without a lock, to refuse a request that can never succeed: the customer and the currency of an
// invoice do not change. Faults: invoice_not_found, fields_exclusive, customer_mismatch, currency_mismatch.
func (h *Handler) invoiceToPay(ctx context.Context, c *httpkit.Call, f PaymentForm) (invoice.Invoice, error) {
	absent := httpkit.NotFound(db.ErrInvoiceNotFound).In("invoiceId")
	if !id.Is(id.Invoice, f.InvoiceID) {
		return invoice.Invoice{}, absent
	}
	inv, err := h.store.Invoices.Get(ctx, c.EnvironmentID, f.InvoiceID)
	switch {
	case errors.Is(err, db.ErrInvoiceNotFound):
		return inv, absent
	case err != nil:
		return inv, err
	case f.SubscriptionID != "" && f.SubscriptionID != inv.SubscriptionID:
		return inv, fault.InvalidParam("subscriptionId", "fields_exclusive",
			"The invoice belongs to another subscription, or to none. Omit `subscriptionId`.")
	case f.CustomerID != "" && f.CustomerID != inv.CustomerID:
		return inv, fault.InvalidParam("customerId", "customer_mismatch",
			"The invoice belongs to another customer. Omit `customerId`.")
	case f.Currency != "" && f.Currency != string(inv.Currency):
		return inv, fault.InvalidParam("currency", "currency_mismatch",
			"The invoice is in %s. Omit `currency`.", inv.Currency)
	}
	return inv, nil
}

package invoices

import (
	"context"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/service/invoices"
	serviceusecase "perennial/service/usecase"
)

type markInvoicePaidInput struct {
	httpkit.ByID
	Body MarkPaidForm
}

// MarkPaidForm describes a payment outside Perennial.
type MarkPaidForm struct {
	Method    string `json:"method" enum:"bank_transfer,cash,cheque,other" example:"bank_transfer" doc:"How it was paid."`
	Reference string `json:"reference,omitempty" maxLength:"100" example:"2026-11-0042" doc:"The bank's or the payer's reference; shown as providerReference of the payment. Send no personal data."`
	Note      string `json:"note,omitempty" maxLength:"200" example:"On the statement of November" doc:"Kept with who marked the invoice paid. Send no personal data."`
	PaidAt    int64  `json:"paidAt,omitempty" minimum:"1" maximum:"253402300799" example:"1763640002" doc:"The time when the money came, in Unix seconds: not later than now, and not more than a year before the invoice was issued; absent: now."`
}

// markInvoicePaid books a payment that no provider made: it is never sent, so there is nothing to wait for.
func (h *Handler) markInvoicePaid(
	ctx context.Context, c *httpkit.Call, in *markInvoicePaidInput,
) (*httpkit.Reply[Invoice], error) {
	f := in.Body
	return h.onInvoice(ctx, c,
		func(ctx context.Context, by serviceusecase.Caller, id string, around usecase.Around[invoice.Invoice]) error {
			return h.service.MarkPaid(ctx, by, invoices.OutsidePayment{
				MarkPaid: lifecycle.MarkPaid{
					InvoiceID: id, Method: f.Method, Reference: f.Reference, PaidAt: view.Instant(f.PaidAt),
				},
				Note: f.Note,
			}, around)
		})
}

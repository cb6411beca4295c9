package invoices

import (
	"context"
	"net/http"
	"strconv"

	"perennial/api/httpkit"
	"perennial/api/payments"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/invoice"
	"perennial/billing/invoicing"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/billing/tax"
	"perennial/billing/terms"
	"perennial/db"
	"perennial/service/invoices"
	serviceusecase "perennial/service/usecase"
)

// InvoiceLineForm is a line of a manual invoice.
type InvoiceLineForm struct {
	Description string `json:"description" minLength:"1" maxLength:"200" example:"Migration of the archive" doc:"What the customer reads. Send no personal data."`
	Quantity    string `json:"quantity,omitempty" maxLength:"30" example:"7.5" doc:"A decimal, with unitAmount. Default: 1."`
	UnitAmount  string `json:"unitAmount,omitempty" maxLength:"30" example:"12000" doc:"What one unit costs: a decimal in minor units of the currency. The amount of the line is quantity times unitAmount, rounded once."`
	UnitPrice   string `json:"unitPrice,omitempty" maxLength:"30" deprecated:"true" doc:"unitAmount in major units: 120.00 where that is 12000."`
	TaxCategory string `json:"taxCategory,omitempty" maxLength:"40" example:"books" doc:"The tax category of what the line bills: it is taxed as products of that category are. Default: none."`
	Amount      *int64 `json:"amount,omitempty" minimum:"0" maximum:"999999999999" doc:"Minor units, without the taxes that are added. Send this or unitAmount."`
}

// InvoiceForm writes the draft of a manual invoice.
type InvoiceForm struct {
	CustomerID       string            `json:"customerId" minLength:"1" maxLength:"64" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Currency         string            `json:"currency" example:"USD" doc:"ISO 4217, uppercase."`
	Lines            []InvoiceLineForm `json:"lines" minItems:"1" maxItems:"100" doc:"What is billed. Taxes are those that hold for the customer."`
	CollectionMethod string            `json:"collectionMethod,omitempty" enum:"charge_automatically,send_invoice" doc:"charge_automatically: the customer's payment method is charged once when the invoice is finalized. send_invoice: the customer pays it within netDays. Default: charge_automatically."`
	NetDays          int               `json:"netDays,omitempty" minimum:"0" maximum:"365" doc:"With send_invoice: the days after the issue within which it has to be paid."`
	Memo             string            `json:"memo,omitempty" maxLength:"200" example:"Your order 4711" doc:"What the customer reads beside the lines. Erased with the customer."`
	Metadata         view.Metadata     `json:"metadata,omitempty" maxProperties:"50"`
}

// InvoiceChange changes the fields of a draft that are sent and leaves the others.
type InvoiceChange struct {
	Lines            []InvoiceLineForm `json:"lines,omitempty" minItems:"1" maxItems:"100" doc:"Replace all lines."`
	CollectionMethod *string           `json:"collectionMethod,omitempty" enum:"charge_automatically,send_invoice" doc:"How it is collected."`
	NetDays          *int              `json:"netDays,omitempty" minimum:"0" maximum:"365" example:"30" doc:"With send_invoice: the days after the issue within which it has to be paid."`
	Memo             *string           `json:"memo,omitempty" maxLength:"200" example:"Your order 4711" doc:"What the customer reads beside the lines. Empty: nothing."`
	Metadata         *view.Metadata    `json:"metadata,omitempty" maxProperties:"50"`
}

type createInvoiceInput struct {
	Body InvoiceForm
}

type updateInvoiceInput struct {
	httpkit.ByID
	Body InvoiceChange
}

// linesOf reads the lines of a form. Faults: those of view.UnitAmounts.
func linesOf(forms []InvoiceLineForm, c money.Currency) ([]invoicing.Line, []view.Warning, error) {
	var lines []invoicing.Line
	var d view.UnitAmounts
	for i, f := range forms {
		at := "lines[" + strconv.Itoa(i) + "]."
		lines = append(lines, invoicing.Line{
			Description: f.Description, Amount: (*money.Minor)(f.Amount), TaxCategory: tax.Category(f.TaxCategory),
			Quantity:  d.Parse(at+"quantity", f.Quantity),
			UnitPrice: d.Amount(at, view.OfUnit(f.UnitAmount, f.UnitPrice), c),
		})
	}
	return lines, d.Warnings, d.Err
}

// show renders invoices for a caller.
func (h *Handler) show(c *httpkit.Call) func(invoice.Invoice) Invoice {
	return func(i invoice.Invoice) Invoice {
		out := RenderInvoice(i)
		if out.HostedURL = h.payments.HostedLink(c, i); out.HostedURL != "" {
			out.PDFURL = out.HostedURL + "/pdf"
		}
		return out
	}
}

// made renders the result of a use case, with warnings about a request that was performed nevertheless. It names the
// customer: the buyer in the answer is erased with them.
func (h *Handler) made(c *httpkit.Call, of ...view.Warning) func(invoice.Invoice) httpkit.Made[Invoice] {
	return func(i invoice.Invoice) httpkit.Made[Invoice] {
		out := h.show(c)(i)
		out.Warnings = of
		return httpkit.Made[Invoice]{Resource: out, CustomerID: i.CustomerID}
	}
}

func (h *Handler) createInvoice(
	ctx context.Context, c *httpkit.Call, in *createInvoiceInput,
) (*httpkit.Reply[Invoice], error) {
	f := in.Body
	currency, err := money.ParseCurrency(f.Currency)
	if err != nil {
		return nil, err
	}
	lines, warnings, err := linesOf(f.Lines, currency)
	if err != nil {
		return nil, err
	}
	form := invoices.NewInvoice{CustomerID: f.CustomerID, Currency: currency, Content: invoicing.Content{
		Lines: lines, Terms: terms.Terms{Method: terms.Method(f.CollectionMethod), NetDays: f.NetDays},
		Memo: f.Memo, Metadata: metadata.Pairs(f.Metadata),
	}}
	return httpkit.Create(ctx, h.kit, c, http.StatusCreated, h.made(c, warnings...),
		func(keep func(*db.Tx, invoice.Invoice) error) error {
			_, err := h.service.CreateInvoice(ctx, usecase.Caller(c), form, keep)
			return err
		})
}

func (h *Handler) updateInvoice(
	ctx context.Context, c *httpkit.Call, in *updateInvoiceInput,
) (*httpkit.Reply[Invoice], error) {
	inv := httpkit.Resource[invoice.Invoice](c)
	lines, warnings, err := linesOf(in.Body.Lines, inv.Currency)
	if err != nil {
		return nil, err
	}
	change := invoicing.Change{
		Lines: lines, Method: (*terms.Method)(in.Body.CollectionMethod), NetDays: in.Body.NetDays,
		Memo: in.Body.Memo, Metadata: (*metadata.Pairs)(in.Body.Metadata),
	}
	return usecase.Command(ctx, h.kit, c, http.StatusOK, h.made(c, warnings...),
		func(around usecase.Around[invoice.Invoice]) error {
			return h.service.ReviseInvoice(ctx, usecase.Caller(c), inv.ID, change, around)
		}, h.gate.AdmitInvoice(inv))
}

func (h *Handler) deleteInvoice(
	ctx context.Context, c *httpkit.Call, _ *httpkit.ByID,
) (*httpkit.Reply[view.Deleted], error) {
	inv := httpkit.Resource[invoice.Invoice](c)
	made := func(i invoice.Invoice) httpkit.Made[view.Deleted] {
		return httpkit.Made[view.Deleted]{Resource: view.Deleted{ID: i.ID, Deleted: true}}
	}
	return usecase.Command(ctx, h.kit, c, http.StatusOK, made, func(around usecase.Around[invoice.Invoice]) error {
		return h.service.DeleteInvoice(ctx, usecase.Caller(c), inv.ID, around)
	}, h.gate.AdmitInvoice(inv))
}

// finalizeInvoice issues a draft. The answer has the number.
type finalizeInvoiceInput struct {
	httpkit.ByID
	Body *FinalizeForm
}

// FinalizeForm has the options of finalizing a draft.
type FinalizeForm struct {
	WithoutUsage bool `json:"withoutUsage,omitempty" doc:"Finalize a draft that bills usage without it, as where its rating fails. The usage stays owed: the next invoice bills it. Absent: a draft that bills usage is finalized as soon as that is rated, and the answer shows it as a draft."`
}

func (h *Handler) finalizeInvoice(
	ctx context.Context, c *httpkit.Call, in *finalizeInvoiceInput,
) (*httpkit.Reply[Invoice], error) {
	without := in.Body != nil && in.Body.WithoutUsage
	return h.onInvoice(ctx, c, func(
		ctx context.Context, by serviceusecase.Caller, id string, around usecase.Around[invoice.Invoice],
	) error {
		return h.service.FinalizeInvoice(ctx, by, id, without, around)
	})
}

func (h *Handler) manualInvoiceOperations(issued Invoice, load httpkit.Loader) {
	draft := issued
	draft.Status, draft.Reason, draft.Number, draft.NumberText = "draft", "manual", 0, ""
	draft.SubscriptionID, draft.PeriodIndex, draft.AttemptCount = "", 0, 0
	draft.CollectionMethod, draft.NetDays = "send_invoice", 30
	draft.Lines = []InvoiceLine{{
		ID: "il_01jcz6dyqx4w9s1c2k7v5h8m3n", Kind: "one_off", Description: "Migration of the archive", Quantity: "7.5",
		UnitAmount: "12000", UnitPrice: "120", Amount: 90000, PeriodStart: 1763640000, PeriodEnd: 1763640000,
	}}
	draft.Subtotal, draft.Total, draft.AmountDue, draft.AmountDueCamel = 90000, 90000, 90000, 90000
	draft.AmountPaid, draft.PeriodEnd, draft.IssuedAt, draft.PaidAt = 0, 1763640000, 0, 0
	open := draft
	open.Status, open.Number, open.NumberText, open.IssuedAt, open.DueAt = "open", 42, "ACME-000042",
		1763640000, 1766275200
	line := InvoiceLineForm{Description: "Migration of the archive", Quantity: "7.5", UnitAmount: "12000"}
	days := 30
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "createInvoice", Method: http.MethodPost, Path: "/invoices", Tag: "Invoices",
		Summary: "Write the draft of a manual invoice",
		Description: "Bills a customer without a subscription. Nothing is owed, and it has no number, until it is finalized. " +
			"Its taxes and its total are those that it would have now.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Response: draft,
		Request: InvoiceForm{
			CustomerID: draft.CustomerID, Currency: "USD", Lines: []InvoiceLineForm{line}, CollectionMethod: "send_invoice",
			NetDays: 30,
		},
	}, h.createInvoice)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "updateInvoice", Method: http.MethodPatch, Path: "/invoices/{id}", Tag: "Invoices",
		Summary: "Change a draft", Description: "Refused with invoice_not_draft once it is finalized, and with " +
			"invoice_of_subscription where it bills a subscription: what it says follows from that.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Load: load, Response: draft,
		Request: InvoiceChange{NetDays: &days},
	}, h.updateInvoice)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "deleteInvoice", Method: http.MethodDelete, Path: "/invoices/{id}", Tag: "Invoices",
		Summary: "Delete a draft", Description: "Refused with invoice_not_draft once it is finalized: void it instead. " +
			"Refused with invoice_of_subscription where it bills a subscription.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Load: load,
		Response: view.Deleted{ID: draft.ID, Deleted: true},
	}, h.deleteInvoice)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "finalizeInvoice", Method: http.MethodPost, Path: "/invoices/{id}/finalize", Tag: "Invoices",
		Summary: "Finalize a draft",
		Description: "The invoice gets its number, its taxes, seller and buyer as they are now, and the customer's credit pays " +
			"for it. With charge_automatically it is charged once; what that attempt does not pay waits for " +
			"POST /invoices/{id}/pay. With send_invoice it is overdue from dueAt on. The draft of a subscription's invoice is " +
			"finalized automatically at finalizesAt; finalized earlier, it keeps its taxes, and is collected and retried as all " +
			"invoices of the subscription. One that bills usage is rated first: the answer still shows a draft, and events tell the rest.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Load: load, Response: open,
		Request: FinalizeForm{WithoutUsage: true},
	}, h.finalizeInvoice)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "payInvoice", Method: http.MethodPost, Path: "/invoices/{id}/pay", Tag: "Invoices",
		Summary: "Charge an open invoice now",
		Description: "Starts a payment attempt and answers with it, whatever the collection method. The automatic retries of a " +
			"subscription's invoice keep their times, and only its oldest open invoice can be charged. Prefer: wait=N waits " +
			"up to N seconds (at most 30) for the final status. POST /invoices/{id}/retry does the same.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Crowds: true, Waits: true, Load: load,
		Request: PayForm{PaymentMethodID: "pm_01jcz6dyqx4w9s1c2k7v5h8m3n"}, Response: payments.ExamplePayment(),
	}, h.retryInvoice)
}

package invoices

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/creditnote"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/db"
	"perennial/internal/id"
)

// CreditNote gives parts of an invoice back. It never changes.
type CreditNote struct {
	ID              string           `json:"id" example:"cn_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Number          int64            `json:"number" example:"7" doc:"The number, without gaps within an environment and apart from the numbers of invoices."`
	InvoiceID       string           `json:"invoiceId" example:"in_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	CustomerID      string           `json:"customerId" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	SubscriptionID  string           `json:"subscriptionId,omitempty" example:"sub_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Seller          *view.Seller     `json:"seller,omitempty" doc:"Who issued the invoice, as the invoice shows it."`
	Buyer           *Buyer           `json:"buyer,omitempty" doc:"The customer, as the invoice shows it. Absent: nothing was known, or the customer was deleted."`
	TaxNotice       string           `json:"taxNotice,omitempty" example:"Reverse charge" doc:"What the invoice says about the taxes that it leaves out."`
	Currency        string           `json:"currency" example:"USD"`
	Reason          string           `json:"reason" enum:"duplicate,fraudulent,order_change,unsatisfactory,goodwill,other" example:"goodwill" doc:"Why the invoice is credited."`
	Memo            string           `json:"memo,omitempty" example:"Sorry for the outage" doc:"What the customer reads. Erased with the customer."`
	Lines           []CreditNoteLine `json:"lines" doc:"The parts of the invoice's lines that it gives back."`
	Subtotal        int64            `json:"subtotal" example:"500" doc:"The lines, without the taxes that are added, in minor units."`
	Tax             int64            `json:"tax" example:"0" doc:"The tax that had been added to them."`
	Taxes           []InvoiceTax     `json:"taxes" doc:"The taxes that it gives back, by rate."`
	Total           int64            `json:"total" example:"500" doc:"subtotal plus tax, and amountDueReduced plus balanceCredited plus refundAmount."`
	DueReduced      int64            `json:"amountDueReduced" doc:"By how much the open invoice asks for less."`
	BalanceCredited int64            `json:"balanceCredited" example:"500" doc:"Given to the customer's balance, which pays for later invoices. What credit grants had paid goes back to them, and is lost where they have ended."`
	RefundAmount    int64            `json:"refundAmount" doc:"Given back in money."`
	RefundID        string           `json:"refundId,omitempty" doc:"The refund that gives it back; its status says how far it is."`
	CreatedAt       int64            `json:"createdAt" example:"1763640000" doc:"Unix seconds."`
}

// CreditNoteLine is a part of an invoice's line.
type CreditNoteLine struct {
	InvoiceLineID string `json:"invoiceLineId" example:"il_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The line of the invoice."`
	Amount        int64  `json:"amount" minimum:"1" maximum:"999999999999" example:"500" doc:"Minor units, after discounts and without the taxes that are added."`
}

// RenderCreditNote returns a credit note as the API shows it.
func RenderCreditNote(n creditnote.Note) CreditNote {
	lines := make([]CreditNoteLine, len(n.Lines))
	for i, l := range n.Lines {
		lines[i] = CreditNoteLine{InvoiceLineID: l.InvoiceLineID, Amount: int64(l.Amount)}
	}
	return CreditNote{
		ID: n.ID, Number: n.Number, InvoiceID: n.InvoiceID, CustomerID: n.CustomerID, SubscriptionID: n.SubscriptionID,
		Seller: view.RenderSeller(n.Seller), Buyer: renderBuyer(n.Buyer), TaxNotice: n.TaxExempt.Notice(),
		Currency: string(n.Currency), Reason: string(n.Reason), Memo: n.Memo, Lines: lines, Subtotal: int64(n.Subtotal),
		Tax: int64(n.Tax), Taxes: renderTaxes(n.Taxes), Total: int64(n.Total), DueReduced: int64(n.Due),
		BalanceCredited: int64(n.Balance), RefundAmount: int64(n.Refund), RefundID: n.RefundID,
		CreatedAt: view.Unix(n.CreatedAt),
	}
}

type createCreditNoteInput struct {
	httpkit.ByID
	Body CreditNoteForm
}

// CreditNoteForm has the amount to give back of an invoice, the reason, and where it goes.
type CreditNoteForm struct {
	Lines        []CreditNoteLine `json:"lines,omitempty" minItems:"1" maxItems:"100" doc:"Parts of lines to give back, with their taxes. Send either lines or amount; neither gives back all that is left."`
	Amount       int64            `json:"amount,omitempty" minimum:"1" maximum:"999999999999" example:"500" doc:"Minor units, taxes included: the same share of every line is given back."`
	Reason       string           `json:"reason" enum:"duplicate,fraudulent,order_change,unsatisfactory,goodwill,other" example:"goodwill" doc:"Why the invoice is credited."`
	Memo         string           `json:"memo,omitempty" maxLength:"200" example:"Sorry for the outage" doc:"What the customer reads."`
	To           string           `json:"to,omitempty" enum:"balance,refund" example:"balance" doc:"Of a paid invoice: where it goes. Default: balance."`
	RefundAmount int64            `json:"refundAmount,omitempty" minimum:"1" maximum:"999999999999" doc:"With to: refund, how much goes back in money; the rest goes to the balance. Default: all of it."`
}

// request returns the request of the form. Faults: credit_note_ambiguous, refund_amount_without_refund.
func (f CreditNoteForm) request() (creditnote.Request, error) {
	if len(f.Lines) > 0 && f.Amount > 0 {
		return creditnote.Request{}, creditnote.ErrAmbiguous
	}
	if f.RefundAmount > 0 && f.To != "refund" {
		return creditnote.Request{}, creditnote.ErrNoRefund
	}
	ask := creditnote.Request{
		Amount: money.Minor(f.Amount), Reason: creditnote.Reason(f.Reason), Memo: f.Memo, InMoney: f.To == "refund",
		RefundAmount: money.Minor(f.RefundAmount),
	}
	for _, l := range f.Lines {
		ask.Lines = append(ask.Lines, creditnote.Line{InvoiceLineID: l.InvoiceLineID, Amount: money.Minor(l.Amount)})
	}
	return ask, nil
}

// madeCreditNote names the customer: the memo in the answer is erased with them.
func madeCreditNote(n creditnote.Note) httpkit.Made[CreditNote] {
	return httpkit.Made[CreditNote]{Resource: RenderCreditNote(n), CustomerID: n.CustomerID}
}

func (h *Handler) createCreditNote(
	ctx context.Context, c *httpkit.Call, in *createCreditNoteInput,
) (*httpkit.Reply[CreditNote], error) {
	ask, err := in.Body.request()
	if err != nil {
		return nil, err
	}
	inv := httpkit.Resource[invoice.Invoice](c)
	return usecase.Command(ctx, h.kit, c, http.StatusCreated, madeCreditNote,
		func(around usecase.Around[creditnote.Note]) error {
			return h.service.CreditInvoice(ctx, usecase.Caller(c), inv.ID, ask, around)
		}, h.gate.AdmitInvoice(inv))
}

func (h *Handler) getCreditNote(
	_ context.Context, c *httpkit.Call, _ *httpkit.ByID,
) (*httpkit.Reply[CreditNote], error) {
	return httpkit.OK(RenderCreditNote(httpkit.Resource[creditnote.Note](c))), nil
}

type listCreditNotesInput struct {
	httpkit.Page
	CustomerID string `query:"customerId" maxLength:"64"`
	InvoiceID  string `query:"invoiceId" maxLength:"64"`
}

func (h *Handler) listCreditNotes(
	ctx context.Context, c *httpkit.Call, in *listCreditNotesInput,
) (*httpkit.Reply[httpkit.List[CreditNote]], error) {
	page, err := in.DB(id.CreditNote, httpkit.Refers("customerId", id.Customer, in.CustomerID),
		httpkit.Refers("invoiceId", id.Invoice, in.InvoiceID))
	if err != nil {
		return nil, err
	}
	rows, more, err := h.store.Invoices.CreditNotes(ctx, c.EnvironmentID, db.CreditNoteFilter{
		CustomerID: in.CustomerID, InvoiceID: in.InvoiceID,
	}, page)
	return httpkit.ListOf(rows, more, err, RenderCreditNote)
}

func (h *Handler) creditNoteOperations() {
	example := CreditNote{
		ID: "cn_01jcz6dyqx4w9s1c2k7v5h8m3n", Number: 7, InvoiceID: "in_01jcz6dyqx4w9s1c2k7v5h8m3n",
		CustomerID: "cust_01jcz6dyqx4w9s1c2k7v5h8m3n", SubscriptionID: "sub_01jcz6dyqx4w9s1c2k7v5h8m3n", Currency: "USD",
		Reason: "goodwill", Memo: "Sorry for the outage",
		Lines:    []CreditNoteLine{{InvoiceLineID: "il_01jcz6dyqx4w9s1c2k7v5h8m3n", Amount: 500}},
		Subtotal: 500, Taxes: []InvoiceTax{}, Total: 500, BalanceCredited: 500, CreatedAt: 1763640000,
	}
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "createCreditNote", Method: http.MethodPost, Path: "/invoices/{id}/credit-notes", Tag: "Credit notes",
		Summary: "Credit an invoice",
		Description: "Gives back all that is left of the invoice, an amount of it, or parts of its lines, with their taxes. " +
			"An open invoice asks for less; with nothing left to pay it is paid. Refused with payment_in_progress while a " +
			"payment of it is not decided. What is given back of a paid invoice goes to the customer's balance, to the " +
			"payer, or is split. All credit notes of an invoice never come to more than it billed, less unused time that " +
			"later invoices took back, and refunds without a credit note.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Crowds: true,
		Load:     httpkit.LoadByID(h.kit, id.Invoice, db.ErrInvoiceNotFound, h.store.Invoices.GetWithKey),
		Response: example, Request: CreditNoteForm{Amount: 500, Reason: "goodwill", Memo: "Sorry for the outage"},
	}, h.createCreditNote)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getCreditNote", Method: http.MethodGet, Path: "/credit-notes/{id}", Tag: "Credit notes",
		Summary: "Get a credit note", Status: http.StatusOK, Access: httpkit.ReadAccess,
		Load:     httpkit.LoadByID(h.kit, id.CreditNote, db.ErrCreditNoteNotFound, h.store.Invoices.CreditNoteWithKey),
		Response: example,
	}, h.getCreditNote)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listCreditNotes", Method: http.MethodGet, Path: "/credit-notes", Tag: "Credit notes",
		Summary: "List credit notes", Status: http.StatusOK, Access: httpkit.ReadAccess,
		Response: httpkit.List[CreditNote]{Data: []CreditNote{example}},
	}, h.listCreditNotes)
}

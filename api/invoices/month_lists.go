package invoices

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/monthly"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/invoices"
)

// MonthInvoice is an invoice in the month of one of its movements. Amounts are minor units.
type MonthInvoice struct {
	ID          string `json:"id" example:"in_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The invoice."`
	Movement    string `json:"movement" enum:"issued,voided,uncollectible" example:"issued" doc:"What became of it in the month."`
	At          int64  `json:"at" example:"1793700000" doc:"When, in Unix seconds."`
	Number      int64  `json:"number" example:"42" doc:"The invoice number."`
	NumberText  string `json:"numberText,omitempty" example:"ACME-000042" doc:"The number as the invoice shows it. Absent: as number."`
	CustomerID  string `json:"customerId" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The customer."`
	Country     string `json:"country,omitempty" example:"DE" doc:"The buyer's country at issue. Absent: it was unknown."`
	Currency    string `json:"currency" example:"EUR" doc:"The currency of the amounts."`
	Net         int64  `json:"net" example:"1900" doc:"Without any tax. Of a voided or an uncollectible invoice, this and the next three are without what credit notes had given back until then."`
	Tax         int64  `json:"tax" example:"361" doc:"All taxes."`
	TaxIncluded int64  `json:"taxIncluded" example:"0" doc:"The part of tax that the prices contain."`
	Gross       int64  `json:"gross" example:"2261" doc:"net plus tax."`
	AmountDue   int64  `json:"amountDue" example:"2261" doc:"What it asks for now, or asked for last, less credit and credit notes."`
}

// MonthCreditNote is a credit note of a month. Amounts are minor units.
type MonthCreditNote struct {
	ID          string `json:"id" example:"cn_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The credit note."`
	At          int64  `json:"at" example:"1793700000" doc:"When it was issued, in Unix seconds."`
	Number      int64  `json:"number" example:"7" doc:"The number of the credit note."`
	InvoiceID   string `json:"invoiceId" example:"in_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The invoice."`
	CustomerID  string `json:"customerId" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The customer."`
	Country     string `json:"country,omitempty" example:"DE" doc:"The buyer's country on the invoice. Absent: it was unknown."`
	Reason      string `json:"reason" example:"goodwill" doc:"The reason of the credit note."`
	Currency    string `json:"currency" example:"EUR" doc:"The currency of the amounts."`
	Net         int64  `json:"net" example:"500" doc:"Without any tax."`
	Tax         int64  `json:"tax" example:"95" doc:"All taxes."`
	TaxIncluded int64  `json:"taxIncluded" example:"0" doc:"The part of tax that the prices contain."`
	Gross       int64  `json:"gross" example:"595" doc:"net plus tax: due plus balance plus refund."`
	Due         int64  `json:"due" example:"0" doc:"What it took off the amount due."`
	Balance     int64  `json:"balance" example:"595" doc:"What it gave to the customer's balance."`
	Refund      int64  `json:"refund" example:"0" doc:"What it gave back in money."`
}

// MonthPayment is money that moved in a month.
type MonthPayment struct {
	ID          string `json:"id" example:"txn_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The payment."`
	Movement    string `json:"movement" enum:"collected,refunded,returned" example:"collected" doc:"collected: a charge succeeded. refunded: money went back. returned: the money of a refund came back."`
	At          int64  `json:"at" example:"1793700000" doc:"When, in Unix seconds. Of a payment outside Perennial: when it was written down, whatever date it was given."`
	CustomerID  string `json:"customerId" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The customer."`
	InvoiceID   string `json:"invoiceId,omitempty" doc:"The invoice that it was for. Absent: none."`
	ChargeID    string `json:"chargeId,omitempty" doc:"Of a refund: the charge."`
	Provider    string `json:"provider" example:"stripe" doc:"The payment provider; external: outside Perennial."`
	ProviderRef string `json:"providerReference,omitempty" example:"pi_3MtwBwLkdIwHu7ix28a3tqPa" doc:"The provider's own id. Absent: it was booked without one, such as a bank's withdrawal."`
	Currency    string `json:"currency" example:"EUR" doc:"The currency of the amount."`
	Amount      int64  `json:"amount" example:"2261" doc:"Minor units, never below zero."`
}

func renderMonthInvoice(i monthly.Invoice) MonthInvoice {
	counts := i.Counts()
	return MonthInvoice{
		ID: i.ID, Movement: string(i.Movement), At: view.Unix(i.At), Number: i.Number, NumberText: i.NumberText,
		CustomerID: i.CustomerID, Country: i.Country, Currency: string(i.Currency), Net: int64(counts.Net()),
		Tax: int64(counts.Tax()), TaxIncluded: int64(counts.Contained()), Gross: int64(counts.Gross),
		AmountDue: int64(i.Outstanding),
	}
}

func renderMonthNote(n monthly.Note) MonthCreditNote {
	return MonthCreditNote{
		ID: n.ID, At: view.Unix(n.At), Number: n.Number, InvoiceID: n.InvoiceID, CustomerID: n.CustomerID,
		Country: n.Country, Reason: n.Reason, Currency: string(n.Currency), Net: int64(n.Net()), Tax: int64(n.Tax()),
		TaxIncluded: int64(n.Contained()), Gross: int64(n.Gross), Due: int64(n.Due), Balance: int64(n.Balance),
		Refund: int64(n.Refund),
	}
}

func renderMonthPayment(p monthly.Payment) MonthPayment {
	return MonthPayment{
		ID: p.ID, Movement: string(p.Movement), At: view.Unix(p.At), CustomerID: p.CustomerID, InvoiceID: p.InvoiceID,
		ChargeID: p.ChargeID, Provider: p.Provider, ProviderRef: p.ProviderRef, Currency: string(p.Currency),
		Amount: int64(p.Amount),
	}
}

type listMonthInvoicesInput struct {
	httpkit.Page
	OfMonth
	Movement string `query:"movement" enum:"issued,voided,uncollectible" default:"issued" doc:"Which invoices: those issued in the month, or voided, or marked uncollectible in it."`
}

type listMonthInput struct {
	httpkit.Page
	OfMonth
}

type listMonthRefundsInput struct {
	httpkit.Page
	OfMonth
	Movement string `query:"movement" enum:"refunded,returned" default:"refunded" doc:"refunded: money that went back. returned: refunds whose money came back."`
}

// within returns the filter and the page of a list of a month.
func within(
	c *httpkit.Call, page httpkit.Page, of OfMonth, prefix string, movement monthly.Movement,
) (f db.MonthFilter, p db.Page, err error) {
	m, err := monthly.Parse(of.Month)
	if err != nil {
		return f, p, err
	}
	if p, err = page.DB(prefix); err != nil {
		return f, p, err
	}
	from, to, err := invoices.SpanOf(usecase.Caller(c), m)
	return db.MonthFilter{Movement: movement, From: from, To: to}, p, err
}

func (h *Handler) listMonthInvoices(
	ctx context.Context, c *httpkit.Call, in *listMonthInvoicesInput,
) (*httpkit.Reply[httpkit.List[MonthInvoice]], error) {
	f, page, err := within(c, in.Page, in.OfMonth, id.Invoice, monthly.Movement(in.Movement))
	if err != nil {
		return nil, err
	}
	rows, more, err := h.store.Invoices.MonthInvoices(ctx, c.EnvironmentID, f, page)
	return httpkit.ListOf(rows, more, err, renderMonthInvoice)
}

func (h *Handler) listMonthCreditNotes(
	ctx context.Context, c *httpkit.Call, in *listMonthInput,
) (*httpkit.Reply[httpkit.List[MonthCreditNote]], error) {
	f, page, err := within(c, in.Page, in.OfMonth, id.CreditNote, "")
	if err != nil {
		return nil, err
	}
	rows, more, err := h.store.Invoices.MonthNotes(ctx, c.EnvironmentID, f, page)
	return httpkit.ListOf(rows, more, err, renderMonthNote)
}

func (h *Handler) listMonthPayments(
	ctx context.Context, c *httpkit.Call, in *listMonthInput,
) (*httpkit.Reply[httpkit.List[MonthPayment]], error) {
	f, page, err := within(c, in.Page, in.OfMonth, id.Transaction, monthly.Collected)
	if err != nil {
		return nil, err
	}
	rows, more, err := h.store.Invoices.MonthPayments(ctx, c.EnvironmentID, f, page)
	return httpkit.ListOf(rows, more, err, renderMonthPayment)
}

func (h *Handler) listMonthRefunds(
	ctx context.Context, c *httpkit.Call, in *listMonthRefundsInput,
) (*httpkit.Reply[httpkit.List[MonthPayment]], error) {
	f, page, err := within(c, in.Page, in.OfMonth, id.Transaction, monthly.Movement(in.Movement))
	if err != nil {
		return nil, err
	}
	rows, more, err := h.store.Invoices.MonthPayments(ctx, c.EnvironmentID, f, page)
	return httpkit.ListOf(rows, more, err, renderMonthPayment)
}

func (h *Handler) monthListOperations() {
	inv := MonthInvoice{
		ID: "in_01jcz6dyqx4w9s1c2k7v5h8m3n", Movement: "issued", At: 1793700000, Number: 42, NumberText: "ACME-000042",
		CustomerID: "cust_01jcz6dyqx4w9s1c2k7v5h8m3n", Country: "DE", Currency: "EUR", Net: 1900, Tax: 361, Gross: 2261,
		AmountDue: 2261,
	}
	note := MonthCreditNote{
		ID: "cn_01jcz6dyqx4w9s1c2k7v5h8m3n", At: 1793700000, Number: 7, InvoiceID: inv.ID, CustomerID: inv.CustomerID,
		Country: "DE", Reason: "goodwill", Currency: "EUR", Net: 500, Tax: 95, Gross: 595, Balance: 595,
	}
	paid := MonthPayment{
		ID: "txn_01jcz6dyqx4w9s1c2k7v5h8m3n", Movement: "collected", At: 1793700002, CustomerID: inv.CustomerID,
		InvoiceID: inv.ID, Provider: "stripe", ProviderRef: "pi_3MtwBwLkdIwHu7ix28a3tqPa", Currency: "EUR", Amount: 2261,
	}
	back := paid
	back.Movement, back.ChargeID, back.ID = "refunded", paid.ID, "txn_01jcz6d0000000000000000000"
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listMonthInvoices", Method: http.MethodGet, Path: "/reports/months/{month}/invoices", Tag: "Reports",
		Summary: "List the invoices of a month",
		Description: "With the amounts that count in the month: they sum to those of getMonthReport. An invoice that was " +
			"issued in one month and voided in a later one is in both, with another movement.",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Response: httpkit.List[MonthInvoice]{Data: []MonthInvoice{inv}},
	}, h.listMonthInvoices)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listMonthCreditNotes", Method: http.MethodGet, Path: "/reports/months/{month}/credit-notes", Tag: "Reports",
		Summary: "List the credit notes of a month", Status: http.StatusOK, Access: httpkit.ReadAccess,
		Description: "With the amounts that count in the month, whatever the month of their invoices.",
		Response:    httpkit.List[MonthCreditNote]{Data: []MonthCreditNote{note}},
	}, h.listMonthCreditNotes)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listMonthPayments", Method: http.MethodGet, Path: "/reports/months/{month}/payments", Tag: "Reports",
		Summary: "List the money that came in in a month", Status: http.StatusOK, Access: httpkit.ReadAccess,
		Description: "Charges by the time when they succeeded, also those that paid no invoice.",
		Response:    httpkit.List[MonthPayment]{Data: []MonthPayment{paid}},
	}, h.listMonthPayments)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listMonthRefunds", Method: http.MethodGet, Path: "/reports/months/{month}/refunds", Tag: "Reports",
		Summary: "List the money that went back in a month", Status: http.StatusOK, Access: httpkit.ReadAccess,
		Description: "Refunds by the time when they went through, and what banks took because of disputes.",
		Response:    httpkit.List[MonthPayment]{Data: []MonthPayment{back}},
	}, h.listMonthRefunds)
}

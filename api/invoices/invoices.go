package invoices

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"perennial/api/httpkit"
	"perennial/api/payments"
	"perennial/api/view"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/tax"
	"perennial/billing/terms"
	"perennial/db"
	"perennial/internal/id"
)

// Invoice is a bill for one subscription, or a manual invoice. The interface specification names the field amount_due;
// every other resource is in camelCase, so that a reader tries amountDue first. Both are there, always equal, and the
// document says so.
type Invoice struct {
	ID               string            `json:"id" example:"in_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Number           int64             `json:"number,omitempty" example:"42" doc:"The invoice number, without gaps within an environment. Absent: a draft."`
	NumberText       string            `json:"numberText,omitempty" example:"ACME-000042" doc:"The number as it is shown: with the prefix and the digits that the settings had at issue."`
	Seller           *view.Seller      `json:"seller,omitempty" doc:"Who issued the invoice, as the settings had it at issue."`
	Buyer            *Buyer            `json:"buyer,omitempty" doc:"The customer, as it was at issue. Absent: nothing was known, or the customer was deleted."`
	Status           string            `json:"status" enum:"draft,open,paid,void,uncollectible" example:"paid"`
	Reason           string            `json:"reason" enum:"subscription_create,subscription_cycle,subscription_update,subscription_recovery,subscription_usage,manual" example:"subscription_cycle" doc:"The reason why the invoice was issued. manual: a person or an app wrote it."`
	CustomerID       string            `json:"customerId" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	SubscriptionID   string            `json:"subscriptionId,omitempty" example:"sub_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"Absent: a manual invoice."`
	Currency         string            `json:"currency" example:"USD"`
	Lines            []InvoiceLine     `json:"lines"`
	Subtotal         int64             `json:"subtotal" example:"1900" doc:"Sum of the lines in minor units, before discounts and taxes."`
	Discount         int64             `json:"discount" example:"0" doc:"What coupons take off the lines, in minor units."`
	Discounts        []InvoiceDiscount `json:"discounts" doc:"The discount by coupon."`
	Tax              int64             `json:"tax" example:"0" doc:"The tax that is added to the lines. What the prices contain is in taxes only."`
	Taxes            []InvoiceTax      `json:"taxes" doc:"The taxes by rate, as they were at issue."`
	TaxExempt        string            `json:"taxExempt,omitempty" enum:"exempt,reverse" doc:"Why what the invoice bills anew is not taxed; time that was billed before keeps its tax. reverse: the customer owes the tax (reverse charge). Absent: the customer is not exempt."`
	TaxNotice        string            `json:"taxNotice,omitempty" example:"Reverse charge" doc:"What the document must say about the taxes that it leaves out."`
	Total            int64             `json:"total" example:"1900" doc:"subtotal less discount plus tax. Below zero, it was credited to the customer: only of an invoice from before credit notes did that, or where usage was corrected."`
	CreditApplied    int64             `json:"creditApplied" doc:"Taken from the customer's credit: credit grants, and then the plain balance."`
	GrantsUsed       []GrantUse        `json:"creditGrantsUsed,omitempty" doc:"What credit grants paid of creditApplied, in the order in which they were used."`
	BroughtForward   int64             `json:"broughtForward" doc:"The amount carried from earlier invoices and collected with this one."`
	CarriedForward   int64             `json:"carriedForward" doc:"The amount below the payment provider's minimum, carried to the customer's balance and collected with a later invoice."`
	Credited         int64             `json:"credited" doc:"What credit notes of persons and refunds gave back of the total, taxes included. What changes took back is in the credit notes of the invoice."`
	CreditedDue      int64             `json:"creditedDue" doc:"Of credited: by how much the invoice asks for less. The rest went to the balance or back in money."`
	AmountDue        int64             `json:"amount_due" example:"1900" doc:"The amount to pay: the total, if positive, less creditApplied, plus broughtForward, less carriedForward and creditedDue."`
	AmountDueCamel   int64             `json:"amountDue" example:"1900" doc:"The same as amount_due."`
	AmountPaid       int64             `json:"amountPaid" example:"1900"`
	PeriodIndex      int               `json:"periodIndex,omitempty" example:"3" doc:"The billing period of the subscription in which the invoice was issued, counted from 1. Absent: issued before periods were counted."`
	PeriodStart      int64             `json:"periodStart" example:"1763640000" doc:"Of a manual invoice, which bills no time: when it was issued, or written."`
	PeriodEnd        int64             `json:"periodEnd" example:"1766232000"`
	CollectionMethod string            `json:"collectionMethod" enum:"charge_automatically,send_invoice" example:"charge_automatically" doc:"charge_automatically: the customer's payment method is charged. send_invoice: the customer pays it within netDays."`
	NetDays          int               `json:"netDays,omitempty" doc:"With send_invoice: the days after the day of issue within which it has to be paid."`
	DueAt            int64             `json:"dueAt,omitempty" doc:"With send_invoice: the end of the last day on which it can be paid in time."`
	Memo             string            `json:"memo,omitempty" example:"Your order 4711" doc:"What the customer reads on a manual invoice. Erased with the customer."`
	Metadata         view.Metadata     `json:"metadata,omitempty" doc:"Of a manual invoice. Erased with the customer."`
	OverdueAt        int64             `json:"overdueAt,omitempty" doc:"The time when it was announced as overdue."`
	OwedSince        int64             `json:"owedSince,omitempty" doc:"Since when the unpaid invoice that it replaces was overdue. For the overdue policy, the debt counts from then on. Absent: it replaces none that was."`
	AttemptCount     int               `json:"attemptCount" example:"1" doc:"The number of payment attempts."`
	NextAttemptAt    int64             `json:"nextAttemptAt,omitempty" doc:"The time of the next automatic payment attempt."`
	FinalizesAt      int64             `json:"finalizesAt,omitempty" example:"1763643600" doc:"When the draft of a subscription's invoice is finalized automatically, or was to be: the environment's invoiceGraceMinutes after the renewal, at most at the end of its period. Absent: the invoice had no grace."`
	UsageFailure     *UsageFailure     `json:"usageFailure,omitempty" doc:"Of a draft whose usage could not be rated. Absent: none failed."`
	ReplacedBy       string            `json:"replacedBy,omitempty" doc:"The invoice that replaced this void invoice. Absent where nothing was left to bill."`
	IssuedAt         int64             `json:"issuedAt,omitempty" example:"1763640000" doc:"Absent: a draft."`
	PaidAt           int64             `json:"paidAt,omitempty" example:"1763640002"`
	VoidedAt         int64             `json:"voidedAt,omitempty"`
	// UncollectibleAt is the time at which a person gave it up.
	UncollectibleAt int64  `json:"uncollectibleAt,omitempty" doc:"The time when the invoice was marked uncollectible. Nothing collects it any more; a payment that was under way then still pays it if it succeeds, and money from outside by mark-paid."`
	HostedURL       string `json:"hostedUrl,omitempty" example:"https://billing.example.com/invoice/01jcz6…" doc:"The page of the invoice for its payer, who needs nothing but this link: the invoice, how it stands, and how to pay it. Whoever has it can open the page, so send it to the payer alone; POST /invoices/{id}/renew-link ends it. Absent: a draft."`
	PDFURL          string `json:"pdfUrl,omitempty" example:"https://billing.example.com/invoice/01jcz6…/pdf" doc:"The same as a PDF, for its payer. Whoever has hostedUrl has it, and it ends with it. Absent: a draft."`
	// Warnings are of a request with lines.
	Warnings []view.Warning `json:"warnings,omitempty" doc:"In the answer to the request alone: what it should send otherwise."`
}

// UsageFailure is the reason why the usage of a draft could not be rated. It is tried again automatically.
type UsageFailure struct {
	Code     string `json:"code" example:"amount_too_large" doc:"The error code."`
	Detail   string `json:"detail" example:"The amount is too large." doc:"For people."`
	Attempts int    `json:"attempts" example:"3" doc:"The number of attempts that failed in a row."`
	Since    int64  `json:"since" example:"1763640000" doc:"The time of the first of them."`
	RetryAt  int64  `json:"retryAt" example:"1763640180" doc:"When it is tried again. POST /invoices/{id}/finalize tries it at once, or, with withoutUsage, issues the invoice without it."`
}

func renderUsageFailure(f *invoice.UsageFailure) *UsageFailure {
	if f == nil {
		return nil
	}
	return &UsageFailure{
		Code: f.Code, Detail: f.Detail, Attempts: f.Times, Since: view.Unix(f.Since), RetryAt: view.Unix(f.RetryAt),
	}
}

// InvoiceTax is one tax rate of an invoice.
type InvoiceTax struct {
	TaxRateID string `json:"taxRateId" example:"txr_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The tax rate."`
	Name      string `json:"name" example:"VAT" doc:"The name that the rate had at issue."`
	Percent   string `json:"percent" example:"19.25" doc:"A decimal."`
	Inclusive bool   `json:"inclusive" doc:"Whether the lines contain the tax. Otherwise it is added to them."`
	Base      int64  `json:"base" example:"1900" doc:"What the rate is a percentage of, in minor units."`
	Amount    int64  `json:"amount" example:"366" doc:"Minor units; negative where the invoice gives tax back."`
}

// InvoiceLine is one position of an invoice. Optional fields are absent from lines written by builds without them.
type InvoiceLine struct {
	ID                 string                `json:"id" example:"il_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Kind               string                `json:"kind" enum:"recurring,proration_credit,proration_charge,one_off,usage" example:"recurring"`
	Description        string                `json:"description" example:"Pro, monthly"`
	PlanID             string                `json:"planId,omitempty" doc:"Absent: a line of a manual invoice."`
	PriceID            string                `json:"priceId,omitempty" doc:"The price that the line bills or credits."`
	SubscriptionItemID string                `json:"subscriptionItemId,omitempty" example:"si_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The item of the subscription that the line bills or credits. The amounts of all lines of an item sum to what it was billed less what was credited."`
	PeriodIndex        int                   `json:"periodIndex,omitempty" example:"3" doc:"The billing period of the subscription that the line bills, counted from 1. A change of interval begins a new one."`
	Quantity           string                `json:"quantity,omitempty" example:"1" doc:"A decimal."`
	UnitAmount         string                `json:"unitAmount,omitempty" example:"1900" doc:"What one unit costs in a whole period: a decimal in minor units of the currency, which may be a part of one."`
	UnitPrice          string                `json:"unitPrice,omitempty" deprecated:"true" doc:"unitAmount in major units: 19.00 where that is 1900."`
	Proration          bool                  `json:"proration" doc:"Whether the line is for a part of a period, after a change within it."`
	Reverses           string                `json:"reversesLineId,omitempty" doc:"Of a credit: the line whose unused time it takes back, on this invoice or an earlier one."`
	Amount             int64                 `json:"amount" example:"1900" doc:"Minor units, before discounts and without the taxes that are added; negative for a credit."`
	Explanation        *view.LineExplanation `json:"explanation,omitempty" doc:"How the amount comes about. Absent: it is quantity × unitAmount, rounded once; or the line has an amount alone; or it is from before lines had explanations."`
	Credited           int64                 `json:"credited,omitempty" doc:"What credit notes gave back of the amount after discounts."`
	Discounts          []InvoiceDiscount     `json:"discounts,omitempty" doc:"What coupons take off the amount, in the order in which they are taken off. A credit gives back what was billed after discounts, so that its own are below zero."`
	TaxCategory        string                `json:"taxCategory,omitempty" example:"books" doc:"The tax category of what the line bills, when it was billed. Absent: none."`
	TaxRateIDs         []string              `json:"taxRateIds,omitempty" doc:"The tax rates of the line, which are in the invoice's taxes. A credit has those of the line it reverses."`
	PeriodStart        int64                 `json:"periodStart" example:"1763640000"`
	PeriodEnd          int64                 `json:"periodEnd" example:"1766232000"`
}

// RenderInvoice shows an invoice with all its lines, also in lists: a total is not explained without them. It leaves
// out what only some callers may see.
func RenderInvoice(i invoice.Invoice) Invoice {
	return Invoice{
		ID: i.ID, Number: i.Number, NumberText: i.ShownNumber(), Seller: view.RenderSeller(i.Seller),
		Buyer:  renderBuyer(i.Buyer),
		Status: string(i.Status), Reason: string(i.Reason), CustomerID: i.CustomerID,
		SubscriptionID: i.SubscriptionID, Currency: string(i.Currency), Lines: RenderLines(i.Lines, i.Currency),
		Subtotal: int64(i.Subtotal()), Discount: int64(i.Discount), Discounts: renderShares(i.Discounts()),
		Tax: int64(i.Tax), Taxes: renderTaxes(i.Taxes), TaxExempt: string(i.TaxExempt),
		TaxNotice: i.TaxExempt.Notice(),
		Total:     int64(i.Total),
		Credited:  int64(i.Credited.Total), CreditedDue: int64(i.Credited.Due),
		CreditApplied: int64(i.CreditApplied), GrantsUsed: renderGrantsUsed(i.GrantsUsed),
		BroughtForward: int64(i.BroughtForward),
		CarriedForward: int64(i.CarriedForward), AmountDue: int64(i.AmountDue), AmountDueCamel: int64(i.AmountDue),
		FinalizesAt: view.Unix(i.FinalizesAt), UsageFailure: renderUsageFailure(i.UsageFailure),
		AmountPaid: int64(i.AmountPaid), PeriodIndex: i.PeriodIndex,
		PeriodStart: view.Unix(i.Period.Start), PeriodEnd: view.Unix(i.Period.End),
		CollectionMethod: string(cmp.Or(i.Terms.Method, terms.Charge)), NetDays: i.Terms.NetDays, DueAt: view.Unix(i.DueAt),
		Memo: i.Memo, Metadata: view.Metadata(i.Metadata), OverdueAt: view.Unix(i.OverdueAt),
		OwedSince:    view.Unix(i.OwedSince),
		AttemptCount: i.Collection.Attempts, NextAttemptAt: view.Unix(i.Collection.RetryAt), ReplacedBy: replacedBy(i),
		IssuedAt: view.Unix(i.IssuedAt), PaidAt: view.Unix(i.PaidAt), VoidedAt: view.Unix(i.VoidedAt),
		UncollectibleAt: view.Unix(i.UncollectibleAt),
	}
}

// RenderLines renders the lines of an invoice, or those that wait for one.
func RenderLines(lines []invoice.Line, c money.Currency) []InvoiceLine {
	out := make([]InvoiceLine, len(lines))
	for i, l := range lines {
		out[i] = InvoiceLine{
			ID: l.ID, Kind: string(l.Kind), Description: l.Description, PlanID: l.PlanID, PriceID: l.PriceID,
			SubscriptionItemID: l.ItemID, PeriodIndex: l.PeriodIndex, Quantity: l.Quantity,
			UnitAmount: money.ShownInMinor(l.UnitPrice, c), UnitPrice: l.UnitPrice,
			Proration: l.Prorated(), Reverses: l.Reverses, Amount: int64(l.Amount), Credited: int64(l.Credited),
			Explanation: view.RenderExplanation(l.Explanation, c),
			Discounts:   renderShares(l.Discounts), TaxCategory: string(l.TaxCategory), TaxRateIDs: rateIDs(l.Rates),
			PeriodStart: view.Unix(l.Period.Start), PeriodEnd: view.Unix(l.Period.End),
		}
	}
	return out
}

func renderTaxes(taxes invoice.Taxes) []InvoiceTax {
	out := make([]InvoiceTax, len(taxes))
	for i, t := range taxes {
		out[i] = InvoiceTax{
			TaxRateID: t.ID, Name: t.Name, Percent: t.Percent.String(), Inclusive: t.Inclusive, Base: int64(t.Base),
			Amount: int64(t.Amount),
		}
	}
	return out
}

func rateIDs(rates []tax.Rate) []string {
	var ids []string
	for _, r := range rates {
		ids = append(ids, r.ID)
	}
	return ids
}

func (h *Handler) getInvoice(_ context.Context, c *httpkit.Call, _ *httpkit.ByID) (*httpkit.Reply[Invoice], error) {
	return httpkit.OK(h.show(c)(httpkit.Resource[invoice.Invoice](c))), nil
}

type listInvoicesInput struct {
	httpkit.Page
	CustomerID     string `query:"customerId" maxLength:"64"`
	SubscriptionID string `query:"subscriptionId" maxLength:"64"`
	Status         string `query:"status" enum:"draft,open,paid,void,uncollectible"`
}

func (h *Handler) listInvoices(
	ctx context.Context, c *httpkit.Call, in *listInvoicesInput,
) (*httpkit.Reply[httpkit.List[Invoice]], error) {
	page, err := in.DB(id.Invoice,
		httpkit.Refers("customerId", id.Customer, in.CustomerID),
		httpkit.Refers("subscriptionId", id.Subscription, in.SubscriptionID))
	if err != nil {
		return nil, err
	}
	rows, more, err := h.store.Invoices.List(ctx, c.EnvironmentID, db.InvoiceFilter{
		CustomerID: in.CustomerID, SubscriptionID: in.SubscriptionID, Status: invoice.Status(in.Status),
	}, page)
	return httpkit.ListOf(rows, more, err, h.show(c))
}

func (h *Handler) invoiceOperations() {
	example := Invoice{
		ID: "in_01jcz6dyqx4w9s1c2k7v5h8m3n", Number: 42, NumberText: "ACME-000042",
		Status: "paid", Reason: "subscription_cycle",
		CustomerID: "cust_01jcz6dyqx4w9s1c2k7v5h8m3n", SubscriptionID: "sub_01jcz6dyqx4w9s1c2k7v5h8m3n",
		Currency: "USD",
		Lines: []InvoiceLine{{
			ID: "il_01jcz6dyqx4w9s1c2k7v5h8m3n", Kind: "recurring", Description: "Pro, monthly",
			PlanID: "plan_01jcz6dyqx4w9s1c2k7v5h8m3n", PriceID: "price_01jcz6dyqx4w9s1c2k7v5h8m3n",
			SubscriptionItemID: "si_01jcz6dyqx4w9s1c2k7v5h8m3n", PeriodIndex: 3, Quantity: "1", UnitAmount: "1900",
			UnitPrice: "19.00",
			Amount:    1900, PeriodStart: 1763640000, PeriodEnd: 1766232000,
		}},
		Subtotal: 1900, Discounts: []InvoiceDiscount{}, Taxes: []InvoiceTax{}, Total: 1900, AmountDue: 1900,
		AmountDueCamel: 1900,
		AmountPaid:     1900, PeriodIndex: 3, PeriodStart: 1763640000,
		PeriodEnd: 1766232000, CollectionMethod: "charge_automatically", AttemptCount: 1, IssuedAt: 1763640000,
		PaidAt: 1763640002,
	}
	load := httpkit.LoadByID(h.kit, id.Invoice, db.ErrInvoiceNotFound, h.store.Invoices.GetWithKey)
	h.manualInvoiceOperations(example, load)
	void, uncollectible, open := example, example, example
	h.linkOperations(example)
	open.Status, open.PaidAt, open.AmountPaid, open.NextAttemptAt = "open", 0, 0, 1763985600
	void.Status, void.PaidAt, void.AmountPaid, void.VoidedAt = "void", 0, 0, 1763726400
	uncollectible.Status, uncollectible.PaidAt, uncollectible.AmountPaid,
		uncollectible.UncollectibleAt = "uncollectible", 0, 0, 1763726400
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "voidInvoice", Method: http.MethodPost, Path: "/invoices/{id}/void", Tag: "Invoices",
		Summary: "Void an open invoice",
		Description: "The customer owes nothing for the invoice. Credit that paid for it returns to the customer, " +
			"and a later payment is refunded. Collection continues with the next open invoice.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Load: load, Response: void,
	}, h.voidInvoice)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "markInvoiceUncollectible", Method: http.MethodPost, Path: "/invoices/{id}/mark-uncollectible",
		Tag: "Invoices", Summary: "Mark an open invoice uncollectible",
		Description: "The customer still owes the invoice, but collection stops for good: no attempt is made, and " +
			"POST /api/payments does not pay it. A payment under way still pays it if it succeeds. Collection " +
			"continues with the next open invoice.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Load: load, Response: uncollectible,
	}, h.markUncollectible)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "markInvoicePaid", Method: http.MethodPost, Path: "/invoices/{id}/mark-paid", Tag: "Invoices",
		Summary: "Mark an open or uncollectible invoice paid",
		Description: "For money that came outside Perennial, such as a bank transfer: the whole amount due is settled by a " +
			"payment with the provider `external`, which is never sent and cannot be refunded here. Retries stop, and a " +
			"past-due subscription recovers. Refused with payment_in_progress while a charge may have reached a provider: " +
			"wait for its end, or cancel it first.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Load: load, Response: example,
		Request: MarkPaidForm{Method: "bank_transfer", Reference: "2026-11-0042", PaidAt: example.PaidAt},
	}, h.markInvoicePaid)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "retryInvoice", Method: http.MethodPost, Path: "/invoices/{id}/retry", Tag: "Invoices",
		Summary: "Charge an open invoice now",
		Description: "Starts a payment attempt and answers with it. The automatic retries of the invoice keep their times. " +
			"Only the oldest open invoice of a subscription can be charged. Prefer: wait=N waits up to N seconds (at most " +
			"30) for the final status.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Crowds: true, Waits: true, Load: load,
		Request: PayForm{PaymentMethodID: "pm_01jcz6dyqx4w9s1c2k7v5h8m3n"}, Response: payments.ExamplePayment(),
	}, h.retryInvoice)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "skipInvoiceRetry", Method: http.MethodPost, Path: "/invoices/{id}/skip-retry", Tag: "Invoices",
		Summary: "Skip the next automatic retry",
		Description: "The retry does not happen; the ones after it keep their distance. After the last one, the final " +
			"action of the dunning policy follows at once.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Load: load, Response: open,
	}, h.skipInvoiceRetry)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getInvoice", Method: http.MethodGet, Path: "/invoices/{id}", Tag: "Invoices", Summary: "Get an invoice",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Load: load, Response: example,
	}, h.getInvoice)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listInvoices", Method: http.MethodGet, Path: "/invoices", Tag: "Invoices", Summary: "List invoices",
		Description: "Also drafts. To pay an open invoice, send POST /api/invoices/{id}/pay.",
		Status:      http.StatusOK, Access: httpkit.ReadAccess,
		Response: httpkit.List[Invoice]{Data: []Invoice{example}},
	}, h.listInvoices)
}

// replacedBy returns the invoice that replaced a void one. Lines that were taken back are no invoice, nor is a change
// that was withdrawn.
func replacedBy(i invoice.Invoice) string {
	if strings.HasPrefix(i.ReplacedBy, id.TakenBack) || strings.HasPrefix(i.ReplacedBy, id.ScheduledChange) {
		return ""
	}
	return i.ReplacedBy
}

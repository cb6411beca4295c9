package subscriptions

import (
	"perennial/api/invoices"
	"perennial/api/view"
	"perennial/billing/balance"
	"perennial/billing/creditnote"
	"perennial/billing/invoice"
	"perennial/service/subscriptions"
)

// SubscriptionPreview has the effects of a change.
type SubscriptionPreview struct {
	At            int64            `json:"at" example:"1763640000" doc:"The time for which it was computed: now, or that of the test clock."`
	Subscription  Subscription     `json:"subscription" doc:"As it would be. Of a new subscription the id names nothing."`
	Invoices      []PreviewInvoice `json:"invoices" doc:"The invoices that would be issued at once."`
	CreditNotes   []PreviewNote    `json:"creditNotes" doc:"The credit notes that would be written at once, for what a change gives back."`
	Refund        int64            `json:"refund" example:"0" doc:"What would be refunded at once, in minor units."`
	Balance       int64            `json:"balance" example:"0" doc:"All that the customer has in the subscription's currency after the change, credit grants included, in minor units; below zero: a debit."`
	Upcoming      []PreviewInvoice `json:"upcoming" doc:"The invoices that would follow automatically, the next one first, as if every payment succeeded. Fewer than asked for where the subscription ends, or bills nothing more."`
	UpcomingNotes []PreviewNote    `json:"upcomingCreditNotes" doc:"The credit notes that would follow until then: for changes at dates, and for usage that was corrected."`
	PreviewToken  string           `json:"previewToken,omitempty" doc:"Send it with the request for the same change, until expiresAt, to make it at the cost shown here. Absent where no change was asked for, and for a new subscription."`
	ExpiresAt     int64            `json:"expiresAt,omitempty" example:"1763641800" doc:"Until when the token can be used."`
}

// PreviewNote is a previewed credit note, which does not exist.
type PreviewNote struct {
	InvoiceID       string                    `json:"invoiceId" example:"in_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The invoice whose lines it would take back."`
	Currency        string                    `json:"currency" example:"USD"`
	Lines           []invoices.CreditNoteLine `json:"lines" doc:"The parts of the invoice's lines that it would give back."`
	Subtotal        int64                     `json:"subtotal" example:"500" doc:"The lines, without the taxes that are added, in minor units."`
	Tax             int64                     `json:"tax" example:"0" doc:"The tax that had been added to them."`
	Taxes           []invoices.InvoiceTax     `json:"taxes" doc:"The taxes that it would give back, by rate."`
	Total           int64                     `json:"total" example:"500" doc:"subtotal plus tax, and balanceCredited plus refundAmount."`
	BalanceCredited int64                     `json:"balanceCredited" example:"500" doc:"What would be given to the customer's balance, which first pays the invoice of the same change, if there is one."`
	RefundAmount    int64                     `json:"refundAmount" doc:"What would be given back in money."`
	IssuedAt        int64                     `json:"issuedAt" example:"1763640000" doc:"When it would be written."`
}

func renderPreviewNotes(notes []creditnote.Note) []PreviewNote {
	shown := make([]PreviewNote, len(notes))
	for i, n := range notes {
		full := invoices.RenderCreditNote(n)
		shown[i] = PreviewNote{
			InvoiceID: full.InvoiceID, Currency: full.Currency, Lines: full.Lines, Subtotal: full.Subtotal, Tax: full.Tax,
			Taxes: full.Taxes, Total: full.Total, BalanceCredited: full.BalanceCredited, RefundAmount: full.RefundAmount,
			IssuedAt: full.CreatedAt,
		}
	}
	return shown
}

// PreviewInvoice is a previewed invoice, which does not exist.
type PreviewInvoice struct {
	Estimated      bool                       `json:"estimated,omitempty" example:"false" doc:"Whether it bills usage: what is recorded by now is in it, and what is recorded later changes it."`
	Reason         string                     `json:"reason" enum:"subscription_create,subscription_cycle,subscription_update,subscription_recovery,subscription_usage" example:"subscription_update" doc:"The reason why it would be issued."`
	Currency       string                     `json:"currency" example:"USD"`
	Lines          []invoices.InvoiceLine     `json:"lines" doc:"As on the invoice; but the ids of lines which are not on an invoice yet name nothing."`
	Subtotal       int64                      `json:"subtotal" example:"950" doc:"The sum of the lines, in minor units."`
	Discount       int64                      `json:"discount" example:"0" doc:"What coupons take off the lines."`
	Discounts      []invoices.InvoiceDiscount `json:"discounts" doc:"The discount by coupon."`
	Tax            int64                      `json:"tax" example:"0" doc:"The tax that is added to the lines."`
	Taxes          []invoices.InvoiceTax      `json:"taxes" doc:"The taxes by rate."`
	TaxExempt      string                     `json:"taxExempt,omitempty" enum:"exempt,reverse" doc:"Why what it bills anew is not taxed. Absent: the customer is not exempt."`
	TaxNotice      string                     `json:"taxNotice,omitempty" example:"Reverse charge" doc:"What the invoice would say about the taxes that it leaves out."`
	Total          int64                      `json:"total" example:"950" doc:"subtotal less discount plus tax."`
	CreditApplied  int64                      `json:"creditApplied" example:"0" doc:"What the customer's credit pays of it."`
	GrantsUsed     []invoices.GrantUse        `json:"creditGrantsUsed,omitempty" doc:"What credit grants pay of creditApplied."`
	BroughtForward int64                      `json:"broughtForward,omitempty" doc:"The amount of earlier invoices that is collected with this one."`
	CarriedForward int64                      `json:"carriedForward,omitempty" doc:"The part that is too little to be charged and is collected with a later invoice."`
	AmountDue      int64                      `json:"amountDue" example:"950" doc:"What would be charged."`
	PeriodStart    int64                      `json:"periodStart" example:"1763640000"`
	PeriodEnd      int64                      `json:"periodEnd" example:"1766232000"`
	IssuedAt       int64                      `json:"issuedAt" example:"1763640000" doc:"When it would be issued."`
}

func renderPreview(p subscriptions.Previewed) SubscriptionPreview {
	return SubscriptionPreview{
		At: view.Unix(p.At), Subscription: renderSubscription(p.State.Subscription),
		Invoices: renderPreviewInvoices(p.Issued), CreditNotes: renderPreviewNotes(p.CreditNotes),
		Refund: int64(p.Quote.Refund), Balance: int64(p.Quote.Balance + balance.Left(p.State.Grants)),
		Upcoming: renderPreviewInvoices(p.Upcoming), UpcomingNotes: renderPreviewNotes(p.UpcomingNotes),
		PreviewToken: p.Token, ExpiresAt: view.Unix(p.ExpiresAt()),
	}
}

func renderPreviewInvoices(issued []invoice.Invoice) []PreviewInvoice {
	shown := make([]PreviewInvoice, len(issued))
	for n, i := range issued {
		full := invoices.RenderInvoice(i)
		shown[n] = PreviewInvoice{
			Estimated: !i.UsageUntil.IsZero(),
			Reason:    full.Reason, Currency: full.Currency, Lines: full.Lines, Subtotal: full.Subtotal, Discount: full.Discount,
			Discounts: full.Discounts, Tax: full.Tax,
			Taxes: full.Taxes, TaxExempt: full.TaxExempt, TaxNotice: full.TaxNotice, Total: full.Total,
			CreditApplied: full.CreditApplied, GrantsUsed: full.GrantsUsed, BroughtForward: full.BroughtForward,
			CarriedForward: full.CarriedForward,
			AmountDue:      full.AmountDue, PeriodStart: full.PeriodStart, PeriodEnd: full.PeriodEnd, IssuedAt: full.IssuedAt,
		}
	}
	return shown
}

func examplePreview(s Subscription) SubscriptionPreview {
	now := PreviewInvoice{
		Reason: string(invoice.Update), Currency: s.Currency, Subtotal: 950,
		Discounts: []invoices.InvoiceDiscount{}, Taxes: []invoices.InvoiceTax{}, Total: 950,
		AmountDue:   950,
		PeriodStart: 1763640000, PeriodEnd: 1764849600, IssuedAt: 1763640000,
		Lines: []invoices.InvoiceLine{{
			ID: "il_01jcz6dyqx4w9s1c2k7v5h8m3n", Kind: string(invoice.ProrationCharge),
			Description: "Remaining time on Pro, monthly", PlanID: s.PlanID, PriceID: s.Items[0].PriceID,
			SubscriptionItemID: s.Items[0].ID, PeriodIndex: 3, Quantity: "5", UnitAmount: "380", UnitPrice: "3.80", Proration: true, Amount: 950,
			Explanation: view.ExampleExplanation(),
			PeriodStart: 1763640000, PeriodEnd: 1764849600,
		}},
	}
	next := now
	next.Reason, next.Subtotal, next.Total, next.AmountDue = string(invoice.Cycle), 1900, 1900, 1900
	next.PeriodStart, next.PeriodEnd, next.IssuedAt = 1764849600, 1767441600, 1764849600
	line := now.Lines[0]
	line.Kind, line.Description, line.Proration, line.Amount = string(invoice.Recurring), "Pro, monthly", false, 1900
	line.Explanation = nil
	line.PeriodIndex, line.PeriodStart, line.PeriodEnd = 4, next.PeriodStart, next.PeriodEnd
	next.Lines = []invoices.InvoiceLine{line}
	return SubscriptionPreview{
		At: 1763640000, Subscription: s, Invoices: []PreviewInvoice{now},
		CreditNotes: []PreviewNote{}, UpcomingNotes: []PreviewNote{},
		Upcoming: []PreviewInvoice{next}, PreviewToken: "t60im8.RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o",
		ExpiresAt: 1763641800,
	}
}

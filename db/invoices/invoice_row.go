package invoices

import (
	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/period"
	"perennial/billing/tax"
	"perennial/billing/terms"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// invoiceRow omits the lines, which have a separate table, and the fields that an invoice gets with its number.
func invoiceRow(environmentID string, inv invoice.Invoice) dbsqlc.Invoice {
	status, takenBack := inv.Status, inv.Status == invoice.TakenBack
	if takenBack {
		status = invoice.Paid // as builds from before read it
	}
	return dbsqlc.Invoice{
		ID: inv.ID, EnvironmentID: environmentID, CustomerID: inv.CustomerID,
		SubscriptionID: core.Null(inv.SubscriptionID), TestClockID: core.Null(inv.TestClockID),
		Status: status, TakenBack: takenBack, TakenBackWith: core.Null(inv.With), Reason: inv.Reason, Currency: inv.Currency,
		Discount: inv.Discount, Tax: inv.Tax, Taxes: core.NullList(inv.Taxes), TaxExempt: core.Null(inv.TaxExempt),
		Total:         inv.Total,
		CreditApplied: inv.CreditApplied, GrantsUsed: core.NullList(inv.GrantsUsed), AmountDue: inv.AmountDue,
		BroughtForward: inv.BroughtForward, CarriedForward: inv.CarriedForward,
		Credited: inv.Credited.Total, CreditedTax: inv.Credited.Tax, CreditedDue: inv.Credited.Due,
		CreditedRefund: inv.Credited.Refund, AmountPaid: inv.AmountPaid,
		PeriodIndex: &inv.PeriodIndex, PeriodStart: inv.Period.Start, PeriodEnd: inv.Period.End,
		CollectionMethod: core.Null(inv.Terms.Method), NetDays: inv.Terms.NetDays,
		Memo: core.Null(inv.Memo), Metadata: core.NullMap(inv.Metadata),
		DueAt: core.NullTime(inv.DueAt), OverdueAt: core.NullTime(inv.OverdueAt), OwedSince: core.NullTime(inv.OwedSince),
		Phase: inv.Collection.Phase, AutomaticAttempts: inv.Collection.Automatic, Attempts: inv.Collection.Attempts,
		SkippedRetries: inv.Collection.Skipped, RetryAt: core.NullTime(inv.Collection.RetryAt),
		AttemptTrigger: core.Null(inv.Collection.Trigger),
		FinalizesAt:    core.NullTime(inv.FinalizesAt), UsageUntil: core.NullTime(inv.UsageUntil),
		UsageFailure: inv.UsageFailure,
		ReplacedBy:   core.Null(inv.ReplacedBy),
		IssuedAt:     core.NullTime(inv.IssuedAt),
		PaidAt:       core.NullTime(inv.PaidAt), VoidedAt: core.NullTime(inv.VoidedAt),
		UncollectibleAt: core.NullTime(inv.UncollectibleAt),
		CreatedAt:       inv.CreatedAt,
	}
}

// InvoiceFromDB returns the invoice of a row.
func InvoiceFromDB(row dbsqlc.Invoice) invoice.Invoice {
	if row.TakenBack {
		row.Status = invoice.TakenBack
	}
	return invoice.Invoice{
		ID: row.ID, Number: core.Value(row.Number), NumberText: core.Value(row.NumberText), Seller: core.Value(row.Seller),
		Buyer:      core.Value(row.Buyer),
		CustomerID: row.CustomerID, SubscriptionID: core.Value(row.SubscriptionID), TestClockID: core.Value(row.TestClockID),
		Status: row.Status, With: core.Value(row.TakenBackWith), Reason: row.Reason, Currency: row.Currency,
		Discount: row.Discount, Tax: row.Tax, Taxes: core.Value(row.Taxes), TaxExempt: core.Value(row.TaxExempt),
		Total:         row.Total,
		CreditApplied: row.CreditApplied, GrantsUsed: core.Value(row.GrantsUsed), AmountDue: row.AmountDue,
		BroughtForward: row.BroughtForward,
		CarriedForward: row.CarriedForward, Credited: invoice.Credited{
			Total: row.Credited, Tax: row.CreditedTax, Due: row.CreditedDue, Refund: row.CreditedRefund,
		},
		UncollectibleAt: core.Value(row.UncollectibleAt), AmountPaid: row.AmountPaid,
		PeriodIndex: core.Value(row.PeriodIndex), Period: period.Period{Start: row.PeriodStart, End: row.PeriodEnd},
		Terms: terms.Terms{Method: core.Value(row.CollectionMethod), NetDays: row.NetDays},
		Memo:  core.Value(row.Memo), Metadata: core.Value(row.Metadata),
		DueAt: core.Value(row.DueAt), OverdueAt: core.Value(row.OverdueAt), OwedSince: core.Value(row.OwedSince),
		Collection: collection.State{
			Phase: row.Phase, Automatic: row.AutomaticAttempts, Attempts: row.Attempts, Skipped: row.SkippedRetries,
			RetryAt: core.Value(row.RetryAt),
			Trigger: core.Value(row.AttemptTrigger),
		},
		FinalizesAt: core.Value(row.FinalizesAt), UsageUntil: core.Value(row.UsageUntil), UsageFailure: row.UsageFailure,
		ReplacedBy: core.Value(row.ReplacedBy), IssuedAt: core.Value(row.IssuedAt), PaidAt: core.Value(row.PaidAt),
		VoidedAt:     core.Value(row.VoidedAt),
		LinkRevision: row.LinkRevision,
		CreatedAt:    row.CreatedAt,
	}
}

// lineRow leaves out what credit notes take off the line.
func lineRow(environmentID, invoiceID string, position int, l invoice.Line) dbsqlc.InvoiceLine {
	return dbsqlc.InvoiceLine{
		ID: l.ID, EnvironmentID: environmentID, InvoiceID: invoiceID, Position: position, Kind: l.Kind,
		Description: l.Description, PlanID: core.Null(l.PlanID), PriceID: core.Null(l.PriceID), ItemID: core.Null(l.ItemID),
		PeriodIndex: &l.PeriodIndex, Quantity: core.Null(l.Quantity), UnitPrice: core.Null(l.UnitPrice),
		Reverses: core.Null(l.Reverses), Amount: l.Amount, TaxCategory: core.Null(l.TaxCategory),
		TaxRates: rateIDs(l.Rates), Discounts: core.NullList(l.Discounts),
		Explanation: l.Explanation, PeriodStart: l.Period.Start, PeriodEnd: l.Period.End,
	}
}

// LineFromDB reads a line of an invoice, which has the rates of its taxes.
func LineFromDB(row dbsqlc.InvoiceLine, of invoice.Invoice) invoice.Line {
	return invoice.Line{
		ID: row.ID, Kind: row.Kind, Description: row.Description, PlanID: core.Value(row.PlanID),
		PriceID: core.Value(row.PriceID),
		ItemID:  core.Value(row.ItemID), PeriodIndex: core.Value(row.PeriodIndex), Quantity: core.Value(row.Quantity),
		UnitPrice: core.Value(row.UnitPrice), Reverses: core.Value(row.Reverses), Amount: row.Amount,
		Credited: row.Credited, Discounts: core.Value(row.Discounts), Explanation: row.Explanation,
		TaxCategory: core.Value(row.TaxCategory), Rates: of.Taxes.Rates(row.TaxRates),
		Period: period.Period{Start: row.PeriodStart, End: row.PeriodEnd},
	}
}

// rateIDs names the rates of a line; nil: none.
func rateIDs(rates []tax.Rate) []string {
	var ids []string
	for _, r := range rates {
		ids = append(ids, r.ID)
	}
	return ids
}

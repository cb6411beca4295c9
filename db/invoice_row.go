package db

import (
	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/period"
	"perennial/billing/tax"
	"perennial/billing/terms"
	"perennial/db/internal/dbsqlc"
)

// invoiceRow leaves out its lines, which have a table of their own, and what an invoice gets with its number.
func invoiceRow(environmentID string, inv invoice.Invoice) dbsqlc.Invoice {
	return dbsqlc.Invoice{
		ID: inv.ID, EnvironmentID: environmentID, CustomerID: inv.CustomerID,
		SubscriptionID: null(inv.SubscriptionID), TestClockID: null(inv.TestClockID),
		Status: inv.Status, Reason: inv.Reason, Currency: inv.Currency,
		Discount: inv.Discount, Tax: inv.Tax, Taxes: nullList(inv.Taxes), TaxExempt: null(inv.TaxExempt), Total: inv.Total,
		CreditApplied: inv.CreditApplied, GrantsUsed: nullList(inv.GrantsUsed), AmountDue: inv.AmountDue,
		BroughtForward: inv.BroughtForward, CarriedForward: inv.CarriedForward,
		Credited: inv.Credited.Total, CreditedTax: inv.Credited.Tax, CreditedDue: inv.Credited.Due,
		CreditedRefund: inv.Credited.Refund, AmountPaid: inv.AmountPaid,
		PeriodIndex: &inv.PeriodIndex, PeriodStart: inv.Period.Start, PeriodEnd: inv.Period.End,
		CollectionMethod: null(inv.Terms.Method), NetDays: inv.Terms.NetDays,
		Memo: null(inv.Memo), Metadata: nullMap(inv.Metadata),
		DueAt: nullTime(inv.DueAt), OverdueAt: nullTime(inv.OverdueAt),
		Phase: inv.Collection.Phase, AutomaticAttempts: inv.Collection.Automatic, Attempts: inv.Collection.Attempts,
		SkippedRetries: inv.Collection.Skipped, RetryAt: nullTime(inv.Collection.RetryAt),
		AttemptTrigger: null(inv.Collection.Trigger),
		FinalizesAt:    nullTime(inv.FinalizesAt), ReplacedBy: null(inv.ReplacedBy), IssuedAt: nullTime(inv.IssuedAt),
		PaidAt: nullTime(inv.PaidAt), VoidedAt: nullTime(inv.VoidedAt), UncollectibleAt: nullTime(inv.UncollectibleAt),
		CreatedAt: inv.CreatedAt,
	}
}

func invoiceFromDB(row dbsqlc.Invoice) invoice.Invoice {
	return invoice.Invoice{
		ID: row.ID, Number: value(row.Number), NumberText: value(row.NumberText), Seller: value(row.Seller), Buyer: value(row.Buyer),
		CustomerID: row.CustomerID, SubscriptionID: value(row.SubscriptionID), TestClockID: value(row.TestClockID),
		Status: row.Status, Reason: row.Reason, Currency: row.Currency,
		Discount: row.Discount, Tax: row.Tax, Taxes: value(row.Taxes), TaxExempt: value(row.TaxExempt), Total: row.Total,
		CreditApplied: row.CreditApplied, GrantsUsed: value(row.GrantsUsed), AmountDue: row.AmountDue, BroughtForward: row.BroughtForward,
		CarriedForward: row.CarriedForward, Credited: invoice.Credited{
			Total: row.Credited, Tax: row.CreditedTax, Due: row.CreditedDue, Refund: row.CreditedRefund,
		},
		UncollectibleAt: value(row.UncollectibleAt), AmountPaid: row.AmountPaid,
		PeriodIndex: value(row.PeriodIndex), Period: period.Period{Start: row.PeriodStart, End: row.PeriodEnd},
		Terms: terms.Terms{Method: value(row.CollectionMethod), NetDays: row.NetDays},
		Memo:  value(row.Memo), Metadata: value(row.Metadata),
		DueAt: value(row.DueAt), OverdueAt: value(row.OverdueAt),
		Collection: collection.State{
			Phase: row.Phase, Automatic: row.AutomaticAttempts, Attempts: row.Attempts, Skipped: row.SkippedRetries,
			RetryAt: value(row.RetryAt),
			Trigger: value(row.AttemptTrigger),
		},
		FinalizesAt: value(row.FinalizesAt),
		ReplacedBy:  value(row.ReplacedBy), IssuedAt: value(row.IssuedAt), PaidAt: value(row.PaidAt), VoidedAt: value(row.VoidedAt),
		CreatedAt: row.CreatedAt,
	}
}

// lineRow leaves out what credit notes take off the line.
func lineRow(environmentID, invoiceID string, position int, l invoice.Line) dbsqlc.InvoiceLine {
	return dbsqlc.InvoiceLine{
		ID: l.ID, EnvironmentID: environmentID, InvoiceID: invoiceID, Position: position, Kind: l.Kind,
		Description: l.Description, PlanID: null(l.PlanID), PriceID: null(l.PriceID), ItemID: null(l.ItemID),
		PeriodIndex: &l.PeriodIndex, Quantity: null(l.Quantity), UnitPrice: null(l.UnitPrice),
		Reverses: null(l.Reverses), Amount: l.Amount, TaxRates: rateIDs(l.Rates), Discounts: nullList(l.Discounts),
		PeriodStart: l.Period.Start, PeriodEnd: l.Period.End,
	}
}

// lineFromDB reads a line of an invoice, which has the rates of its taxes.
func lineFromDB(row dbsqlc.InvoiceLine, of invoice.Invoice) invoice.Line {
	return invoice.Line{
		ID: row.ID, Kind: row.Kind, Description: row.Description, PlanID: value(row.PlanID), PriceID: value(row.PriceID),
		ItemID: value(row.ItemID), PeriodIndex: value(row.PeriodIndex), Quantity: value(row.Quantity),
		UnitPrice: value(row.UnitPrice), Reverses: value(row.Reverses), Amount: row.Amount,
		Credited: row.Credited, Discounts: value(row.Discounts),
		Rates: of.Taxes.Rates(row.TaxRates), Period: period.Period{Start: row.PeriodStart, End: row.PeriodEnd},
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

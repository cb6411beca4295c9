package db

import (
	"context"
	"errors"
	"slices"

	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/period"
	"perennial/billing/tax"
	"perennial/billing/terms"
	"perennial/db/internal/dbsqlc"
)

// InvoiceFilter narrows a list; empty: any.
type InvoiceFilter struct {
	CustomerID     string
	SubscriptionID string
	Status         invoice.Status
}

// Invoice reads one with its lines. Fault: invoice_not_found.
func (r Reader) Invoice(ctx context.Context, environmentID, id string) (invoice.Invoice, error) {
	var row dbsqlc.InvoiceGetRow
	var lines []dbsqlc.InvoiceLineListRow
	err := r.together(ctx,
		func(h dbsqlc.DBTX) (err error) {
			row, err = queries.InvoiceGet(ctx, h, dbsqlc.InvoiceGetParams{EnvironmentID: environmentID, ID: id})
			return err
		},
		func(h dbsqlc.DBTX) (err error) {
			lines, err = queries.InvoiceLineList(ctx, h,
				dbsqlc.InvoiceLineListParams{EnvironmentID: environmentID, InvoiceIds: []string{id}})
			return err
		})
	if err != nil {
		return invoice.Invoice{}, readError("invoice", err)
	}
	inv := invoiceFromDB(row.Invoice)
	for _, l := range lines {
		inv.Lines = append(inv.Lines, lineFromDB(l.InvoiceLine, inv))
	}
	return inv, nil
}

// InvoiceWithKey reads key and invoice in one round trip. Faults: api_key_unknown; invoice_not_found, with the key.
func (r Reader) InvoiceWithKey(ctx context.Context, hash []byte, id string) (APIKey, invoice.Invoice, error) {
	var row dbsqlc.InvoiceGetWithKeyRow
	var lines []dbsqlc.InvoiceLineListWithKeyRow
	err := r.together(ctx,
		func(h dbsqlc.DBTX) (err error) {
			row, err = queries.InvoiceGetWithKey(ctx, h, dbsqlc.InvoiceGetWithKeyParams{Hash: hash, ID: id})
			return err
		},
		func(h dbsqlc.DBTX) (err error) {
			lines, err = queries.InvoiceLineListWithKey(ctx, h, dbsqlc.InvoiceLineListWithKeyParams{Hash: hash, InvoiceID: id})
			return err
		})
	if err != nil {
		key, err := r.withoutResource(ctx, hash, "invoice", err)
		return key, invoice.Invoice{}, err
	}
	inv := invoiceFromDB(row.Invoice)
	for _, l := range lines {
		inv.Lines = append(inv.Lines, lineFromDB(l.InvoiceLine, inv))
	}
	return apiKeyFromDB(row.ApiKeyDetail), inv, nil
}

// Invoices lists an environment's, with their lines.
func (r Reader) Invoices(
	ctx context.Context, environmentID string, f InvoiceFilter, page Page,
) (invoices []invoice.Invoice, hasMore bool, err error) {
	span, err := r.bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := queries.InvoiceList(ctx, r.lists(), dbsqlc.InvoiceListParams{
		EnvironmentID: environmentID, CustomerID: null(f.CustomerID), SubscriptionID: null(f.SubscriptionID),
		Status: null(string(f.Status)), Below: span.below, Above: span.above,
		Forward: page.forward(), RowLimit: page.rowLimit(),
	})
	if err != nil {
		return nil, false, translate("InvoiceList", err)
	}
	invoices, hasMore = cut(page, rows, func(row dbsqlc.InvoiceListRow) invoice.Invoice {
		return invoiceFromDB(row.Invoice)
	})
	return invoices, hasMore, r.addLines(ctx, environmentID, invoices)
}

// addLines reads the lines of invoices.
func (r Reader) addLines(ctx context.Context, environmentID string, invoices []invoice.Invoice) error {
	ids := make([]string, 0, len(invoices))
	byInvoice := make(map[string]*invoice.Invoice, len(invoices))
	for i := range invoices {
		ids, byInvoice[invoices[i].ID] = append(ids, invoices[i].ID), &invoices[i]
	}
	lines, err := queries.InvoiceLineList(ctx, r.handle,
		dbsqlc.InvoiceLineListParams{EnvironmentID: environmentID, InvoiceIds: ids})
	for _, l := range lines {
		inv := byInvoice[l.InvoiceLine.InvoiceID]
		inv.Lines = append(inv.Lines, lineFromDB(l.InvoiceLine, *inv))
	}
	return translate("InvoiceLineList", err)
}

// LockInvoice reads one, without lines, that nobody else may change until the transaction ends.
// Fault: invoice_not_found.
func (tx *Tx) LockInvoice(ctx context.Context, environmentID, id string) (invoice.Invoice, error) {
	row, err := queries.InvoiceLock(ctx, tx.pipe, dbsqlc.InvoiceLockParams{EnvironmentID: environmentID, ID: id})
	return invoiceFromDB(row.Invoice), readError("invoice", err)
}

// InsertInvoice writes a new invoice and its lines, which have IDs. The invoice gets its number when the
// transaction commits; until then reads of this transaction do not see it, and rows may refer to it.
func (tx *Tx) InsertInvoice(ctx context.Context, environmentID string, inv invoice.Invoice) error {
	if err := tx.insertLines(ctx, environmentID, inv); err != nil {
		return err
	}
	tx.invoices = append(tx.invoices, newInvoice{environmentID, inv})
	return nil
}

func (tx *Tx) insertLines(ctx context.Context, environmentID string, inv invoice.Invoice) error {
	for i, l := range inv.Lines {
		err := queries.InvoiceLineInsert(ctx, tx.pipe, dbsqlc.InvoiceLineInsertParams{
			ID: l.ID, EnvironmentID: environmentID, InvoiceID: inv.ID, Position: i, Kind: l.Kind,
			Description: l.Description, PlanID: null(l.PlanID), PriceID: null(l.PriceID), ItemID: null(l.ItemID),
			PeriodIndex: l.PeriodIndex, Quantity: null(l.Quantity), UnitPrice: null(l.UnitPrice),
			Reverses: null(l.Reverses), Amount: l.Amount, TaxRates: rateIDs(l.Rates), Discounts: nullList(l.Discounts), PeriodStart: l.Period.Start, PeriodEnd: l.Period.End,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// insertInvoice sends what InsertInvoice remembered.
func (tx *Tx) insertInvoice(ctx context.Context, n newInvoice) error {
	inv := n.invoice
	return queries.InvoiceInsert(ctx, tx.pipe.orElse(errNoCounter), dbsqlc.InvoiceInsertParams{
		ID: inv.ID, EnvironmentID: n.environmentID, CustomerID: inv.CustomerID,
		SubscriptionID: null(inv.SubscriptionID), Status: inv.Status, Reason: inv.Reason, Currency: inv.Currency,
		Discount: inv.Discount, Tax: inv.Tax, Taxes: nullList(inv.Taxes), TaxExempt: null(inv.TaxExempt), Total: inv.Total,
		CreditApplied: inv.CreditApplied, GrantsUsed: nullList(inv.GrantsUsed), BroughtForward: inv.BroughtForward, CarriedForward: inv.CarriedForward,
		AmountDue: inv.AmountDue, UncollectibleAt: nullTime(inv.UncollectibleAt), AmountPaid: inv.AmountPaid,
		CollectionMethod: null(inv.Terms.Method), NetDays: inv.Terms.NetDays, DueAt: nullTime(inv.DueAt),
		PeriodIndex: inv.PeriodIndex, PeriodStart: inv.Period.Start, PeriodEnd: inv.Period.End,
		Phase: inv.Collection.Phase, AutomaticAttempts: inv.Collection.Automatic, Attempts: inv.Collection.Attempts,
		SkippedRetries: inv.Collection.Skipped,
		RetryAt:        nullTime(inv.Collection.RetryAt), AttemptTrigger: null(inv.Collection.Trigger),
		FinalizesAt: nullTime(inv.FinalizesAt), ReplacedBy: null(inv.ReplacedBy), IssuedAt: nullTime(inv.IssuedAt), PaidAt: nullTime(inv.PaidAt),
		VoidedAt: nullTime(inv.VoidedAt), CreatedAt: inv.CreatedAt,
	})
}

var errNoCounter = errors.New("the environment has no invoice counter")

// SaveInvoice writes what may change: status, collection and amounts. It may be one that this transaction inserts.
// Faults: invoice_not_found; invoice_final, when it would leave paid or void, or leave uncollectible but for paid.
func (tx *Tx) SaveInvoice(ctx context.Context, environmentID string, inv invoice.Invoice) error {
	isNew := func(n newInvoice) bool { return n.environmentID == environmentID && n.invoice.ID == inv.ID }
	if i := slices.IndexFunc(tx.invoices, isNew); i >= 0 {
		tx.invoices[i].invoice = inv
		return nil
	}
	return queries.InvoiceUpdate(ctx, tx.pipe.orElse(notFound("invoice")), dbsqlc.InvoiceUpdateParams{
		ID: inv.ID, EnvironmentID: environmentID, Status: inv.Status, CreditApplied: inv.CreditApplied,
		CarriedForward: inv.CarriedForward,
		Credited:       inv.Credited.Total, CreditedTax: inv.Credited.Tax, CreditedDue: inv.Credited.Due,
		CreditedRefund: inv.Credited.Refund,
		AmountDue:      inv.AmountDue, AmountPaid: inv.AmountPaid, Phase: inv.Collection.Phase,
		AutomaticAttempts: inv.Collection.Automatic, Attempts: inv.Collection.Attempts,
		SkippedRetries: inv.Collection.Skipped,
		RetryAt:        nullTime(inv.Collection.RetryAt), AttemptTrigger: null(inv.Collection.Trigger),
		ReplacedBy: null(inv.ReplacedBy), PaidAt: nullTime(inv.PaidAt),
		VoidedAt: nullTime(inv.VoidedAt), UncollectibleAt: nullTime(inv.UncollectibleAt),
		OverdueAt: nullTime(inv.OverdueAt),
	})
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

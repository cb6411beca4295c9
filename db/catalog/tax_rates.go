package catalog

import (
	"context"

	"perennial/billing/money"
	"perennial/billing/tax"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// TaxRatesOf lists the rates that may apply to a customer.
func (r Reader) TaxRatesOf(ctx context.Context, environmentID, customerID string) (rates []tax.Definition, err error) {
	rates, err = TaxRatesOf(ctx, r.Handle, environmentID, customerID)
	return rates, core.Translate("TaxRateListOfCustomer", err)
}

// TaxRatesOf reads the rates that may apply to a customer, in a read of several.
func TaxRatesOf(
	ctx context.Context, h dbsqlc.DBTX, environmentID, customerID string,
) (rates []tax.Definition, err error) {
	rows, err := core.Queries.TaxRateListOfCustomer(ctx, h,
		dbsqlc.TaxRateListOfCustomerParams{EnvironmentID: environmentID, CustomerID: customerID})
	for _, row := range rows {
		rates = append(rates, TaxRateFromDB(row.TaxRate))
	}
	return rates, err
}

// TaxRateFilter narrows a list; nil: any.
type TaxRateFilter struct {
	Archived *bool
}

// TaxRateWithKey reads key and tax rate in one round trip. Faults: api_key_unknown; tax_rate_not_found, with the key.
func (r Reader) TaxRateWithKey(ctx context.Context, hash []byte, id string) (core.APIKey, tax.Definition, error) {
	row, err := core.Queries.TaxRateGetWithKey(ctx, r.Handle, dbsqlc.TaxRateGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "tax_rate", err)
		return key, tax.Definition{}, err
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), TaxRateFromDB(row.TaxRate), nil
}

// TaxRates lists an environment's.
func (r Reader) TaxRates(
	ctx context.Context, environmentID string, f TaxRateFilter, page core.Page,
) (rates []tax.Definition, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.TaxRateList(ctx, r.Lists(), dbsqlc.TaxRateListParams{
		EnvironmentID: environmentID, Archived: f.Archived, Below: span.Below, Above: span.Above,
		Forward: page.Forward(), RowLimit: page.RowLimit(),
	})
	if err != nil {
		return nil, false, core.Translate("TaxRateList", err)
	}
	rates, hasMore = core.Cut(page, rows,
		func(row dbsqlc.TaxRateListRow) tax.Definition { return TaxRateFromDB(row.TaxRate) })
	return rates, hasMore, nil
}

// LockTaxRate reads a tax rate and locks it until this transaction ends. Fault: tax_rate_not_found.
func (tx *Tx) LockTaxRate(ctx context.Context, environmentID, id string) (tax.Definition, error) {
	row, err := core.Queries.TaxRateLock(ctx, tx.Pipe, dbsqlc.TaxRateLockParams{EnvironmentID: environmentID, ID: id})
	return TaxRateFromDB(row.TaxRate), core.ReadError("tax_rate", err)
}

// InsertTaxRate writes one.
func (tx *Tx) InsertTaxRate(ctx context.Context, environmentID string, d tax.Definition) error {
	return core.Queries.TaxRateInsert(ctx, tx.Pipe, dbsqlc.TaxRateInsertParams{
		ID: d.ID, EnvironmentID: environmentID, Name: d.Name, Percent: d.Percent.String(), Inclusive: d.Inclusive,
		Country: core.Null(d.Country), Region: core.Null(d.Region), ValidFrom: core.NullTime(d.ValidFrom),
		ValidUntil: core.NullTime(d.ValidUntil),
		CreatedAt:  d.CreatedAt, Stacks: d.Stacks, TaxCategory: core.Null(d.Category),
	})
}

// SaveTaxRate writes the fields that may change: the name, and whether it is archived. The caller holds the lock.
// Fault: tax_rate_not_found.
func (tx *Tx) SaveTaxRate(ctx context.Context, environmentID string, d tax.Definition) error {
	return core.Queries.TaxRateUpdate(ctx, tx.Pipe.OrElse(core.NotFound("tax_rate")), dbsqlc.TaxRateUpdateParams{
		EnvironmentID: environmentID, ID: d.ID, Name: d.Name, ArchivedAt: core.NullTime(d.ArchivedAt),
	})
}

// TaxRateFromDB returns the tax rate of a row.
func TaxRateFromDB(row dbsqlc.TaxRate) tax.Definition {
	percent, _ := money.ParseDecimal(row.Percent) // checked before it was written
	return tax.Definition{
		Rate:    tax.Rate{ID: row.ID, Name: row.Name, Percent: percent, Inclusive: row.Inclusive},
		Country: core.Value(row.Country), Region: core.Value(row.Region), ValidFrom: core.Value(row.ValidFrom),
		ValidUntil: core.Value(row.ValidUntil), Stacks: row.Stacks, ArchivedAt: core.Value(row.ArchivedAt),
		Category: core.Value(row.TaxCategory), CreatedAt: row.CreatedAt,
	}
}

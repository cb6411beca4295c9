package db

import (
	"context"

	"perennial/billing/money"
	"perennial/billing/tax"
	"perennial/db/internal/dbsqlc"
)

// TaxRateFilter narrows a list; nil: any.
type TaxRateFilter struct {
	Archived *bool
}

// TaxRateWithKey reads key and tax rate in one round trip. Faults: api_key_unknown; tax_rate_not_found, with the key.
func (r Reader) TaxRateWithKey(ctx context.Context, hash []byte, id string) (APIKey, tax.Definition, error) {
	row, err := queries.TaxRateGetWithKey(ctx, r.handle, dbsqlc.TaxRateGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.withoutResource(ctx, hash, "tax_rate", err)
		return key, tax.Definition{}, err
	}
	return apiKeyFromDB(row.ApiKeyDetail), taxRateFromDB(row.TaxRate), nil
}

// TaxRates lists an environment's.
func (r Reader) TaxRates(
	ctx context.Context, environmentID string, f TaxRateFilter, page Page,
) (rates []tax.Definition, hasMore bool, err error) {
	span, err := r.bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := queries.TaxRateList(ctx, r.lists(), dbsqlc.TaxRateListParams{
		EnvironmentID: environmentID, Archived: f.Archived, Below: span.below, Above: span.above,
		Forward: page.forward(), RowLimit: page.rowLimit(),
	})
	if err != nil {
		return nil, false, translate("TaxRateList", err)
	}
	rates, hasMore = cut(page, rows, func(row dbsqlc.TaxRateListRow) tax.Definition { return taxRateFromDB(row.TaxRate) })
	return rates, hasMore, nil
}

// LockTaxRate reads one that nobody else may change until the transaction ends. Fault: tax_rate_not_found.
func (tx *Tx) LockTaxRate(ctx context.Context, environmentID, id string) (tax.Definition, error) {
	row, err := queries.TaxRateLock(ctx, tx.pipe, dbsqlc.TaxRateLockParams{EnvironmentID: environmentID, ID: id})
	return taxRateFromDB(row.TaxRate), readError("tax_rate", err)
}

// InsertTaxRate writes one.
func (tx *Tx) InsertTaxRate(ctx context.Context, environmentID string, d tax.Definition) error {
	return queries.TaxRateInsert(ctx, tx.pipe, dbsqlc.TaxRateInsertParams{
		ID: d.ID, EnvironmentID: environmentID, Name: d.Name, Percent: d.Percent.String(), Inclusive: d.Inclusive,
		Country: null(d.Country), Region: null(d.Region), ValidFrom: nullTime(d.ValidFrom), ValidUntil: nullTime(d.ValidUntil),
		CreatedAt: d.CreatedAt, Stacks: d.Stacks,
	})
}

// SaveTaxRate writes what may change: the name, and whether it is archived. The caller holds the lock. Fault:
// tax_rate_not_found.
func (tx *Tx) SaveTaxRate(ctx context.Context, environmentID string, d tax.Definition) error {
	return queries.TaxRateUpdate(ctx, tx.pipe.orElse(notFound("tax_rate")), dbsqlc.TaxRateUpdateParams{
		EnvironmentID: environmentID, ID: d.ID, Name: d.Name, ArchivedAt: nullTime(d.ArchivedAt),
	})
}

func taxRateFromDB(row dbsqlc.TaxRate) tax.Definition {
	percent, _ := money.ParseDecimal(row.Percent) // checked before it was written
	return tax.Definition{
		Rate:    tax.Rate{ID: row.ID, Name: row.Name, Percent: percent, Inclusive: row.Inclusive},
		Country: value(row.Country), Region: value(row.Region), ValidFrom: value(row.ValidFrom),
		ValidUntil: value(row.ValidUntil), Stacks: row.Stacks, ArchivedAt: value(row.ArchivedAt), CreatedAt: row.CreatedAt,
	}
}

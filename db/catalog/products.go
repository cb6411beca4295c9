package catalog

import (
	"context"

	"perennial/billing/plan"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// ProductFilter narrows a list; nil: any.
type ProductFilter struct {
	Active *bool
}

// ProductWithKey reads key and product in one round trip. Faults: api_key_unknown; product_not_found, with the key.
func (r Reader) ProductWithKey(ctx context.Context, hash []byte, id string) (core.APIKey, plan.Product, error) {
	row, err := core.Queries.ProductGetWithKey(ctx, r.Handle, dbsqlc.ProductGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "product", err)
		return key, plan.Product{}, err
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), ProductFromDB(row.Product), nil
}

// Products lists an environment's.
func (r Reader) Products(
	ctx context.Context, environmentID string, f ProductFilter, page core.Page,
) (products []plan.Product, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.ProductList(ctx, r.Lists(), dbsqlc.ProductListParams{
		EnvironmentID: environmentID, Active: f.Active, Below: span.Below, Above: span.Above,
		Forward: page.Forward(), RowLimit: page.RowLimit(),
	})
	if err != nil {
		return nil, false, core.Translate("ProductList", err)
	}
	products, hasMore = core.Cut(page, rows,
		func(row dbsqlc.ProductListRow) plan.Product { return ProductFromDB(row.Product) })
	return products, hasMore, nil
}

// LockProduct reads a product and locks it until this transaction ends. Fault: product_not_found.
func (tx *Tx) LockProduct(ctx context.Context, environmentID, id string) (plan.Product, error) {
	row, err := core.Queries.ProductLock(ctx, tx.Pipe, dbsqlc.ProductLockParams{EnvironmentID: environmentID, ID: id})
	return ProductFromDB(row.Product), core.ReadError("product", err)
}

// InsertProduct writes one.
func (tx *Tx) InsertProduct(ctx context.Context, environmentID string, p plan.Product) error {
	return core.Queries.ProductInsert(ctx, tx.Pipe, dbsqlc.ProductInsertParams{
		ID: p.ID, EnvironmentID: environmentID, Name: p.Name, Description: core.Null(p.Description), Active: p.Active,
		TaxCategory: core.Null(p.TaxCategory), Metadata: core.Present(p.Metadata), CreatedAt: p.CreatedAt,
	})
}

// SaveProduct writes the fields that may change. The caller holds the lock. Fault: product_not_found.
func (tx *Tx) SaveProduct(ctx context.Context, environmentID string, p plan.Product) error {
	return core.Queries.ProductUpdate(ctx, tx.Pipe.OrElse(core.NotFound("product")), dbsqlc.ProductUpdateParams{
		EnvironmentID: environmentID, ID: p.ID, Name: p.Name, Description: core.Null(p.Description), Active: p.Active,
		TaxCategory: core.Null(p.TaxCategory), Metadata: core.Present(p.Metadata),
	})
}

// ProductFromDB returns the product of a row.
func ProductFromDB(row dbsqlc.Product) plan.Product {
	return plan.Product{
		ID: row.ID, Name: row.Name, Description: core.Value(row.Description), Active: row.Active,
		TaxCategory: core.Value(row.TaxCategory), Metadata: row.Metadata, CreatedAt: row.CreatedAt,
	}
}

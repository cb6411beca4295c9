package db

import (
	"context"

	"perennial/billing/plan"
	"perennial/db/internal/dbsqlc"
)

// ProductFilter narrows a list; nil: any.
type ProductFilter struct {
	Active *bool
}

// ProductWithKey reads key and product in one round trip. Faults: api_key_unknown; product_not_found, with the key.
func (r Reader) ProductWithKey(ctx context.Context, hash []byte, id string) (APIKey, plan.Product, error) {
	row, err := queries.ProductGetWithKey(ctx, r.handle, dbsqlc.ProductGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.withoutResource(ctx, hash, "product", err)
		return key, plan.Product{}, err
	}
	return apiKeyFromDB(row.ApiKeyDetail), productFromDB(row.Product), nil
}

// Products lists an environment's.
func (r Reader) Products(
	ctx context.Context, environmentID string, f ProductFilter, page Page,
) (products []plan.Product, hasMore bool, err error) {
	span, err := r.bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := queries.ProductList(ctx, r.lists(), dbsqlc.ProductListParams{
		EnvironmentID: environmentID, Active: f.Active, Below: span.below, Above: span.above,
		Forward: page.forward(), RowLimit: page.rowLimit(),
	})
	if err != nil {
		return nil, false, translate("ProductList", err)
	}
	products, hasMore = cut(page, rows, func(row dbsqlc.ProductListRow) plan.Product { return productFromDB(row.Product) })
	return products, hasMore, nil
}

// LockProduct reads one that nobody else may change until the transaction ends. Fault: product_not_found.
func (tx *Tx) LockProduct(ctx context.Context, environmentID, id string) (plan.Product, error) {
	row, err := queries.ProductLock(ctx, tx.pipe, dbsqlc.ProductLockParams{EnvironmentID: environmentID, ID: id})
	return productFromDB(row.Product), readError("product", err)
}

// InsertProduct writes one.
func (tx *Tx) InsertProduct(ctx context.Context, environmentID string, p plan.Product) error {
	return queries.ProductInsert(ctx, tx.pipe, dbsqlc.ProductInsertParams{
		ID: p.ID, EnvironmentID: environmentID, Name: p.Name, Description: null(p.Description), Active: p.Active,
		Metadata: present(p.Metadata), CreatedAt: p.CreatedAt,
	})
}

// SaveProduct writes what may change. The caller holds the lock. Fault: product_not_found.
func (tx *Tx) SaveProduct(ctx context.Context, environmentID string, p plan.Product) error {
	return queries.ProductUpdate(ctx, tx.pipe.orElse(notFound("product")), dbsqlc.ProductUpdateParams{
		EnvironmentID: environmentID, ID: p.ID, Name: p.Name, Description: null(p.Description), Active: p.Active,
		Metadata: present(p.Metadata),
	})
}

func productFromDB(row dbsqlc.Product) plan.Product {
	return plan.Product{
		ID: row.ID, Name: row.Name, Description: value(row.Description), Active: row.Active, Metadata: row.Metadata,
		CreatedAt: row.CreatedAt,
	}
}

package catalog

import (
	"context"

	"perennial/billing/catalog"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// CatalogEntries reads the keys under which catalogue files describe objects other than plans.
func (r Reader) CatalogEntries(ctx context.Context, environmentID string) ([]catalog.Entry, error) {
	rows, err := core.Queries.CatalogEntryList(ctx, r.Handle, environmentID)
	return core.Map(rows, func(row dbsqlc.CatalogEntryListRow) catalog.Entry {
		return catalog.Entry{Kind: catalog.Kind(row.Kind), Key: row.Key, ID: row.ObjectID}
	}), core.Translate("CatalogEntryList", err)
}

// PutCatalogEntry writes the key of an object. The caller holds the lock of LockCatalog, under which no other file
// takes the key.
func (tx *Tx) PutCatalogEntry(ctx context.Context, environmentID string, e catalog.Entry) error {
	return core.Queries.CatalogEntryPut(ctx, tx.Pipe, dbsqlc.CatalogEntryPutParams{
		EnvironmentID: environmentID, Kind: string(e.Kind), Key: e.Key, ObjectID: e.ID,
	})
}

package moving

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"perennial/billing/moving"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// ImportedRecord is a record of an import that was written, under the external id of the system that it came from.
type ImportedRecord struct {
	ExternalID string
	ObjectID   string // the customer or the subscription; of a balance, the customer
	CustomerID string
	Hash       []byte // of the record; nil: its customer was erased
}

// ImportedRecords reads the records of some external ids of a source that an environment has, including those of erased
// customers.
func (r Reader) ImportedRecords(
	ctx context.Context, environmentID, source string, of moving.Type, externalIDs []string,
) ([]ImportedRecord, error) {
	kept := make([]string, 0, 2*len(externalIDs))
	given := make(map[string]string, len(externalIDs)) // by the form that an erasure leaves
	for _, externalID := range externalIDs {
		erased := erasedExternalID(environmentID, source, of, externalID)
		kept, given[erased] = append(kept, externalID, erased), externalID
	}
	rows, err := core.Queries.ImportedRecordList(ctx, r.Handle, dbsqlc.ImportedRecordListParams{
		EnvironmentID: environmentID, Source: source, Type: string(of), ExternalIds: kept,
	})
	return core.Map(rows, func(row dbsqlc.ImportedRecordListRow) ImportedRecord {
		externalID, erased := given[row.ExternalID]
		if !erased {
			externalID = row.ExternalID
		}
		return ImportedRecord{
			ExternalID: externalID, ObjectID: row.ObjectID, CustomerID: row.CustomerID, Hash: row.Hash,
		}
	}), core.Translate("ImportedRecordList", err)
}

// ImportedObjects returns the ids of all objects of a type that were imported from a source, by their external ids.
func (r Reader) ImportedObjects(
	ctx context.Context, environmentID, source string, of moving.Type,
) (map[string]string, error) {
	rows, err := core.Queries.ImportedRecordListOfType(ctx, r.Handle, dbsqlc.ImportedRecordListOfTypeParams{
		EnvironmentID: environmentID, Source: source, Type: string(of),
	})
	ids := make(map[string]string, len(rows))
	for _, row := range rows {
		ids[row.ExternalID] = row.ObjectID
	}
	return ids, core.Translate("ImportedRecordListOfType", err)
}

// erasedExternalID returns what ImportedRecordForget leaves of an external id.
func erasedExternalID(environmentID, source string, of moving.Type, externalID string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{environmentID, source, string(of), externalID}, "\n")))
	return moving.ErasedID + hex.EncodeToString(sum[:])
}

// InsertImportedRecords writes that records were imported. The caller holds the lock of the environment's settings, so
// that one import writes at a time.
func (tx *Tx) InsertImportedRecords(
	ctx context.Context, environmentID, source string, of moving.Type, records []ImportedRecord,
) error {
	all := dbsqlc.ImportedRecordInsertAllParams{
		EnvironmentID: environmentID, Source: source, Type: string(of), ImportedAt: tx.Real,
	}
	for _, r := range records {
		all.ExternalIds, all.ObjectIds = append(all.ExternalIds, r.ExternalID), append(all.ObjectIds, r.ObjectID)
		all.CustomerIds, all.Hashes = append(all.CustomerIds, r.CustomerID), append(all.Hashes, r.Hash)
	}
	if len(records) == 0 {
		return nil
	}
	return core.Queries.ImportedRecordInsertAll(ctx, tx.Pipe, all)
}

// PlanAnew has each statement of this transaction planned for its own values: an import reads large lists from tables
// that grow with it.
func (tx *Tx) PlanAnew(ctx context.Context) error {
	return core.Queries.PlanForTheseValues(ctx, tx.Pipe)
}

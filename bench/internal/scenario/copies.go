package scenario

import (
	"context"

	"github.com/jackc/pgx/v5"

	"perennial/bench/internal/rig"
)

// importBatch is the number of records that the product imports in one transaction.
const importBatch = 500

// copied is a table of an import, with the column of the record's object.
type copied struct{ table, object string }

// copyBatch has the rows of one transaction in one table.
type copyBatch struct {
	table   string
	columns []string
	rows    [][]any
}

// imported reads the rows of an import for records with a prefix of external ids, by transaction.
func imported(ctx context.Context, r *rig.Rig, tables []copied, prefix string) (transactions [][]copyBatch, err error) {
	for _, t := range tables {
		columns, err := columnsOf(ctx, r, t.table)
		if err != nil {
			return nil, err
		}
		list := ""
		for i, name := range columns {
			if i > 0 {
				list += ", "
			}
			list += "t." + pgx.Identifier{name}.Sanitize()
		}
		rows, err := r.Ours.Pool.Query(ctx, "select "+list+" from "+t.table+" t join imported_records i on i.object_id = t."+
			t.object+" where i.external_id like $1 order by i.external_id", prefix+"%")
		if err != nil {
			return nil, err
		}
		all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]any, error) { return row.Values() })
		if err != nil {
			return nil, err
		}
		for i := 0; i*importBatch < len(all); i++ {
			if i == len(transactions) {
				transactions = append(transactions, nil)
			}
			part := all[i*importBatch : min((i+1)*importBatch, len(all))]
			transactions[i] = append(transactions[i], copyBatch{t.table, columns, part})
		}
	}
	return transactions, nil
}

// columnsOf returns the columns of a table that are not generated.
func columnsOf(ctx context.Context, r *rig.Rig, table string) ([]string, error) {
	rows, err := r.Ours.Pool.Query(ctx, `select column_name::text from information_schema.columns
where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER' and is_identity = 'NO'
	and (column_name <> 'position' or column_default is null)
order by ordinal_position`, table)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// copyBatches writes the rows into the bare side's database.
func copyBatches(ctx context.Context, r *rig.Rig, transactions [][]copyBatch) error {
	for _, batches := range transactions {
		err := pgx.BeginFunc(ctx, r.Bare.Pool, func(tx pgx.Tx) error {
			for _, b := range batches {
				_, err := tx.CopyFrom(ctx, pgx.Identifier{b.table}, b.columns, pgx.CopyFromRows(b.rows))
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

package core

import (
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// batchRows are the last results of a batch: closing them frees the connection.
type batchRows struct {
	pgx.Rows
	batch pgx.BatchResults
}

func (r batchRows) Close() {
	r.Rows.Close()
	_ = r.batch.Close() // an error of the rows is in Rows.Err; nothing follows them
}

// batchRow is the last and only row of a batch.
type batchRow struct {
	batch pgx.BatchResults
}

func (r batchRow) Scan(dest ...any) error {
	defer func() { _ = r.batch.Close() }() // repeats the error
	return r.batch.QueryRow().Scan(dest...)
}

// failedResults answer everything with the error that kept a batch from being read.
type failedResults struct{ err error }

func (f failedResults) Exec() (pgconn.CommandTag, error) { return pgconn.CommandTag{}, f.err }

func (f failedResults) Query() (pgx.Rows, error) { return nil, f.err }

func (f failedResults) QueryRow() pgx.Row { return failedRow(f) }

func (f failedResults) Close() error { return f.err }

func (f failedResults) Tx() pgx.Tx { return nil }

type failedRow struct{ err error }

func (f failedRow) Scan(...any) error { return f.err }

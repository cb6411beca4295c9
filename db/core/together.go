package core

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"perennial/db/internal/dbsqlc"
)

// Together runs independent reads in one round trip, in their order. Each read is one generated query and is called
// twice: first to learn its statement, then to scan its result. So it must not act on an error except by returning it.
func (r Reader) Together(ctx context.Context, reads ...func(dbsqlc.DBTX) error) error {
	var statements recorder
	for _, read := range reads {
		if err := read(&statements); !errors.Is(err, errRecorded) {
			return errors.Join(err, errors.New("db: a read did not pass on its error"))
		}
	}
	results := r.Handle.SendBatch(ctx, &statements.batch)
	for _, read := range reads {
		if err := read(player{results}); err != nil {
			_ = results.Close() // repeats the error
			return err
		}
	}
	return results.Close()
}

var errRecorded = errors.New("db: recorded, not run")

// errNoRead: a statement that does not read.
var errNoRead = errors.New("db: only reads run together")

// recorder collects the statements of reads.
type recorder struct{ batch pgx.Batch }

func (r *recorder) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	return pgconn.CommandTag{}, errNoRead
}

func (r *recorder) Query(_ context.Context, sql string, args ...any) (pgx.Rows, error) {
	r.batch.Queue(sql, args...)
	return nil, errRecorded
}

func (r *recorder) QueryRow(_ context.Context, sql string, args ...any) pgx.Row {
	r.batch.Queue(sql, args...)
	return failedRow{errRecorded}
}

// player hands out the results in the order in which the statements were recorded.
type player struct{ results pgx.BatchResults }

func (p player) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	return p.results.Exec()
}

func (p player) Query(context.Context, string, ...any) (pgx.Rows, error) { return p.results.Query() }

func (p player) QueryRow(_ context.Context, sql string, _ ...any) pgx.Row {
	rows, err := p.results.Query()
	return oneRow{rows, err, sql}
}

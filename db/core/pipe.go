package core

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"perennial/db/internal/dbsqlc"
)

// rollbackTimeout limits a rollback after the caller's time is up.
const rollbackTimeout = 5 * time.Second

// commitTimeout limits the wait for a server to say what became of a COMMIT. Beyond it, the outcome is unknown.
const commitTimeout = 10 * time.Second

// Pipe is the handle of one transaction. Exec only queues; a read, a batch of reads and the commit send the queue along
// with themselves, so that a transaction costs a round trip for each read and one for the commit.
type Pipe struct {
	conn  *pgx.Conn
	queue []statement
	begun bool // BEGIN has been sent
	ended bool
	// writes counts the statements so far that were no plain reads.
	writes int
	err    error // the first failure: PostgreSQL refuses whatever follows
}

// statement is a queued write. Where zero is set, the write ends with the guard, whose failure becomes the error zero.
// Where read is set, it reads the rows that the write returns.
type statement struct {
	sql  string
	args []any
	zero error
	read func(dbsqlc.DBTX) error
}

var errEnded = errors.New("db: the transaction has ended; a Tx is valid only inside the function it was given to")

// Exec queues a write. Its result is known when the queue is sent, so the answered tag is empty.
func (p *Pipe) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return pgconn.CommandTag{}, p.add(statement{sql: sql, args: args})
}

func (p *Pipe) add(s statement) error {
	if p.ended {
		return errEnded
	}
	p.queue, p.writes = append(p.queue, s), p.writes+1
	return p.err
}

// AddReading queues a write, one generated query, whose results are read once the queue is sent. write is called twice:
// first to learn its statement, then to scan its results.
func (p *Pipe) AddReading(write func(dbsqlc.DBTX) error) error {
	var statements recorder
	if err := write(&statements); !errors.Is(err, errRecorded) {
		return errors.Join(err, errors.New("db: a write did not pass on its error"))
	}
	q := statements.batch.QueuedQueries[0]
	return p.add(statement{sql: q.SQL, args: q.Arguments, read: write})
}

// Query sends the queue and the read.
func (p *Pipe) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	var b pgx.Batch
	b.Queue(sql, args...)
	results := p.SendBatch(ctx, &b)
	rows, err := results.Query()
	if err != nil {
		_ = results.Close() // repeats the error
		return nil, err
	}
	return batchRows{rows, results}, nil
}

// QueryRow sends the queue and the read.
func (p *Pipe) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	var b pgx.Batch
	b.Queue(sql, args...)
	return batchRow{p.SendBatch(ctx, &b)}
}

// SendBatch sends the queue and then b, and returns the results of b alone.
func (p *Pipe) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	if p.ended {
		return failedResults{errEnded}
	}
	if p.err != nil {
		return failedResults{p.err}
	}
	var all pgx.Batch
	sent := p.take(&all)
	for _, q := range b.QueuedQueries {
		all.Queue(q.SQL, storable(q.Arguments)...)
		if !PlainRead(q.SQL) {
			p.writes++
		}
	}
	results := p.conn.SendBatch(ctx, &all)
	if err := p.check(results, sent); err != nil {
		_ = results.Close() // repeats the error
		return failedResults{err}
	}
	return results
}

// CopyFrom sends the queue and then the rows, which travel in a round trip of their own.
func (p *Pipe) CopyFrom(
	ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource,
) (int64, error) {
	if err := p.SendBatch(ctx, &pgx.Batch{}).Close(); err != nil {
		return 0, err
	}
	p.writes++
	n, err := p.conn.CopyFrom(ctx, table, columns, storingRows{rows})
	if err != nil {
		p.err = Translate("copy "+table.Sanitize(), err)
	}
	return n, p.err
}

// take moves BEGIN, where it is due, and the queue into a batch.
func (p *Pipe) take(b *pgx.Batch) []statement {
	sent := p.queue
	if !p.begun {
		sent = append([]statement{{sql: "begin"}}, sent...)
		p.begun = true
	}
	p.queue = nil
	for _, s := range sent {
		b.Queue(s.sql, storable(s.args)...)
	}
	return sent
}

// check reads the results of queued writes, each under its own name.
func (p *Pipe) check(results pgx.BatchResults, sent []statement) error {
	for _, s := range sent {
		var err error
		if s.read != nil {
			err = s.read(player{results})
		} else {
			_, err = results.Exec()
		}
		var pg *pgconn.PgError
		if s.zero != nil && errors.As(err, &pg) && pg.Code == divisionByZero {
			err = s.zero
		}
		if err != nil {
			p.err = Translate(QueryName(s.sql), err)
			return p.err
		}
	}
	return nil
}

// commit ends the transaction. One that sent nothing and has nothing to send was never begun. The end of ctx before it
// means that nothing was committed. Afterwards only the server decides, and the caller gets its decision: closing the
// connection during a COMMIT that waits behind a lock would leave it to be carried out unseen.
func (p *Pipe) commit(ctx context.Context) error {
	if p.err != nil {
		return p.err
	}
	if !p.begun && len(p.queue) == 0 {
		p.ended = true
		return nil
	}
	if err := ctx.Err(); err != nil {
		return Translate("commit", err)
	}
	var all pgx.Batch
	sent := p.take(&all)
	all.Queue("commit")
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	defer p.callOffWith(ctx)()
	results := p.conn.SendBatch(own, &all)
	defer func() { _ = results.Close() }() // repeats the error
	if err := p.check(results, sent); err != nil {
		return err
	}
	tag, err := results.Exec()
	if err == nil && tag.String() != "COMMIT" {
		err = pgx.ErrTxCommitRollback // a read failed and fn did not pass its error on
	}
	if err != nil {
		return Translate("commit", err)
	}
	p.ended = true
	return nil
}

// rollback ends a transaction that was not committed. It takes its own time, because the caller's may be up; where it
// fails, the connection is closed on release, which rolls back too.
func (p *Pipe) rollback(ctx context.Context) {
	if p.ended {
		return
	}
	p.ended = true
	if !p.begun {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	_, _ = p.conn.Exec(ctx, "rollback") // see above
}

// guard ends a query that must touch a row: where it wrote none, it divides by zero. The server has to fail, not we:
// the queue travels together with COMMIT, and whatever succeeds there stays.
const (
	guard          = "select 1 / count(*) from written"
	divisionByZero = "22012"
)

// OrElse is the pipe with an error for the next write, should it touch no row. The query must end with the guard.
func (p *Pipe) OrElse(zero error) dbsqlc.DBTX { return strict{p, zero} }

type strict struct {
	*Pipe
	zero error
}

func (s strict) Exec(_ context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if !strings.HasSuffix(strings.TrimSpace(sql), guard) {
		err := fmt.Errorf("db: %s does not notice that it touches no row: end it with %q", QueryName(sql), guard)
		return pgconn.CommandTag{}, err
	}
	return pgconn.CommandTag{}, s.add(statement{sql: sql, args: args, zero: s.zero})
}

// PlainRead reports whether a statement only reads, and perhaps locks; one with another first word may write.
func PlainRead(sql string) bool {
	for line := range strings.Lines(sql) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "--") {
			return len(line) >= 6 && strings.EqualFold(line[:6], "select")
		}
	}
	return false
}

// QueryName reads the name from the comment that sqlc leaves at the top of each query.
func QueryName(sql string) string {
	rest, ok := strings.CutPrefix(sql, "-- name: ")
	if !ok {
		return sql
	}
	name, _, _ := strings.Cut(rest, " ")
	return name
}

package testkit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"
)

// idle holds the databases that ended tests of this process gave back, by the template they were copied from. Emptying
// one costs a fiftieth of copying the template again.
var idle = struct {
	mu        sync.Mutex
	databases map[string][]*pooled
}{databases: map[string][]*pooled{}}

// pooled is a database that one test after the other uses.
type pooled struct {
	server   string
	template string
	name     string
	url      string
	// The state after the migration: the schema's fingerprint, the rows by table, and a statement that sets the
	// sequences back.
	schema    string
	rows      map[string][]byte
	sequences string
	kept      map[string]Connections // see Keep
}

// take returns a database that is as the template is.
func take(ctx context.Context, server, template string) (*pooled, error) {
	idle.mu.Lock()
	free := idle.databases[template]
	if len(free) > 0 {
		p := free[len(free)-1]
		idle.databases[template] = free[:len(free)-1]
		idle.mu.Unlock()
		return p, nil
	}
	idle.mu.Unlock()
	p, err := create(ctx, server, template)
	if err != nil {
		return nil, err
	}
	return p, p.remember(ctx)
}

// giveBack empties the database for the next test, or drops it where the test changed more than rows.
func (p *pooled) giveBack(ctx context.Context) error {
	kept, err := p.reset(ctx)
	if err != nil || !kept {
		p.close()
		if drop := dropDatabase(ctx, p.server, p.name); drop != nil {
			return drop
		}
		return err
	}
	idle.mu.Lock()
	defer idle.mu.Unlock()
	idle.databases[p.template] = append(idle.databases[p.template], p)
	return nil
}

// dropIdle is for the end of the process: the server may live on.
func dropIdle(ctx context.Context) error {
	idle.mu.Lock()
	defer idle.mu.Unlock()
	var errs []error
	for template, databases := range idle.databases {
		for _, p := range databases {
			p.close()
			errs = append(errs, dropDatabase(ctx, p.server, p.name))
		}
		delete(idle.databases, template)
	}
	return errors.Join(errs...)
}

// schemaOf changes with every statement that defines something, with settings of the database, and where a copy has
// taken the database's name. Only the number of a row's transaction is looked at: a change of whatever kind writes the
// row anew.
const schemaOf = `SELECT concat_ws(' ',
	(SELECT oid FROM pg_database WHERE datname = current_database()),
	(SELECT (count(*), sum(xmin::text::bigint)) FROM pg_class WHERE relkind <> 't'),
	(SELECT (count(*), sum(xmin::text::bigint)) FROM pg_attribute),
	(SELECT (count(*), sum(xmin::text::bigint)) FROM pg_constraint),
	(SELECT (count(*), sum(xmin::text::bigint)) FROM pg_index),
	(SELECT (count(*), sum(xmin::text::bigint)) FROM pg_trigger),
	(SELECT (count(*), sum(xmin::text::bigint)) FROM pg_proc),
	(SELECT (count(*), sum(xmin::text::bigint)) FROM pg_policy),
	(SELECT (count(*), sum(xmin::text::bigint)) FROM pg_namespace),
	(SELECT (count(*), sum(s.xmin::text::bigint)) FROM pg_db_role_setting s
	   JOIN pg_database d ON d.oid = s.setdatabase WHERE d.datname = current_database()))`

// filledTables asks the size of the file first, which is cheaper than to ask each table: most were never written to.
const filledTables = `SELECT format('%I.%I', n.nspname, c.relname)
	FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND n.nspname NOT IN ('pg_catalog', 'information_schema')
	  AND pg_relation_size(c.oid) > 0
	ORDER BY 1`

// setSequences generates a statement that restores the present sequences.
const setSequences = `SELECT coalesce('SELECT ' || string_agg(format('setval(%L, %s, %L)',
		format('%I.%I', schemaname, sequencename), coalesce(last_value, start_value), last_value IS NOT NULL), ', '), 'SELECT')
	FROM pg_sequences`

// largestKept is the size in bytes of tables and their dead rows up to which a database is used again.
const largestKept = 64 << 20

func (p *pooled) remember(ctx context.Context) error {
	return p.connected(ctx, func(conn *pgx.Conn) error {
		if err := conn.QueryRow(ctx, schemaOf).Scan(&p.schema); err != nil {
			return err
		}
		tables, err := filled(ctx, conn)
		if err != nil {
			return err
		}
		p.rows = map[string][]byte{}
		for _, table := range tables {
			var content bytes.Buffer
			if _, err := conn.PgConn().CopyTo(ctx, &content, "COPY "+table+" TO STDOUT"); err != nil {
				return err
			}
			p.rows[table] = content.Bytes()
		}
		return conn.QueryRow(ctx, setSequences).Scan(&p.sequences)
	})
}

// reset restores the state after the migration; kept is false where more than rows changed.
func (p *pooled) reset(ctx context.Context) (kept bool, err error) {
	err = p.connected(ctx, func(conn *pgx.Conn) error {
		if err := p.terminate(ctx, conn); err != nil {
			return err
		}
		var schema string
		var size int64
		if err := conn.QueryRow(ctx, schemaOf).Scan(&schema); err != nil {
			return err
		}
		if err := conn.QueryRow(ctx, "SELECT pg_database_size(current_database())").Scan(&size); err != nil {
			return err
		}
		if kept = schema == p.schema && size <= largestKept; !kept {
			return nil
		}
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return p.restore(ctx, tx.Conn()) })
	})
	return kept && err == nil, err
}

// restore replaces all rows within a transaction. Triggers are silent meanwhile: some rows are never to be deleted.
func (p *pooled) restore(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "SET LOCAL session_replication_role = replica"); err != nil {
		return err
	}
	tables, err := filled(ctx, conn)
	if err != nil {
		return err
	}
	batch := &pgx.Batch{}
	batch.Queue(p.sequences)
	for _, table := range tables {
		batch.Queue("DELETE FROM " + table)
	}
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	for table, content := range p.rows {
		if len(content) == 0 {
			continue
		}
		if _, err := conn.PgConn().CopyFrom(ctx, bytes.NewReader(content), "COPY "+table+" FROM STDIN"); err != nil {
			return err
		}
	}
	return nil
}

func (p *pooled) connected(ctx context.Context, do func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, p.url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // nothing is pending on it
	return do(conn)
}

func filled(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	rows, err := conn.Query(ctx, filledTables)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func dropDatabase(ctx context.Context, server, name string) error {
	if err := admin(ctx, server, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"); err != nil {
		return fmt.Errorf("drop the test's database: %w", err)
	}
	return nil
}

package testkit

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Connections are a pool of them to one database.
type Connections interface {
	Ping(ctx context.Context) error
	// Reset has the connections replaced that there are.
	Reset()
	Close()
}

// KeptName is the application_name of connections that outlive a test.
const KeptName = "perennial tests, kept"

// Keep returns the connections to a database that open made, for this test or for one before it. A new backend of
// PostgreSQL reads the catalogue, and parses and plans every statement again, which cost most of a test's time. They
// are not closed before the database is dropped, so open must not use the context of a test, and must give them
// KeptName.
func Keep[T Connections](t testing.TB, d *Database, name string, open func(ctx context.Context) (T, error)) T {
	t.Helper()
	if d.pooled != nil {
		kept, ok := d.pooled.kept[name].(T)
		if ok && kept.Ping(t.Context()) == nil { // a test may have closed them
			return kept
		}
		if ok {
			go kept.Close()
		}
	}
	opened, err := open(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatalf("connect to the test's database: %v", err)
	}
	if d.pooled == nil {
		t.Cleanup(opened.Close)
		return opened
	}
	if d.pooled.kept == nil {
		d.pooled.kept = map[string]Connections{}
	}
	d.pooled.kept[name] = opened
	return opened
}

// close closes the kept connections without waiting: one that a test has not returned ends with the database.
func (p *pooled) close() {
	for _, c := range p.kept {
		go c.Close()
	}
	p.kept = nil
}

// terminate ends the connections that a test has left open, one of which may hold a lock, except for idle kept ones.
func (p *pooled) terminate(ctx context.Context, conn *pgx.Conn) error {
	var busy int
	err := conn.QueryRow(ctx, `SELECT count(*) FILTER (WHERE application_name = $1)
		FROM (SELECT application_name, pg_terminate_backend(pid, 10000) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
				AND (application_name <> $1 OR state <> 'idle')) AS terminated`, KeptName).Scan(&busy)
	if busy > 0 {
		for _, c := range p.kept {
			c.Reset()
		}
	}
	return err
}

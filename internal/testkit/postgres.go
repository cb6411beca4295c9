package testkit

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Migrate brings an empty database to the present schema.
type Migrate func(ctx context.Context, url string) error

// Database is one test's own database.
type Database struct {
	URL    string
	pooled *pooled // nil: it is dropped at the end of the test
}

// databasePrefix marks databases that may be dropped without asking.
const databasePrefix = "pt_"

// Postgres returns to the test a migrated database that holds what migrate left, as if it were its own. It is a copy of
// a template that migrate filled once in this process, and goes to a later test, emptied, when this one has ended; a
// test that changes the schema may, since such a database is dropped. A nil migrate means a database without tables.
func Postgres(t testing.TB, migrate Migrate) *Database {
	t.Helper()
	server, err := postgresURL()
	if err != nil {
		t.Fatalf("PostgreSQL for tests: %v", err)
	}
	if migrate == nil {
		return emptyDatabase(t, server)
	}
	template, err := templateOf(t.Context(), server, migrate)
	if err != nil {
		t.Fatalf("migrated template database: %v", err)
	}
	return copyOf(t, server, template)
}

// Shared is Postgres with a template that all test processes on a server share: the first one fills it. Two versions of
// migrate have two templates, so version must identify the result.
func Shared(t testing.TB, version string, migrate Migrate) *Database {
	t.Helper()
	server, err := postgresURL()
	if err != nil {
		t.Fatalf("PostgreSQL for tests: %v", err)
	}
	template, err := sharedTemplate(t.Context(), server, version, migrate)
	if err != nil {
		t.Fatalf("migrated template database: %v", err)
	}
	return copyOf(t, server, template)
}

func copyOf(t testing.TB, server, template string) *Database {
	t.Helper()
	p, err := take(t.Context(), server, template)
	if err != nil {
		t.Fatalf("database for this test: %v", err)
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context()) // the test's own context is done by now
		if err := p.giveBack(ctx); err != nil {
			t.Errorf("empty the test's database: %v", err)
		}
	})
	return &Database{URL: p.url, pooled: p}
}

func emptyDatabase(t testing.TB, server string) *Database {
	t.Helper()
	name := newName()
	if err := admin(t.Context(), server, "CREATE DATABASE "+name); err != nil {
		t.Fatalf("database for this test: %v", err)
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context()) // the test's own context is done by now
		if err := dropDatabase(ctx, server, name); err != nil {
			t.Error(err)
		}
	})
	return &Database{URL: withDatabase(server, name)}
}

func newName() string { return databasePrefix + strings.ToLower(rand.Text()) }

// create copies the template.
func create(ctx context.Context, server, template string) (*pooled, error) {
	name := newName()
	if err := admin(ctx, server, fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s", name, template)); err != nil {
		return nil, err
	}
	p := &pooled{server: server, template: template, name: name, url: withDatabase(server, name)}
	return p, admin(ctx, p.url, adopt)
}

// adopt marks a copy of a database as the original for its schema. Otherwise it would count as restored, and payments
// of tests would be searched, although nothing was sent from the template.
const adopt = `DO $$ BEGIN
	IF to_regclass('database_server') IS NOT NULL THEN
		UPDATE database_server SET identity = database_identity();
	END IF;
END $$`

// As is the URL for a connection with the rights of a role.
func (d *Database) As(role string) string {
	u, err := url.Parse(d.URL)
	if err != nil {
		return d.URL // the connection attempt will report the fault
	}
	query := u.Query()
	query.Set("role", role)
	u.RawQuery = query.Encode()
	return u.String()
}

// Pool opens a pool that is closed at the end of the test.
func (d *Database) Pool(t testing.TB) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), d.URL)
	if err != nil {
		t.Fatalf("pool: %v", err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// templates holds one migrated database for each migration function of this process.
var templates = struct {
	mu    sync.Mutex
	names map[uintptr]string
}{names: map[uintptr]string{}}

// templateOf distinguishes migrations by their code, so that a closure that each test makes again still counts as one.
func templateOf(ctx context.Context, server string, migrate Migrate) (string, error) {
	key := reflect.ValueOf(migrate).Pointer()
	templates.mu.Lock()
	defer templates.mu.Unlock()
	if name, ok := templates.names[key]; ok {
		return name, nil
	}
	name := databasePrefix + "template_" + strings.ToLower(rand.Text())
	if err := admin(ctx, server, "CREATE DATABASE "+name); err != nil {
		return "", err
	}
	if err := migrate(ctx, withDatabase(server, name)); err != nil {
		return "", err
	}
	templates.names[key] = name
	return name, nil
}

// sharedTemplate returns the name of a migrated database that is complete: it gets its name when it is.
func sharedTemplate(ctx context.Context, server, version string, migrate Migrate) (string, error) {
	name := databasePrefix + "template_" + version
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }() // which also ends its lock
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtext($1))", name); err != nil {
		return "", err
	}
	var whole bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)",
		name).Scan(&whole); err != nil {
		return "", err
	}
	if whole {
		return name, nil
	}
	unfinished := name + "_unfinished"
	for _, sql := range []string{"DROP DATABASE IF EXISTS " + unfinished + " WITH (FORCE)",
		"CREATE DATABASE " + unfinished} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return "", err
		}
	}
	if err := migrate(ctx, withDatabase(server, unfinished)); err != nil {
		return "", err
	}
	_, err = conn.Exec(ctx, "ALTER DATABASE "+unfinished+" RENAME TO "+name)
	return name, err
}

// admin runs one statement on a connection of its own, so that no idle pool is left for a leak detector to find.
func admin(ctx context.Context, server, sql string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // nothing is pending on it
	_, err = conn.Exec(ctx, sql)
	return err
}

// dropLeftovers removes databases of earlier test processes, their templates among them.
func dropLeftovers(ctx context.Context, server string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // nothing is pending on it
	rows, err := conn.Query(ctx, "SELECT datname FROM pg_database WHERE starts_with(datname, $1)", databasePrefix)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := conn.Exec(ctx, "DROP DATABASE "+pgx.Identifier{name}.Sanitize()+" WITH (FORCE)"); err != nil {
			return err
		}
	}
	return nil
}

func withDatabase(server, name string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server // the connection attempt will report the fault
	}
	u.Path = "/" + name
	return u.String()
}

// quiet drops the lines that every start writes.
type quiet struct{ w io.Writer }

func (q quiet) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("ready on")) || bytes.Contains(p, []byte("creating a private server")) {
		return len(p), nil
	}
	return q.w.Write(p)
}

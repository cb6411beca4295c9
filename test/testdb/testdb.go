// Package testdb gives a test a migrated database of Perennial. It does not own how databases are made and used again
// (testkit), nor the schema (db).
package testdb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"testing"
	"time"

	"perennial/db"
	"perennial/internal/testkit"
	"perennial/internal/testkit/wait"
)

// Migrated returns a database with the present schema, its roles, and only the rows of its migrations.
func Migrated(t testing.TB) *testkit.Database {
	t.Helper()
	v, err := version()
	if err != nil {
		t.Fatalf("read the migrations: %v", err)
	}
	return testkit.Shared(t, v, migrate)
}

// Open returns a store on the database with the rights of a role, empty: all rights, and with a clock of its own. Its
// connections go to later tests, in which nothing that this one has left under way can use them.
func Open(t testing.TB, d *testkit.Database, role string, connections int32, clock func() time.Time) *db.Store {
	t.Helper()
	url := d.URL
	if role != "" {
		url = d.As(role)
	}
	name := fmt.Sprintf("%s %d", role, connections)
	store := testkit.Keep(t, d, name, func(ctx context.Context) (*db.Store, error) {
		return db.Open(ctx, db.Config{URL: url, MaxConns: connections, Clock: time.Now, ApplicationName: testkit.KeptName})
	}).Lease(clock)
	t.Cleanup(func() {
		store.Close()
		for end := time.Now().Add(wait.Patience); store.Stat().AcquiredConns() > 0; time.Sleep(time.Millisecond) {
			if time.Now().After(end) { // the work that the test has begun must end before its rows do
				t.Error("a connection to the test's database was not given back")
				return
			}
		}
	})
	return store
}

func migrate(ctx context.Context, url string) error {
	return errors.Join(db.Migrate(ctx, url, nil), db.GrantRoles(ctx, url))
}

// version names the schema by the text of its migrations.
var version = sync.OnceValues(func() (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(db.Migrations(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(db.Migrations(), path)
		if err != nil {
			return err
		}
		_, err = sum.Write(content)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)[:8]), err
})

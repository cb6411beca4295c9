// Package testdb gives a test a migrated database of Perennial. It does not own how databases are made and used again
// (testkit), nor the schema (db).
package testdb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"sync"
	"testing"

	"perennial/db"
	"perennial/internal/testkit"
)

// Migrated returns a database with the present schema, its roles, and no rows but those of its migrations.
func Migrated(t testing.TB) *testkit.Database {
	t.Helper()
	v, err := version()
	if err != nil {
		t.Fatalf("read the migrations: %v", err)
	}
	return testkit.Shared(t, v, migrate)
}

func migrate(ctx context.Context, url string) error {
	return errors.Join(db.Migrate(ctx, url, nil), db.GrantRoles(ctx, url))
}

// version names the schema by what its migrations say.
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

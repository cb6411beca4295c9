package devstack

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// oldestPostgres is the oldest major version that the schema works with.
const oldestPostgres = 15

// pgBinaries is one installed PostgreSQL server.
type pgBinaries struct {
	dir   string // holds postgres and initdb
	major int
}

func (b pgBinaries) program(name string) string { return filepath.Join(b.dir, name) }

// findPostgres returns the newest server installed on this machine that is new enough; of exactly the major version
// where one is given, because PostgreSQL opens a data directory only with the version that made it.
func findPostgres(ctx context.Context, major int) (pgBinaries, bool) {
	var best pgBinaries
	for _, dir := range postgresDirs(ctx) {
		b, err := inspectPostgres(ctx, dir)
		fits := err == nil && b.major >= oldestPostgres && (major == 0 || b.major == major)
		if fits && b.major > best.major {
			best = b
		}
	}
	return best, best.major > 0
}

// postgresDirs lists where servers usually are: what pg_config says, Debian's and Homebrew's places, PATH.
func postgresDirs(ctx context.Context) []string {
	var dirs []string
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin",
		"/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin",
	} {
		found, _ := filepath.Glob(pattern) // the patterns are constant, so they cannot be malformed
		dirs = append(dirs, found...)
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		if actual, err := filepath.EvalSymlinks(path); err == nil { // the programs beside the link are not the server's
			dirs = append(dirs, filepath.Dir(actual))
		}
	}
	return dirs
}

func inspectPostgres(ctx context.Context, dir string) (pgBinaries, error) {
	b := pgBinaries{dir: dir}
	if _, err := exec.LookPath(b.program("initdb")); err != nil {
		return b, err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, b.program("postgres"), "--version").Output()
	if err != nil {
		return b, err
	}
	b.major, err = parsePostgresVersion(string(out))
	return b, err
}

// parsePostgresVersion reads the major version from "postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)".
func parsePostgresVersion(s string) (int, error) {
	_, rest, ok := strings.Cut(s, "(PostgreSQL) ")
	if !ok {
		return 0, fmt.Errorf("%q is not PostgreSQL's version", strings.TrimSpace(s))
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(rest)
	}
	return strconv.Atoi(rest[:end])
}

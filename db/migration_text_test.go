package db_test

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"perennial/db"
)

// indexesBeside is the first migration whose indexes must be built concurrently. Earlier ones were applied long ago.
const indexesBeside = 124

var (
	comment     = regexp.MustCompile(`(?m)--.*$`)
	lockTimeout = regexp.MustCompile(`(?im)^\s*set (?:session )?lock_timeout\s*(?:=|to)\s*([^;]+);`)
	madeTable   = regexp.MustCompile(`(?i)\bcreate (?:unlogged )?table (?:if not exists )?([\w.]+)`)
	madeIndex   = regexp.MustCompile(
		`(?i)\bcreate (?:unique )?index (concurrently )?(?:if not exists )?(?:([\w.]+) )?on (?:only )?([\w.]+)`)
	altered = regexp.MustCompile(`(?is)\balter table (?:if exists )?(?:only )?([\w.]+)([^;]*)`)
	keyed   = regexp.MustCompile(`(?i)\b(?:unique|primary key|exclude)\b`)
	spaces  = regexp.MustCompile(`\s+`)
)

// stuck reports whether a migration leaves a lock timeout behind for later ones, which use the same connection: without
// a limit they would make every payment wait behind them while they wait for a table.
func stuck(sql string) bool {
	last := ""
	for _, set := range lockTimeout.FindAllStringSubmatch(comment.ReplaceAllString(sql, ""), -1) {
		last = strings.Trim(set[1], " '")
	}
	return last != "" && last != "1s" // as db.Migrate has it
}

// blocking lists the indexes that a migration builds while writes to an existing table are blocked.
func blocking(sql string) (all []string) {
	sql = spaces.ReplaceAllString(comment.ReplaceAllString(sql, ""), " ")
	made := map[string]bool{}
	for _, table := range madeTable.FindAllStringSubmatch(sql, -1) {
		made[table[1]] = true
	}
	for _, index := range madeIndex.FindAllStringSubmatch(sql, -1) {
		beside, name, table := index[1] != "", index[2], index[3]
		switch {
		case made[table]:
		case !beside:
			all = append(all, name+" of "+table+" is not built concurrently")
		case !strings.Contains(sql, "drop index concurrently if exists "+name+";"):
			all = append(all, name+" of "+table+" is not dropped first: one that was interrupted would stay unusable")
		}
	}
	for _, alter := range altered.FindAllStringSubmatch(sql, -1) {
		if table, what := alter[1], alter[2]; !made[table] && keyed.MatchString(what) &&
			!strings.Contains(what, "using index") {
			all = append(all, "a key of "+table+" is not made of an index that was built concurrently")
		}
	}
	return all
}

func TestMigrations_LetOthersWork(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(db.Migrations(), "*.sql")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		raw, err := fs.ReadFile(db.Migrations(), name)
		require.NoError(t, err)
		version, err := goose.NumericComponent(name)
		require.NoError(t, err)
		if stuck(string(raw)) {
			t.Errorf("%s leaves another lock_timeout to the migrations after it: end with set lock_timeout = '1s'", name)
		}
		if version < indexesBeside {
			continue
		}
		for _, what := range blocking(string(raw)) {
			t.Errorf("%s: %s", name, what)
		}
	}
}

func TestMigrations_TheScanSeesWhatBlocks(t *testing.T) {
	t.Parallel()
	for sql, n := range map[string]int{
		"create index a on invoices (b);":                                                                  1,
		"create unique index if not exists a\n    on invoices (b);":                                        1,
		"create index on only invoices (b);":                                                               1,
		"create index concurrently a on invoices (b);":                                                     1,
		"drop index concurrently if exists a;\ncreate index concurrently a on invoices (b);":               0,
		"create table b (c text);\ncreate index a on b (c);":                                               0,
		"-- create index a on invoices (b);":                                                               0,
		"alter table invoices add constraint a unique (b);":                                                1,
		"alter table invoices add column a text,\n    add column b text unique;":                           1,
		"alter table invoices add constraint a unique using index b;":                                      0,
		"alter table invoices add column a text;":                                                          0,
		"create table b (c text);\nalter table b add primary key (c);\ncreate index a on invoices (d, e);": 1,
	} {
		require.Len(t, blocking(sql), n, sql)
	}
	for sql, want := range map[string]bool{
		"set lock_timeout = 0;":                             true,
		"set lock_timeout = 0;\n-- set lock_timeout = 1;":   true,
		"set lock_timeout = 0;\nset lock_timeout = '1s';":   false,
		"set lock_timeout = '1s';\nset lock_timeout to 0;":  true,
		"perform set_config('lock_timeout', '0', true);":    false,
		"create function a() set lock_timeout = '1s' as $$": false,
	} {
		require.Equal(t, want, stuck(sql), sql)
	}
}

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// module is a tree of files with tests that the runner runs for real.
func module(t *testing.T, files map[string]string) *run {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module perennial\n\ngo 1.24\n"
	for name, content := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	r := newRun(&bytes.Buffer{}, time.Now)
	r.dir = dir
	return r
}

func (r *run) text() string { return r.out.(*bytes.Buffer).String() }

// once fails the first time that it runs in its folder.
const once = `package db
import ("os"; "testing")
func TestOnce(t *testing.T) {
	if _, err := os.Stat("ran"); err != nil {
		_ = os.WriteFile("ran", nil, 0o600)
		t.Fatal("MESSAGE")
	}
}
func TestWell(t *testing.T) { t.Run("a", func(*testing.T) {}); t.Run("b", func(*testing.T) {}) }
`

func TestRun_RepeatsAloneWhatSpeaksToServers(t *testing.T) {
	t.Parallel()
	r := module(t, map[string]string{"db/a_test.go": once})
	parts, err := planOf([]string{"perennial/db"}, true)
	require.NoError(t, err)
	for i := range parts {
		parts[i].race = false // no C compiler is needed for this
	}
	require.True(t, r.all(t.Context(), parts, 2), r.text())
	for _, want := range []string{"db: TestOnce failed beside others; once more, alone", "REPEATED db.TestOnce",
		"1 of the tests had to be repeated alone", "4 passed, 0 failed, 0 skipped"} {
		require.Contains(t, r.text(), want)
	}
}

func TestRun_NeverRepeatsARuleOrBrokenCode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, content string }{
		"a test without servers": {"billing/a_test.go", strings.Replace(once, "package db", "package billing", 1)},
		"a rule that was broken": {"db/a_test.go", strings.Replace(once, "MESSAGE", "rule broken: charged twice", 1)},
		"a test that always fails": {"db/a_test.go",
			"package db\nimport \"testing\"\nfunc TestNever(t *testing.T) { t.Fatal(1) }\n"},
		"a panic": {"db/a_test.go",
			"package db\nimport \"testing\"\nfunc TestNever(*testing.T) { panic(1) }\n"},
		"no Go": {"db/a_test.go", "package db\nfunc TestNever() {\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := module(t, map[string]string{c.file: c.content})
			p := part{name: "part", packages: []string{"perennial/" + filepath.Dir(c.file)}}
			require.False(t, r.all(t.Context(), []part{p}, 1), r.text())
			require.Contains(t, r.text(), " 1 failed, 0 skipped")
			require.NotContains(t, r.text(), "REPEATED")
		})
	}
}

func TestPlan_EachTestOnce(t *testing.T) {
	t.Parallel()
	packages := []string{"perennial/db", "perennial/internal/quota", "perennial/billing/money", "perennial/service"}
	parts, err := planOf(packages, false)
	require.NoError(t, err)
	whole, skipped, run := map[string]int{}, map[string]string{}, map[string]string{}
	for _, p := range parts {
		for _, pkg := range p.packages {
			switch {
			case p.run != "":
				require.True(t, p.race)
				run[pkg] = p.run
			case p.skip != "":
				skipped[pkg] = p.skip
			default:
				whole[pkg]++
			}
		}
	}
	require.Equal(t, map[string]int{"perennial/internal/quota": 1, "perennial/billing/money": 1}, whole)
	require.Equal(t, skipped, run)
	require.Len(t, run, 2)
	parts, err = planOf(packages, true)
	require.NoError(t, err)
	for _, p := range parts {
		require.True(t, p.race && p.run == "" && p.skip == "")
	}
}

// A package that was renamed would be raced, or run in a place of its own, no more.
func TestPlan_NamesPackagesThatExist(t *testing.T) {
	t.Parallel()
	for _, pkg := range long {
		require.DirExists(t, filepath.Join("../../..", short(pkg)))
	}
	for _, r := range racedPackages {
		require.DirExists(t, filepath.Join("../../..", short(r.pkg)))
		require.NotEmpty(t, r.why)
	}
}

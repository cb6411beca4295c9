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

// firstTime does this in its last test, after an earlier one, the first time that it runs in its folder; later all
// pass.
func firstTime(earlier, last string) string {
	return `package db
import ("fmt"; "os"; "sync"; "testing"; "time")
var _, _, _ = time.Now, fmt.Println, sync.Mutex{}
func first() bool { _, err := os.Stat("ran"); return err != nil }
func TestEarlier(t *testing.T) { if first() { ` + earlier + ` } }
func TestLast(t *testing.T) {
	if first() {
		_ = os.WriteFile("ran", nil, 0o600)
		` + last + `
	}
}
func TestAfterwards(t *testing.T) {}
`
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
		// Each of these fails once and would pass alone, with tests after it that never ran.
		"a panic the first time":       {"db/a_test.go", firstTime("", "panic(1)")},
		"a panic within a subtest":     {"db/a_test.go", firstTime("", `t.Run("a", func(*testing.T) { panic(1) })`)},
		"a panic of another goroutine": {"db/a_test.go", firstTime("t.Fail()", "go panic(1); time.Sleep(time.Hour)")},
		"a runtime's fatal error":      {"db/a_test.go", firstTime("t.Fail()", "var mu sync.Mutex; mu.Unlock()")},
		"a process that ends itself":   {"db/a_test.go", firstTime("t.Fail()", "os.Exit(1)")},
		"a data race":                  {"db/a_test.go", firstTime("t.Fail()", `fmt.Println("WARNING: DATA RACE")`)},
		"a data race, says testing": {"db/a_test.go",
			firstTime("", `t.Error("race detected during execution of test")`)},
		"a test of more than one seed": {"db/a_test.go",
			firstTime("", `t.Log("seed 1; replay with TEST_SEED=1"); t.Fatal("seed 2; replay with TEST_SEED=2")`)},
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

// The last words of a process that died are in the output of whatever test was running.
func TestRun_ShowsWhyAProcessDied(t *testing.T) {
	t.Parallel()
	r := module(t, map[string]string{"db/a_test.go": `package db
import ("testing"; "time")
func TestA(t *testing.T) { t.Fatal("of the first") }
func TestB(*testing.T) { go panic("of a goroutine"); time.Sleep(time.Hour) }
`})
	require.False(t, r.all(t.Context(), []part{{name: "part", packages: []string{"perennial/db"}}}, 1))
	for _, want := range []string{"of the first", "panic: of a goroutine",
		"FAIL db: TestA (it died then: tests after that did not run)"} {
		require.Contains(t, r.text(), want)
	}
}

// A time limit ends the process too, with tests failed before.
func TestRun_NeverRepeatsWhatRanIntoItsTimeLimit(t *testing.T) {
	t.Setenv(limitVariable, "2s")
	r := module(t, map[string]string{"db/a_test.go": firstTime("t.Fail()", "time.Sleep(time.Hour)")})
	require.False(t, r.all(t.Context(), []part{{name: "part", packages: []string{"perennial/db"}}}, 1), r.text())
	require.Contains(t, r.text(), "panic: test timed out after 2s")
	require.NotContains(t, r.text(), "REPEATED")
}

// Another seed would be another test, which may well pass. Without one, the environment stays as it is.
func TestRun_RepeatsWithTheSeedThatATestPrinted(t *testing.T) {
	t.Parallel()
	r := module(t, map[string]string{"db/a_test.go": `package db
import ("os"; "testing")
func draws(t *testing.T, seed string) {
	switch os.Getenv("TEST_SEED") {
	case "":
		t.Fatal("seed " + seed + "; replay with TEST_SEED=" + seed)
	case seed:
	default:
		t.Fatal("another seed")
	}
}
func TestA(t *testing.T) { draws(t, "17") }
func TestB(t *testing.T) { draws(t, "18") }
func TestC(t *testing.T) {
	if _, err := os.Stat("ran"); err != nil {
		_ = os.WriteFile("ran", nil, 0o600)
		t.Fatal("once")
	}
	if os.Getenv("TEST_SEED") != "" {
		t.Fatal("a seed that is another's")
	}
}
func TestD(t *testing.T) {
	_, err := os.Stat("drawn")
	_ = os.WriteFile("drawn", nil, 0o600)
	if err == nil && os.Getenv("TEST_SEED") != "19" {
		return // another seed, which passes
	}
	t.Fatal("seed 19; replay with TEST_SEED=19")
}
`})
	require.False(t, r.all(t.Context(), []part{{name: "part", packages: []string{"perennial/db"}}}, 1), r.text())
	require.Contains(t, r.text(), "3 passed, 1 failed, 0 skipped")
	require.Contains(t, r.text(), "FAIL db: TestD\n")
}

func TestPlan_EachTestOnce(t *testing.T) {
	t.Parallel()
	packages := []string{"perennial/db", "perennial/internal/quota", "perennial/billing/money", "perennial/service/usage"}
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
